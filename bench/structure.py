"""The bars of the code's structure: files, names, single importers, import cycles, long functions, doctests.

    python bench/structure.py [--quick]

The figures are counted from the syntax trees of ``src/tacit``: a module has one importer when exactly one module that is not a
package's ``__init__`` imports it; a name is one word when it has no underscore inside; a cycle counts imports inside functions.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
from bars import ROOT, Bars

SOURCE = ROOT / "src" / "tacit"
LONGEST = 60
"""Lines of a function without its docstring."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def module_name(path: Path) -> str:
    """The dotted name of a file.

    >>> module_name(SOURCE / "risk" / "__init__.py")
    'tacit.risk'
    """
    parts = ("tacit", *path.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(path: Path, tree: ast.Module, modules: dict[str, Path]) -> Iterator[str]:
    """The modules of the package that a file imports anywhere, also inside functions."""
    here = module_name(path).split(".")
    package = here if path.name == "__init__.py" else here[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            stem = ".".join([*base, *(node.module.split(".") if node.module else [])])
            for alias in node.names:
                yield from [name for name in (f"{stem}.{alias.name}", stem) if name in modules][:1]


def is_long(function: ast.AST) -> bool:
    """Whether a function has more lines than allowed, its docstring not counted."""
    assert isinstance(function, FUNCTIONS) and function.end_lineno is not None
    docstring = ast.get_docstring(function, clean=False)
    return function.end_lineno - function.lineno + 1 - (docstring.count("\n") + 1 if docstring else 0) > LONGEST


def check(bars: Bars) -> None:
    """Count, and compare with the bars."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}
    trees = {path: ast.parse(text) for path, text in texts.items()}
    modules = {module_name(path): path for path in trees}
    importers, graph = defaultdict(set), nx.DiGraph()
    for path, tree in trees.items():
        for target in imported_modules(path, tree, modules):
            if target != module_name(path):
                graph.add_edge(module_name(path), target)
                if path.name != "__init__.py":
                    importers[target].add(path)
    functions = [node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, FUNCTIONS)]
    names = [node.name.strip("_") for node in functions if not node.name.startswith("__")]
    lines = sum(text.count("\n") for text in texts.values())
    doctests = sum(line.lstrip().startswith(">>> ") for text in texts.values() for line in text.splitlines())
    single = sum(len(found) == 1 and modules[name].name != "__init__.py" for name, found in importers.items())
    listed = sum("\n__all__ = " in text for path, text in texts.items() if path.name != "__init__.py")
    bars.at_most("source files", sum(bool(text.strip()) for text in texts.values()), 1000, at_scale=True, before=1501)
    bars.at_most("source lines", lines, 126_000, at_scale=True, before=139_046)
    bars.at_most("modules with one importer", single, 120, at_scale=True, before=515)
    bars.at_most(
        "one-word function names, %",
        100 * sum("_" not in name for name in names) / len(names),
        45,
        at_scale=True,
        before=77,
    )
    bars.at_most("functions over 60 lines", sum(is_long(node) for node in functions), 0, at_scale=True, before=5)
    largest = max(len(knot) for knot in nx.strongly_connected_components(graph))
    bars.at_most("largest import cycle, inner imports counted", largest, 1, at_scale=True, before=17)
    bars.at_least("doctest lines per 1,000", 1000 * doctests / lines, 25, at_scale=True, before=12)
    bars.at_most("lists of public names outside packages", listed, 0, at_scale=True, before=1391)


if __name__ == "__main__":
    every = Bars("structure", __doc__ or "")
    check(every)
    every.end()
