"""Write the generated pages: the reference of every room, the list of methods, the commands, the schema of the plan.

    python docs/generate.py

They are made from names, signatures and docstrings alone, so they change exactly when those do; `make test` fails when
a page on disk is not what this script writes.
"""

from __future__ import annotations

import hashlib
import json
import re
import textwrap
import tomllib
from collections.abc import Iterator
from dataclasses import MISSING, asdict, fields, is_dataclass
from html import escape
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from describe import documented, marked_down

import tacit
from tacit.cli.methods import ROOMS as METHOD_ROOMS
from tacit.cli.methods import format_rows, registry_entries, step_lines, to_inline_toml
from tacit.plan import Plan
from tacit.plan.graph import GraphPlan
from tacit.plan.result_schema import JobResult
from tacit.plan.table import TablePlan
from tacit.protect import to_json

DOCS = Path(__file__).parent
SCRIPTS = (DOCS / "generate.py", DOCS / "describe.py")
ROOMS = {
    "release": ("release", "release.read", "release.write", "release.hierarchy", "release.suggest"),
    "examples": ("examples",),
    "claims": ("claims",),
    "risk": ("risk",),
    "models": ("models", "models.integral"),
    "loss": ("loss", "loss.corrected"),
    "protect": ("protect", "protect.rules"),
    "attack": ("attack",),
    "tables": ("tables", "tables.loss"),
    "graphs": ("graphs", "graphs.risk", "graphs.protect", "graphs.synth", "graphs.attack", "graphs.loss"),
    "dp": ("dp", "dp.accounting", "dp.models"),
    "query": ("query",),
    "multiparty": ("multiparty", "multiparty.local_network"),
    "plan": ("plan", "plan.table", "plan.graph"),
    "study": ("study",),
    "report": ("report",),
    "app": ("app",),
    "ground": (
        "errors",
        "result",
        "per_record",
        "progress",
        "seed",
        "json_text",
        "sql_text",
        "toml_text",
        "files",
        "registry",
        "interval",
        "lazy",
    ),
}
"""Page → the modules whose public names it lists, in the order of the tree."""


PROMISES = """\
# What is promised, by what it is checked, and who tried to break it

Each sentence of the pages, the command line and the reports that promises protection carries a mark in its source
(`promise: id`). This page lists them all: the test that checks the promise, the attack that tries to break it, and what the promise does
*not* cover. `make test` fails when a mark has no entry, an entry no mark, or a named test does not exist. The attackers
under `tests/redteam` know only what a public folder and the documentation say; each has a power test, in which a planted leak must be found.
"""
PLANS = {Plan: "plan", TablePlan: "table", GraphPlan: "graph"}
"""The plans that there are, and what the JSON schema of each is called."""

RESULT = {JobResult: "result"}
"""What every job writes, and what its JSON schema is called."""

TWICE = {(TablePlan, "Output"), (GraphPlan, "Output")}
"""Sections that another plan has shown already."""

ALIASES = """\
Words that stand for types in signatures: `Names` is one column name, several, or none; `Seed` a whole number, bytes or
a NumPy `Generator`; `Progress` a function of the step and the share done that may return False to cancel; `Type` one of
integer, number, text, date, datetime, boolean; `Kind` one of continuous, ordinal, nominal, date, code, geographic;
`Role` one of identifier, quasi, confidential, other, weight, household; `Audience` internal or public; `nw` Narwhals,
`pl` Polars, `np` NumPy."""


def pages() -> dict[Path, str]:
    """Every generated file and its text."""
    made = {f"reference/{room}.md": _room(room, modules) for room, modules in ROOMS.items()}
    made["reference/tacit.md"] = _root()
    made["reference/methods.md"] = _methods()
    made["reference/cli.md"] = _commands()
    made["reference/errors.md"] = _codes()
    made["reference/plan.md"] += "".join(_keys(plan) for plan in PLANS)
    made["promises.md"] = _promises()
    made["images/architecture.svg"] = _layers_picture()
    stamped = {DOCS / name: _stamped(text) for name, text in made.items()}
    return stamped | {DOCS / f"{name}.schema.json": _schema(model) for model, name in (PLANS | RESULT).items()}


