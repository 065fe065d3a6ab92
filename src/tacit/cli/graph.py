"""``tacit graph``: audit, protect, attack and make networks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Columns, Encoding, Json, OutFolder, ReleaseSeed, Separator, Strict, parse_values, split_names
from .terminal import print_json, print_outcome, progress_bar, run_job

if TYPE_CHECKING:
    import numpy as np

    from ..attack.runner import AttackResult
    from ..graphs.attack.attack import GraphAttack
    from ..graphs.attack.scenario import KnownLinks
    from ..graphs.graph import Graph
    from ..graphs.masked import MaskedGraph


graph = typer.Typer(no_args_is_help=True, help="Audit, protect and attack networks, and make synthetic ones.")

Nodes = Annotated[Path | None, typer.Option(help="The file of nodes, one row each, with their attributes.")]
Label = Annotated[str | None, typer.Option(help="Its column of labels; the first when absent.")]
Ends = Annotated[Columns, typer.Option(help="The two columns of an edge list; source,target when absent.")]
Directed = Annotated[
    bool | None,
    typer.Option("--directed/--undirected", help="As the file says, and an edge list undirected, when absent."),
]
Quasi = Annotated[Columns, typer.Option(help="Attributes that an intruder may know; commas or repeated.")]
Structure = Annotated[
    str, typer.Option(help="What the intruder knows of links: nothing, degree, neighbours or network.")
]
Wrong = Annotated[float, typer.Option(help="The share of the edges of the intruder's picture that are wrong.")]
Seed = Annotated[str | None, typer.Option(help="Makes what is drawn repeatable: a number, or the text of seed.txt.")]


@graph.command()
def audit(
    file: Annotated[Path, typer.Argument(help="The edges: csv, tsv, parquet, arrow, xlsx … or graphml.")],
    nodes: Nodes = None,
    label: Label = None,
    ends: Ends = None,
    directed: Directed = None,
    separator: Separator = None,
    encoding: Encoding = "utf-8",
    quasi: Quasi = None,
    structure: Structure = "network",
    wrong: Wrong = 0.0,
    seed: Seed = "0",
    as_json: Json = False,
) -> None:
    """Say how much a network tells of its people when only their names are taken away.

    Exit code 0: nobody has one candidate only. 1: somebody has. 2: a mistake.

    Example:  tacit graph audit edges.csv --nodes people.csv --quasi age,town --structure degree
    """
    from ..plan.graph.audit import audit_graph

    reading = {"separator": separator, "encoding": encoding}
    held = _read_graph(file, nodes=nodes, label=label, ends=ends, directed=directed, quasi=quasi, **reading)
    with progress_bar() as progress:
        found = audit_graph(
            held, structure=_check_structure(structure), seed=_choose_seed(seed), wrong=wrong, progress=progress
        )
    if as_json:
        print_json(found.as_json())
    else:
        print(found)
    raise typer.Exit(1 if found.singled_out else 0)


@graph.command()
def protect(
    plan: Annotated[Path, typer.Argument(help="The plan file (TOML) with a section [graph].")],
    out: OutFolder = None,
    seed: ReleaseSeed = None,
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Protect a network, attack the result, and publish it if every requirement is met.

    Exit code 0: published. 1: a requirement is not met, or the run is strict and something is not covered; nothing is
    published. 2: a mistake in plan or data.

    Example:  tacit graph protect plan.toml --out out
    """
    from ..plan.graph import load_graph_plan, protect_graph

    outcome, placed = run_job(load_graph_plan(plan), protect_graph, out, seed=seed, strict=strict)
    print_outcome(outcome, placed, as_json=as_json)
    raise typer.Exit(0 if outcome.passes else 1)


