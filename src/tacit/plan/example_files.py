"""Examples as files: the data, its hierarchies and a plan that protects it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import TacitError, suggest_alternative
from ..files import write_text
from ..seed import DEFAULT_SEED
from ..toml_text import to_inline_toml

if TYPE_CHECKING:
    from ..examples import Example


STEPS: dict[str, str] = {
    "clinic": """\
[require]                       # the gate: nothing is released unless all of it holds
k_anonymity = 5
l_diversity = { columns = { diagnosis = 2 } }
reidentification = 0.05         # upper end of the 95 % interval, worst attack
attribute_inference = 0.1       # what is learnt of diagnosis and income, above what the rest of the people teach

[[protect]]
method = "generalise"
levels = { zip = 2, birth = 3, occupation = 2, education = 1, visits = 2 }

[[protect]]
method = "suppress_cells"
k = 9                           # more than required, because the attacks count too

[[protect]]
method = "rank_swap"
columns = ["income"]
percent = 5

[[protect]]                     # members of a household share their rent: to the unit it would number the households
method = "round"
columns = ["rent"]
base = 500

[[protect]]                     # with two decimals a weight is known again
method = "round"
columns = ["weight"]
base = 1
""",
}
"""Example → the requirements and steps of its plan."""

UNRESTRICTED: dict[str, tuple[str, ...]] = {"clinic": ("education", "visits", "rent")}
"""Example → the columns that its plan decides to release without a role that protects them."""

TABLES: dict[str, str] = {
    "companies": """\
[table]                         # tacit table protect plan.toml
by = ["activity", "region"]
response = "turnover"
holding = "holding"             # companies of one group answer as one

[hierarchies]                   # how codes add up; flat when absent
activity = { file = "activity.hierarchy.csv" }
region = { file = "region.hierarchy.csv" }

[[rule]]                        # which cells disclose: those that any rule finds
method = "minimum_frequency"
n = 3
level = 20                      # such cells must be uncertain by 20 % of the figure

[[rule]]
method = "p_percent"            # a competitor could compute the largest contribution to within 10 %
p = 10

[protect]
method = "suppress"
""",
}
"""Example → the sections of its plan, where that is about tables."""

OUTPUT = '\n[output]\ndirectory = "out"\n'

SIZED = {"clinic": 4000, "companies": 800}
"""Examples of any size, and how many records they get unless it is said."""


def examples_listed() -> str:
    """The names of the examples, with what they are."""
    from ..examples import ALL

    return "\n".join(f"{name:14} {make().about}" for name, make in ALL.items())


def write_example(
    name: str, out: Path, *, rows: int | None = None, seed: int = DEFAULT_SEED, replace: bool = False
) -> list[Path]:
    """Write the files of an example; files that are there already are kept unless ``replace``."""
    from ..examples import ALL
    from ..release.files import save

    if name not in ALL:
        raise TacitError(f"there is no example {name!r}", code="unknown_name", fix=suggest_alternative(name, ALL))
    made: Example = ALL[name](SIZED[name] if rows is None else rows, seed=seed) if name in SIZED else ALL[name]()
    data, plan = out / f"{name}.csv", out / "plan.toml"
    tables = {column: out / f"{column}.hierarchy.csv" for column, given in made.hierarchies.items() if "table" in given}
    for path in (data, plan, *tables.values()):
        if path.exists() and not replace:
            raise TacitError(
                f"{str(path)!r} exists already", code="file_exists", fix="choose another folder with --out"
            )
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise TacitError(
            f"the folder {str(out)!r} cannot be made", code="cannot_write", fix="choose another with --out"
        ) from problem
    save(made.frame, data, replace=replace)
    for column, path in tables.items():
        rows_of = made.hierarchies[column]["table"]
        lines = (";".join([str(value), *labels]) + "\n" for value, labels in rows_of.items())
        write_text(path, "".join(lines), replace=replace)
    write_text(plan, _plan_text(made, data.name), replace=replace)
    return [data, plan, *tables.values()]


def _plan_text(made: Example, file: str) -> str:
    if made.name in TABLES:
        title = json.dumps(f"Tables of the {made.name} example")
        data = f'[data]\npath = "{file}"\nnoun = "table"\n'
        return f"# {made.about}\ntitle = {title}\n\n{data}\n{TABLES[made.name]}" + OUTPUT
    lines = [
        f"# {made.about}",
        f"title = {json.dumps(f'Release of the {made.name} example')}",
        "",
        "[data]",
        f'path = "{file}"',
        f'missing = "{made.missing}"',
        "",
        "[roles]",
    ]
    for role in ("identifier", "quasi", "confidential"):
        lines.append(f"{role:12} = {json.dumps(list(made.roles[role]))}")
    for role in ("weight", "household"):
        if made.roles[role]:
            lines.append(f"{role:12} = {json.dumps(made.roles[role])}")
    if made.name in UNRESTRICTED:
        lines.append(f"unrestricted = {json.dumps(list(UNRESTRICTED[made.name]))}")
    if made.roles["household"]:
        lines.append("keep_household = false  # true: released under new numbers, and the attack on households counts")
    lines += [
        "",
        "[kinds]",
        *(
            f"{column} = {json.dumps(kind)}"
            for column, kind in made.kinds.items()
            if _is_kind_needed(made, column, kind)
        ),
    ]
    lines += [
        "",
        "[hierarchies]",
        *(f"{column} = {_hierarchy_toml(column, given)}" for column, given in made.hierarchies.items()),
    ]
    return "\n".join(lines) + "\n\n" + STEPS.get(made.name, "[require]\nk_anonymity = 2\n") + OUTPUT


def _is_kind_needed(made: Example, column: str, kind: str) -> bool:
    """Whether a kind says more than the type does."""
    type_ = made.frame.schema[column]
    return type_.is_integer() or kind not in ("continuous", "nominal", "date")


def _hierarchy_toml(column: str, given: Any) -> str:
    if "table" in given:
        return f'{{ file = "{column}.hierarchy.csv" }}'
    return to_inline_toml(given)