def _codes() -> str:
    """The codes of errors, notes, refusals and faults, with what they mean."""
    heads = {
        "errors": "Errors: `TacitError.code`, and `error.code` on the error stream of a command with `--json`.",
        "notes": "Notes and warnings: `Note.code`, and `code` in `result.json`.",
        "refusals": "Refusals of a query service: `Refusal.code`, and `code` in its answer.",
        "faults": "Faults of a session between parties: `Fault.code`.",
    }
    listed = tomllib.loads((DOCS.parent / "src/tacit/codes.toml").read_text(encoding="utf-8"))
    parts = ["# Reference: codes\n\nPrograms decide by the code, which stays when the words of a sentence change.\n"]
    for section, head in heads.items():
        rows = "".join(f"| `{code}` | {meaning} |\n" for code, meaning in listed[section].items())
        parts.append(f"\n## {section.capitalize()}\n\n{head}\n\n| code | meaning |\n|---|---|\n{rows}")
    return "".join(parts)


def _layers_picture() -> str:
    """The packages in the layers of the import contract, each with the first sentence of its docstring."""
    contracts = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = next(one["layers"] for one in contracts["contracts"] if one["id"] == "layers")
    width, height, gap = 1120, 58, 8
    rows = [[name.strip(" ()") for name in layer.split("|")] for layer in layers]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {len(rows) * (height + gap)}" role="img">',
        "<title>The packages of Tacit in layers: each imports only what lies below it</title>",
        "<style>rect{fill:#f3f6fa;stroke:#5b6b7d}text{font:14px sans-serif;fill:#1c2733}.name{font-weight:bold}.about{font-size:11px}</style>",
    ]
    for number, row in enumerate(rows):
        top, wide = number * (height + gap), (width - gap * (len(row) - 1)) / len(row)
        for place, name in enumerate(row):
            left, most = place * (wide + gap), int((wide - 24) / 6)
            about = (import_module(f"tacit.{name}").__doc__ or "").strip().split("\n")[0]
            lines = textwrap.wrap(about, most, max_lines=2, placeholder=" …")
            parts.append(f'<rect x="{left:.0f}" y="{top}" width="{wide:.0f}" height="{height}" rx="6"/>')
            parts.append(f'<text class="name" x="{left + 12:.0f}" y="{top + 19}">{name}</text>')
            parts += [
                f'<text class="about" x="{left + 12:.0f}" y="{top + 35 + 14 * line}">{escape(text)}</text>'
                for line, text in enumerate(lines)
            ]
    return "\n".join([*parts, "</svg>", ""])


def _promises() -> str:
    """Every sentence that promises protection, with its check, its attacker, and what breaks it."""
    parts = [PROMISES]
    for page in sorted((DOCS / "promises").glob("*.toml")):
        parts.append(f"\n## {page.stem}\n")
        for one in tomllib.loads(page.read_text(encoding="utf-8"))["promise"]:
            parts.append(f"**{one['sentence']}**  ")
            parts.append(f"`{one['id']}` · check `{one['check']}` · attacked by `{one['attack']}`  ")
            if one.get("not_covered"):
                parts.append(f"*Not covered:* {one['not_covered']}  ")
            parts.append("")
    return "\n".join(parts)


def _stamped(text: str) -> str:
    note = "generated by docs/generate.py from names, signatures and docstrings; edit those, then: make docs"
    return f"<!-- {note}; sha256 {_hash(text)} -->\n{text}"


def _hash(text: str) -> str:
    """Of the scripts and of all that they took from the package, which is the text itself."""
    scripts = "".join(script.read_text(encoding="utf-8") for script in SCRIPTS)
    return hashlib.sha256((scripts + text).encode()).hexdigest()[:16]