@graph.command()
def attack(
    masked: Annotated[Path, typer.Argument(help="The released edges.")],
    original: Annotated[Path, typer.Option(help="The original edges: what the intruder knows.")],
    lineage: Annotated[Path, typer.Option(help="Which node is which (internal/lineage.parquet): for the judge alone.")],
    masked_nodes: Annotated[Path | None, typer.Option(help="The released nodes.")] = None,
    nodes: Nodes = None,
    label: Label = None,
    ends: Ends = None,
    directed: Directed = None,
    separator: Separator = None,
    encoding: Encoding = "utf-8",
    quasi: Quasi = None,
    structure: Structure = "network",
    method: Annotated[Columns, typer.Option(help="Make these attacks only; commas or repeated.")] = None,
    targets: Annotated[
        Columns, typer.Option(help="Look for these labels of --original only: the circle of group.")
    ] = None,
    members: Annotated[Columns, typer.Option(help="Labels of those who join in the attack coalition.")] = None,
    wrong: Wrong = 0.0,
    seeds: Annotated[
        str, typer.Option(help="People whom the intruder knows: a share, hubs=6, random=6, or labels of --original.")
    ] = "0",
    at_most: Annotated[float | None, typer.Option(help="The most that may be found, as a share.")] = None,
    seed: Seed = "0",
    as_json: Json = False,
) -> None:
    """Attack a released network with what is known of the original, and judge who is found.

    People whom the intruder knows, or wrong edges, are drawn several times, and the worst draw counts. Exit code 0: done,
    and --at-most holds for the upper end of every interval. 1: it does not. 2: a mistake.

    Example:  tacit graph attack out/public/network/edges.csv --original edges.csv --lineage out/internal/lineage.parquet
    """
    from ..graphs.files import read_graph, read_lineage
    from ..plan.graph.intruder import attacks_of
    from ..plan.graph.people import numbers_of

    reading = {"separator": separator, "encoding": encoding}
    before = _read_graph(original, nodes=nodes, label=label, ends=ends, directed=directed, quasi=quasi, **reading)
    released = read_graph(masked, nodes=masked_nodes, directed=before.directed)
    people = read_lineage(lineage, released=released.size, original=before.size)
    attacks = _add_coalition(attacks_of(_check_structure(structure), []), split_names(members), before)
    knows = {
        "targets": numbers_of(split_names(targets), before, "--targets") if targets else None,
        "seeds": _known_links(seeds, before, people),
        "wrong": wrong,
    }
    found = _attack_repeatedly(
        released, before, people, _select_attacks(attacks, split_names(method)), knows, seed=_choose_seed(seed)
    )
    if as_json:
        print_json([one.as_json() for one in found])
    else:
        print(_format_attacks(found))
    worst = max((one.result.worst_case for one in found if one.result is not None), default=0.0)
    raise typer.Exit(1 if at_most is not None and worst > at_most else 0)


@graph.command()
def synth(
    method: Annotated[str, typer.Argument(help="The generator: degree_sequence or spatial.")],
    out: Annotated[Path, typer.Option(help="The file of edges to write: csv, tsv, parquet, arrow or graphml.")],
    nodes: Annotated[Path | None, typer.Option(help="The file of nodes to write, where nodes have places.")] = None,
    like: Annotated[Path | None, typer.Option(help="A network whose degrees are taken: its file of edges.")] = None,
    separator: Separator = None,
    encoding: Encoding = "utf-8",
    parameter: Annotated[
        Columns, typer.Option("--set", help="NAME=VALUE of the generator, e.g. --set 'degrees=[3,2,2,1]' (JSON).")
    ] = None,
    seed: Seed = None,
    as_json: Json = False,
) -> None:
    """Make a network of people who do not exist, for given degrees or on a map.

    Exit code 0: written. 2: a mistake.

    Example:  tacit graph synth degree_sequence --like edges.csv --out synthetic.csv
    """
    from ..graphs.files import write_graph

    source = None if like is None else _read_graph(like, separator=separator, encoding=encoding)
    made_by = _make_generator(method, parse_values(parameter, "--set") or {}, source)
    with progress_bar() as progress:
        made = made_by.generate(seed=_choose_seed(seed), progress=progress)
    # All nodes are invented: their order tells of nobody.
    write_graph(made, out, nodes=nodes, order="kept")
    if as_json:
        print_json([step.as_json(public=True) for step in made.trace])
    else:
        print(_format_made(made))


def _read_graph(file: Path, **given: Any) -> Graph:
    """The network of the options."""
    from ..graphs.build import with_roles
    from ..graphs.files import read_graph

    quasi = split_names(given.pop("quasi", None))
    ends = split_names(given.pop("ends", None))
    found = read_graph(file, ends=tuple(ends) if ends else None, **given)  # type: ignore[arg-type]
    return with_roles(found, quasi=quasi, missing="own") if quasi else found


def _check_structure(given: str) -> str:
    from ..errors import TacitError, suggest_alternative
    from ..plan.graph.intruder import REACH

    if given not in REACH:
        raise TacitError(
            f"--structure {given!r} is unknown", code="unknown_name", fix=suggest_alternative(given, list(REACH))
        )
    return given


def _choose_seed(text: str | None) -> int | bytes:
    from ..seed import read_seed, secret_seed

    return secret_seed() if text is None else read_seed(text)


