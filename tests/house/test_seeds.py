"""A missing seed is never a public constant: no number in the sources is a seed, except one for what protects nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import tacit

SOURCE = Path(tacit.__file__).parent
TREES = {path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text()) for path in sorted(SOURCE.rglob("*.py"))}
SEEDED = {
    "make_generator",
    "child_seed",
    "default_rng",
    "Generator",
    "Philox",
    "PCG64",
    "RandomState",
    "draw_rows",
    "keyed_bytes",
}
"""Functions whose first argument is a seed."""
PROTECTING = ("protect/", "dp/", "multiparty/", "query/", "tables/", "graphs/protect/")
"""What masks, adds noise or computes in secret."""
DUMMY_DATA = "query/startup.py"
"""It invents the data of a dry run from the public seed: they are nobody's."""


def names_seed(text: str | None) -> bool:
    return text is not None and text.lower().endswith(("seed", "random_state"))


def is_literal(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | bytes) and not isinstance(node.value, bool)


def literal_seeds(tree: ast.AST) -> Iterator[int]:
    """The lines on which a number or bytes stand for a seed."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
            first = called in SEEDED and node.args and is_literal(node.args[0])
            if first or any(names_seed(word.arg) and is_literal(word.value) for word in node.keywords):
                yield node.lineno
        elif isinstance(node, ast.IfExp):
            asked = {name.id for name in ast.walk(node.test) if isinstance(name, ast.Name)}
            if any(map(names_seed, asked)) and (is_literal(node.body) or is_literal(node.orelse)):
                yield node.lineno
        elif isinstance(node, ast.BoolOp):
            if names_seed(ast.unparse(node.values[0])) and is_literal(node.values[-1]):
                yield node.lineno
        elif isinstance(node, ast.arguments):
            plain = [*node.posonlyargs, *node.args]
            pairs = [
                *zip(plain[len(plain) - len(node.defaults) :], node.defaults, strict=True),
                *zip(node.kwonlyargs, node.kw_defaults, strict=True),
            ]
            yield from (arg.lineno for arg, default in pairs if names_seed(arg.arg) and is_literal(default))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if is_literal(node.value) and any(names_seed(ast.unparse(target)) for target in targets):
                yield node.lineno


@pytest.mark.parametrize(
    "code",
    [
        "rng = make_generator(0 if seed is None else seed)",
        "rng = np.random.default_rng(0)",
        "fit(random_state=0)",
        "def draw(x, *, seed: int = 0): ...",
        "def draw(seed=7): ...",
        "draw(seed or 0)",
        "key = child_seed(b'public', 'part')",
        "THE_SEED = 3",
    ],
)
def test_a_literal_seed_is_noticed(code):
    assert list(literal_seeds(ast.parse(code)))


def test_no_number_in_the_sources_is_a_seed():
    found = {(name, line) for name, tree in TREES.items() for line in literal_seeds(tree)}
    assert {name for name, _ in found} == {"seed.py"}, found
    assert len(found) == 1, "the default seed has one home"


def test_nothing_that_protects_uses_the_public_default():
    users = {
        name
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and {one.name for one in node.names} & {"DEFAULT_SEED", "seed_or_default"}
    }
    assert users, "attacks and losses use it"
    assert {name for name in users if name.startswith(PROTECTING)} == {DUMMY_DATA}