def public_names(module: ModuleType) -> list[str]:
    """What a package lists; of a module, the classes and functions that it defines, classes first."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return list(listed)
    own = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]
    return sorted(own, key=lambda name: (name[0].islower(), name))


def _room(room: str, modules: tuple[str, ...]) -> str:
    parts = [f"# Reference: {room}\n"]
    seen: set[int] = set()
    for name in modules:
        module = import_module(f"tacit.{name}")
        listed = [public for public in public_names(module) if id(getattr(module, public)) not in seen]
        seen |= {id(getattr(module, public)) for public in listed}
        if len(modules) > 1:
            parts.append(f"## tacit.{name}\n")
        parts.append(marked_down(module.__doc__ or "") + "\n")
        parts += [documented(module, public) for public in listed]
    return "\n".join(parts)


def _root() -> str:
    """The names at the root, each with its first line and the page that has the rest."""
    lines = ["# Reference: tacit\n", marked_down(tacit.__doc__ or "") + "\n", "| name | what it is |", "|---|---|"]
    for name in tacit.__all__:
        thing = getattr(tacit, name)
        page, anchor = (name, "") if name in ROOMS else _place_of(name)
        first = " ".join(marked_down(thing.__doc__ or "").split("\n\n")[0].split())
        lines.append(f"| [`tacit.{name}`]({page}.md{anchor}) | {first} |")
    return "\n".join(lines) + f"\n\n{ALIASES}\n"


def _place_of(name: str) -> tuple[str, str]:
    """The page that documents a name, and its anchor there: names that differ in case only are numbered."""
    for room, modules in ROOMS.items():
        headings = re.findall(r"^#+ (\S+)$", _room(room, modules), re.MULTILINE)
        if name in headings:
            twins = [heading for heading in headings[: headings.index(name)] if heading.lower() == name.lower()]
            return room, f"#{name.lower()}" + (f"-{len(twins)}" if twins else "")
    raise LookupError(f"{name} is public and on no page")


def _methods() -> str:
    intro = (
        "Every measure, model, masking method, attack, loss and file format, of microdata, tables and networks, as the registries of the packages have them and `tacit methods` lists "
        "them. The tags say what a notion is *about* (identity or "
        "attribute disclosure, or utility), of what *kind* it is, *whose* privacy it serves, what it is *driven* by, "
        "whether it is a property of the data (*syntactic*) or of the mechanism (*semantic*), and whether it is *shown* "
        "empirically or proven. Examples are for the clinic register (`tacit example clinic`)."
    )
    parts = ["# Reference: methods\n", intro + "\n"]
    for room in METHOD_ROOMS:
        parts.append(f"## {room}\n")
        for name, entry in registry_entries(room).items():
            tags = " · ".join(f"{tag} {value}" for tag, value in asdict(entry.tags).items() if value)
            parts.append(f"### {room}: {name}\n")
            parts.append(f"{marked_down(entry.summary)}\n")
            parts.append(_link(room, entry.call))
            parts.append(f"· {tags}\n")
            if entry.use:
                parts.append(f"*Use it when:* {entry.use}\n\n*Avoid it when:* {entry.avoid}\n")
            parts += [*_parameters(entry.call), *_example(room, name, entry)]
    parts.append("## formats\n")
    parts += [f"### formats: {row['name']}\n\n{row['summary']}.\n" for row in format_rows()]
    return "\n".join(parts)


def _link(room: str, call: Any) -> str:
    """Where an entry is described; one of another distribution has no page here."""
    if not call.__module__.startswith("tacit."):
        return f"`{call.__module__}.{call.__name__}`"
    inside = {"tables": "tables.loss", "graphs.protect": "graphs"}
    home = room if hasattr(import_module(f"tacit.{room}"), call.__name__) else inside[room]
    return f"[`tacit.{home}.{call.__name__}`]({room.split('.')[0]}.md#{call.__name__.lower()})"


def _parameters(call: Any) -> Iterator[str]:
    if not is_dataclass(call) or not fields(call):
        return
    yield "| parameter | type | default |\n|---|---|---|"
    for field in fields(call):
        default = "**required**" if field.default is MISSING and field.default_factory is MISSING else "none"
        if field.default not in (MISSING, None):
            default = f"`{field.default!r}`"
        kind = str(field.type).replace("|", "\\|")
        yield f"| `{field.name}` | `{kind}` | {default} |"
    yield ""


def _example(room: str, name: str, entry: Any) -> Iterator[str]:
    """How it stands in a plan; measures are taken by every run and have no line of their own."""
    if room == "tables" and entry.tags.kind == "model":
        lines = step_lines("rule", {"method": name, **entry.example})
    elif room in ("protect", "attack"):
        given = to_json(entry.call(**entry.example)) if room == "protect" else {"method": name, **entry.example}
        lines = step_lines(room, given)
    elif room == "models":
        first = entry.parameters[0]
        given = entry.example[first] if list(entry.example) == [first] else entry.example
        lines = ["[require]", f"{name} = {to_inline_toml(given)}"]
    else:
        return
    yield "\n".join(["```toml", *lines, "```", ""])


def _commands() -> str:
    """The commands with their help, from the command line's own objects."""
    from typer.main import get_command

    from tacit.cli.app import app

    parts = ["# Reference: the command line\n", f"{app.info.help}\n"]
    for name, command in _leaves(get_command(app)):
        said = "\n\n".join(" ".join(part.split()) for part in command.help.split("\n\n") if "Example:" not in part)
        example = command.help.partition("Example:")[2].split("·")
        parts += [f"## tacit {name}\n", said + "\n", "```sh", *(line.strip() for line in example), "```\n"]
        parts += ["| argument or option | what it is | default |", "|---|---|---|"]
        parts += [_option(parameter) for parameter in command.params if parameter.name != "help"] + [""]
    return "\n".join(parts)