def _attack_repeatedly(
    released: Graph,
    original: Graph,
    people: np.ndarray,
    attacks: Mapping[str, GraphAttack],
    knows: Mapping[str, Any],
    *,
    seed: int | bytes,
) -> Sequence[AttackResult]:
    """The worst of several runs where what the intruder knows is drawn, else of one."""
    from ..graphs.attack.reidentify import attacked_nodes, worst_runs
    from ..graphs.attack.scenario import is_drawn, knowledge_of
    from ..plan.graph.attack_run import RUNS
    from ..seed import child_seed

    runs = []
    with progress_bar() as progress:
        for run in range(RUNS if is_drawn(knows["seeds"], knows["wrong"]) else 1):
            known = knowledge_of(original, people, seed=child_seed(seed, "intruder", run), **knows)
            drawn = child_seed(seed, "attacks", run)
            runs.append(attacked_nodes(released, known, people, attacks, seed=drawn, progress=progress))
    return worst_runs(runs)


def _select_attacks(attacks: Mapping[str, GraphAttack], names: Collection[str]) -> dict[str, GraphAttack]:
    """The named attacks, or all."""
    from ..errors import TacitError, suggest_alternative

    unknown = next((name for name in names if name not in attacks), None)
    if unknown is not None:
        raise TacitError(
            f"no attack of such an intruder is called {unknown!r}",
            code="invalid_parameter",
            fix=suggest_alternative(unknown, list(attacks)),
        )
    return {name: one for name, one in attacks.items() if not names or name in names}


def _add_coalition(
    attacks: Mapping[str, GraphAttack], members: Sequence[str], original: Graph
) -> Mapping[str, GraphAttack]:
    """The attacks with the coalition of those who joined in it, if anybody did."""
    from ..errors import TacitError
    from ..graphs.attack.coalition import Coalition
    from ..plan.graph.people import numbers_of

    if not members:
        return attacks
    if "coalition" not in attacks:
        raise TacitError(
            "a coalition knows the network around itself",
            code="invalid_parameter",
            fix="--structure network, or no --members",
        )
    return {**attacks, "coalition": Coalition(members=tuple(numbers_of(members, original, "--members").tolist()))}


def _known_links(text: str, original: Graph, people: np.ndarray) -> KnownLinks:
    """The people whom ``--seeds`` says that the intruder knows: a share, hubs=6, random=6, or labels."""
    from ..graphs.attack.scenario import check_seeds, pairs_of
    from ..plan.graph.people import numbers_of

    kind, equals, count = text.partition("=")
    if equals and kind in ("hubs", "random") and count.isdecimal():
        links: KnownLinks = {kind: int(count)}
        check_seeds(links)
        return links
    try:
        share = float(text)
    except ValueError:
        return pairs_of(numbers_of(text.split(","), original, "--seeds"), people)
    check_seeds(share)
    return share


def _format_attacks(found: Sequence[AttackResult]) -> str:
    """A line for each attack: the share found with its interval beside guessing, or why it was not made."""
    lines = []
    for one in found:
        if one.result is None:
            lines.append(f"{one.name:<12}  not made: {one.why_not}")
            continue
        low, high = one.result.interval or (one.result.value, one.result.value)
        baseline = one.result.facts.get("baseline")
        guess = f", guessing {baseline:.2%}" if isinstance(baseline, float) else ""
        alone = f"; {one.result.facts['share unique']:.1%} have one candidate"
        lines.append(
            f"{one.name:<12}  finds {one.result.value:.1%} (95 % interval {low:.1%} to {high:.1%}){guess}{alone}"
        )
    return "\n".join(lines)


def _make_generator(name: str, given: Mapping[str, Any], like: Graph | None) -> Any:
    """The generator with its parameters; ``like`` gives it the degrees of a network."""
    from ..errors import TacitError, suggest_alternative
    from ..graphs.synth import ALL, degree_counts
    from ..registry import build_from_params

    if name not in ALL:
        raise TacitError(
            f"the generator {name!r} is unknown", code="unknown_name", fix=suggest_alternative(name, list(ALL))
        )
    parameters = {key: _lists_to_tuples(value) for key, value in given.items()}
    if like is not None:
        if "degrees" in parameters:
            raise TacitError(
                "degrees come from --like and from --set", code="invalid_parameter", fix="give one of them"
            )
        parameters["degrees"] = degree_counts(like)
    return build_from_params(name, ALL[name].call, parameters)


def _lists_to_tuples(value: Any) -> Any:
    """Lists as tuples, all the way down, because parameters never change."""
    if isinstance(value, Mapping):
        return {key: _lists_to_tuples(part) for key, part in value.items()}
    return tuple(_lists_to_tuples(part) for part in value) if isinstance(value, list) else value


def _format_made(made: MaskedGraph) -> str:
    """What was made, and what it keeps and does not."""
    from ..result import format_fact

    facts = {name: finding.value for step in made.trace for name, finding in step.outcome.items()}
    return "\n".join(f"{name:<18}  {format_fact(value)}" for name, value in facts.items() if value not in ({}, None))
