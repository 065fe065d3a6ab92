"""The list of changes; adding one is its function and a line here."""

from collections.abc import Mapping

from .data import accept, example, kind, missing, open_file, population, reading, remove_copies, role
from .edit import Edit
from .explore import study_settings, use_node, use_point
from .gone import gone
from .groups import drop_level, fill, hierarchy_from_file, regroup, rename_group
from .hierarchies import by_rule, no_hierarchy, suggested_hierarchy
from .requirements import output, plan_text, require_remove, require_set
from .risk import attack, control, knows, knows_first, second, sorts, told, worst_case
from .steps import step_add, step_move, step_off, step_on, step_remove, step_set, step_start
from .table import table_missing, table_none, table_rule, table_rule_remove, table_shape, table_tree, table_way
from .variants import variant_take

ALL: Mapping[str, Edit] = {
    "open": open_file,
    "example": example,
    "reading": reading,
    "remove_copies": remove_copies,
    "missing": missing,
    "population": population,
    "role": role,
    "accept": accept,
    "kind": kind,
    "gone": gone,
    "by_rule": by_rule,
    "suggested_hierarchy": suggested_hierarchy,
    "no_hierarchy": no_hierarchy,
    "regroup": regroup,
    "rename_group": rename_group,
    "drop_level": drop_level,
    "fill": fill,
    "hierarchy_from_file": hierarchy_from_file,
    "use_node": use_node,
    "use_point": use_point,
    "study": study_settings,
    "knows": knows,
    "knows_first": knows_first,
    "told": told,
    "control": control,
    "second": second,
    "sorts": sorts,
    "attack": attack,
    "worst_case": worst_case,
    "step_add": step_add,
    "step_set": step_set,
    "step_remove": step_remove,
    "step_move": step_move,
    "step_off": step_off,
    "step_on": step_on,
    "step_start": step_start,
    "variant_take": variant_take,
    "require_set": require_set,
    "require_remove": require_remove,
    "output": output,
    "plan_text": plan_text,
    "table_shape": table_shape,
    "table_tree": table_tree,
    "table_rule": table_rule,
    "table_rule_remove": table_rule_remove,
    "table_way": table_way,
    "table_missing": table_missing,
    "table_none": table_none,
}
