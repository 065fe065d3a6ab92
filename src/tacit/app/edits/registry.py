"""The list of changes; adding one is its function and a line here."""

from collections.abc import Mapping

from .data import (
    accept_suggestions,
    open_example,
    open_file,
    remove_copies,
    set_kind,
    set_missing_meaning,
    set_population_file,
    set_read_options,
    set_role,
)
from .edit import Edit
from .explore import study_settings, use_node, use_point
from .groups import drop_level, hierarchy_from_file, regroup_labels, rename_group, set_fill
from .hierarchies import by_rule, no_hierarchy, suggested_hierarchy
from .missing_columns import resolve_missing_columns
from .requirements import plan_text, require_remove, require_set, set_output
from .risk import (
    knows_first,
    set_attack_params,
    set_attack_targets,
    set_control_files,
    set_known_columns,
    set_published_parameters,
    set_second_list,
    worst_case,
)
from .steps import step_add, step_move, step_off, step_on, step_remove, step_set, step_start
from .table import table_missing, table_none, table_rule, table_rule_remove, table_shape, table_tree, table_way
from .variants import variant_take

ALL: Mapping[str, Edit] = {
    "open": open_file,
    "example": open_example,
    "reading": set_read_options,
    "remove_copies": remove_copies,
    "missing": set_missing_meaning,
    "population": set_population_file,
    "role": set_role,
    "accept": accept_suggestions,
    "kind": set_kind,
    "gone": resolve_missing_columns,
    "by_rule": by_rule,
    "suggested_hierarchy": suggested_hierarchy,
    "no_hierarchy": no_hierarchy,
    "regroup": regroup_labels,
    "rename_group": rename_group,
    "drop_level": drop_level,
    "fill": set_fill,
    "hierarchy_from_file": hierarchy_from_file,
    "use_node": use_node,
    "use_point": use_point,
    "study": study_settings,
    "knows": set_known_columns,
    "knows_first": knows_first,
    "told": set_published_parameters,
    "control": set_control_files,
    "second": set_second_list,
    "sorts": set_attack_targets,
    "attack": set_attack_params,
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
    "output": set_output,
    "plan_text": plan_text,
    "table_shape": table_shape,
    "table_tree": table_tree,
    "table_rule": table_rule,
    "table_rule_remove": table_rule_remove,
    "table_way": table_way,
    "table_missing": table_missing,
    "table_none": table_none,
}