def _leaves(group: Any, above: str = "") -> Iterator[tuple[str, Any]]:
    """Every command with the words that call it."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _leaves(command, f"{above}{name} ")
        else:
            yield f"{above}{name}", command


def _option(parameter: Any) -> str:
    is_argument = parameter.param_type_name == "argument"
    name = parameter.name.upper() if is_argument else parameter.opts[0]
    default = "**required**" if parameter.required else f"`{parameter.default}`"
    if parameter.default is None or parameter.default == [] or isinstance(parameter.default, bool):
        default = default if parameter.required else ""
    return f"| `{name}` | {parameter.help or ''} | {default} |"


def _keys(plan: Any) -> str:
    """The sections and keys of a plan as tables."""
    schema = plan.model_json_schema()
    file, top = f"{PLANS[plan]}.schema.json", f"the top of the file, plans about {plan.NOUN}"
    parts = [
        f"## Sections and keys of a plan about {plan.NOUN}\n",
        f"The same as a JSON schema: [{file}](../{file}).\n",
    ]
    sections = {name: section for name, section in schema["$defs"].items() if (plan, name) not in TWICE}
    for name, section in {top: schema, **sections}.items():
        parts += [
            f"### {name}\n",
            f"{section.get('description', '')}\n",
            "| key | type | default | meaning |",
            "|---|---|---|---|",
        ]
        for key, value in section["properties"].items():
            default = "**required**" if key in section.get("required", ()) else f"`{json.dumps(value.get('default'))}`"
            meaning = value.get("description", "").replace("|", "\\|")
            parts.append(f"| `{key}` | {_type(value)} | {default} | {meaning} |")
        parts.append("")
    return "\n".join(parts)


def _type(value: dict[str, Any]) -> str:
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in value:
        return " or ".join(_type(choice) for choice in value["anyOf"] if choice.get("type") != "null")
    if "enum" in value or "const" in value:
        return ", ".join(f"`{choice}`" for choice in value.get("enum", [value.get("const")]))
    inner = f" of {_type(value['items'])}" if value.get("type") == "array" else ""
    return {"array": "list", "object": "table", "string": "text"}.get(
        value.get("type", ""), value.get("type", "any")
    ) + inner


def _schema(model: Any) -> str:
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **model.model_json_schema()}
    note = f"generated by docs/generate.py; sha256 {_hash(json.dumps(schema))}"
    return json.dumps({"$comment": note, **schema}, ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    for path, text in pages().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
