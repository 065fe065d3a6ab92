"""``tacit graph``: audit, protect, attack and make networks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Columns, Encoding, Json, Separator, Strict, parse_values, split_names

if TYPE_CHECKING:
    from ..graphs.graph import Graph


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
    from ..seed import read_seed, secret_seed
    from .job import progress_bar

    reading = {"separator": separator, "encoding": encoding}
    held = _read_graph(file, nodes=nodes, label=label, ends=ends, directed=directed, quasi=quasi, **reading)
    key = secret_seed() if seed is None else read_seed(seed)
    with progress_bar() as progress:
        found = audit_graph(held, structure=_check_structure(structure), seed=key, wrong=wrong, progress=progress)
    print(json.dumps(found.as_json(), ensure_ascii=False, indent=2, default=str) if as_json else found)
    raise typer.Exit(1 if found.singled_out else 0)


@graph.command()
def protect(
    plan: Annotated[Path, typer.Argument(help="The plan file (TOML) with a section [graph].")],
    out: Annotated[Path | None, typer.Option(help="Folder for public/ and internal/; wins over [output].")] = None,
    seed: Annotated[
        str | None,
        typer.Option(help="Make the run repeatable (a number, or the text of seed.txt); not for publication then."),
    ] = None,
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Protect a network, attack the result, and publish it if every requirement is met.

    Exit code 0: published. 1: a requirement is not met, or the run is strict and something is not covered; nothing is
    published. 2: a mistake in plan or data.

    Example:  tacit graph protect plan.toml --out out
    """
    from ..plan.graph import load_graph_plan
    from ..report.graph_folder import released_graph
    from ..report.graph_statement import graph_summary
    from ..seed import read_seed
    from .job import placed_text, progress_bar

    loaded = load_graph_plan(plan)
    target = out if out is not None else loaded.folder / loaded.plan.output.directory
    chosen = None if seed is None else read_seed(seed)
    with progress_bar() as progress:
        outcome, placed = released_graph(loaded, target, seed=chosen, strict=strict, progress=progress)
    if as_json:
        print(json.dumps(outcome.as_json() | placed.as_json(), ensure_ascii=False, indent=2, default=str))
    else:
        print(graph_summary(outcome))
        print("\n" + placed_text(placed))
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
    from ..graphs.attack.reidentify import attacked_nodes, worst_runs
    from ..graphs.attack.scenario import is_drawn, knowledge_of
    from ..graphs.files import read_graph, read_lineage
    from ..plan.graph.attack_run import RUNS
    from ..plan.graph.intruder import attacks_of
    from ..plan.graph.people import numbers_of
    from ..seed import child_seed, read_seed, secret_seed
    from .graph_output import add_coalition, attacks_text, known_links, select_attacks
    from .job import progress_bar

    reading = {"separator": separator, "encoding": encoding}
    before = _read_graph(original, nodes=nodes, label=label, ends=ends, directed=directed, quasi=quasi, **reading)
    released = read_graph(masked, nodes=masked_nodes, directed=before.directed)
    people = read_lineage(lineage, released=released.size, original=before.size)
    key = secret_seed() if seed is None else read_seed(seed)
    attacks = select_attacks(
        add_coalition(attacks_of(_check_structure(structure), []), split_names(members), before), split_names(method)
    )
    sought = numbers_of(split_names(targets), before, "--targets") if targets else None
    links = known_links(seeds, before, people)
    runs = []
    with progress_bar() as progress:
        for run in range(RUNS if is_drawn(links, wrong) else 1):
            drawn = child_seed(key, "intruder", run)
            known = knowledge_of(before, people, targets=sought, wrong=wrong, seeds=links, seed=drawn)
            seed_of_run = child_seed(key, "attacks", run)
            runs.append(attacked_nodes(released, known, people, attacks, seed=seed_of_run, progress=progress))
    found = worst_runs(runs)
    print(
        json.dumps([one.as_json() for one in found], ensure_ascii=False, indent=2, default=str)
        if as_json
        else attacks_text(found)
    )
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
    from ..seed import read_seed, secret_seed
    from .graph_output import generator_of, made_text
    from .job import progress_bar

    source = None if like is None else _read_graph(like, separator=separator, encoding=encoding)
    made_by = generator_of(method, parse_values(parameter, "--set") or {}, source)
    with progress_bar() as progress:
        made = made_by.made(seed=secret_seed() if seed is None else read_seed(seed), progress=progress)
    # All nodes are invented: their order tells of nobody.
    write_graph(made, out, nodes=nodes, order="kept")
    if as_json:
        print(json.dumps([step.as_json(public=True) for step in made.trace], ensure_ascii=False, indent=2, default=str))
    else:
        print(made_text(made))


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
        raise TacitError(f"--structure {given!r} is unknown", fix=suggest_alternative(given, list(REACH)))
    return given


def add(app: typer.Typer) -> None:
    """Put the commands into the list."""
    app.add_typer(graph, name="graph")
