"""``tacit rules``: mine transactions, and hide what nobody is to mine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Columns, Json, ReleaseSeed, parse_pairs, parse_values, split_names
from .terminal import print_json, print_outcome, run_job

if TYPE_CHECKING:
    from ..protect.rules.problem import HidingMethod


rules = typer.Typer(no_args_is_help=True, help="Mine transactions, and hide item-sets and rules in them.")

SHOWN = 40
"""Patterns that are printed; --out has them all."""
File = Annotated[
    Path, typer.Argument(help="Transactions: .basket, .dat or .spmf lines, or a table (csv, parquet, xlsx …).")
]
FormOption = Annotated[
    str | None,
    typer.Option("--form", help="How a table holds them: long (transaction, item), list, binary (0 and 1) or table."),
]
Chosen = Annotated[Columns, typer.Option("--columns", help="The columns to read; commas or repeated.")]
Between = Annotated[str, typer.Option("--separator", help="What stands between the items of a list column.")]
Support = Annotated[
    str, typer.Option("--minsup", help="From when on a set is frequent: a share (0.05) or a number (50).")
]
Confidence = Annotated[float | None, typer.Option("--minconf", help="The least confidence of a rule, e.g. 0.6.")]


@rules.command()
def mine(
    file: File,
    minsup: Support,
    minconf: Confidence = None,
    form: FormOption = None,
    columns: Chosen = None,
    separator: Between = ";",
    cut: Annotated[
        Columns, typer.Option("--cut", help="COLUMN=[NUMBERS] of a table, e.g. --cut 'age=[30,50]'; repeated.")
    ] = None,
    largest: Annotated[int | None, typer.Option(help="The most items in a set.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write all patterns to this table (csv, parquet …).")] = None,
    as_json: Json = False,
) -> None:
    """List the frequent item-sets of a file of transactions, or its rules when a confidence is given.

    Exit code 0: done. 2: a mistake.

    Example:  tacit rules mine shop.basket --minsup 0.02 --minconf 0.6
    """
    from ..protect.rules import frequent, read_baskets
    from ..protect.rules import rules as mined_rules
    from ..release.files import save

    cuts, chosen = parse_values(cut, "--cut") or None, split_names(columns) or None
    held = read_baskets(file, form=form, columns=chosen, separator=separator, cuts=cuts)  # type: ignore[arg-type]
    least = _parse_support(minsup)
    found: Any = (
        frequent(held, minsup=least, largest=largest)
        if minconf is None
        else mined_rules(held, minsup=least, minconf=minconf, largest=largest)
    )
    frame = found.frame()
    if out is not None:
        save(frame, out, replace=False)
    if as_json:
        print_json({"transactions": held.size, "patterns": frame.to_dicts()})
        return
    print(repr(held) + (f", {held.doubled:,} repeated items counted once" if held.doubled else ""))
    name = frame.columns[0]
    for row in frame.sort("support", name, descending=[True, False]).head(SHOWN).to_dicts():
        more = f"  confidence {row['confidence']:.3g}  lift {row['lift']:.3g}" if "confidence" in row else ""
        print(f"{row['support']:>8,}  {row[name]}{more}")
    print(
        f"{frame.height:,} {'sets' if minconf is None else 'rules'}"
        + (f", the first {SHOWN} shown" if frame.height > SHOWN else "")
    )


Sensitive = Annotated[Columns, typer.Option(help="A set 'bread, milk' or a rule 'bread -> milk' to hide; repeated.")]
SensitiveFile = Annotated[Path | None, typer.Option(help="A text file with one of them a line.")]
Method = Annotated[str, typer.Option(help="exact, border, sliding_window, min_fia or max_fia.")]
MethodOptions = Annotated[
    Columns, typer.Option("--set", help="NAME=VALUE of the method, e.g. --set keep=none --set window=1000.")
]
Blocked = Annotated[bool, typer.Option("--block", help="Mark items as unknown (?) instead of taking them out.")]
Decoys = Annotated[float, typer.Option(help="Marks in transactions without the item, for each mark.")]
Psi = Annotated[
    float | None,
    typer.Option(help="Leave this share of each pattern's support, whatever the threshold; 0 leaves none."),
]
Margin = Annotated[float, typer.Option(help="How far below its threshold each pattern falls, as a share of it.")]
Spread = Annotated[float, typer.Option(help="The same, drawn for each pattern from 0 to this share.")]
Required = Annotated[
    Columns, typer.Option(help="NAME=MOST of hiding_failure (0), lost, ghost, dissimilarity, pile_up; repeated.")
]


@rules.command()
def hide(
    file: File,
    minsup: Support,
    out: Annotated[Path, typer.Option(help="Folder for public/ and internal/.")],
    sensitive: Sensitive = None,
    sensitive_file: SensitiveFile = None,
    minconf: Confidence = None,
    method: Method = "exact",
    option: MethodOptions = None,
    block: Blocked = False,
    decoys: Decoys = 1.0,
    psi: Psi = None,
    margin: Margin = 0.0,
    spread: Spread = 0.0,
    require: Required = None,
    form: FormOption = None,
    columns: Chosen = None,
    separator: Between = ";",
    seed: ReleaseSeed = None,
    as_json: Json = False,
) -> None:
    """Hide item-sets and rules in a file of transactions, mine it again by another miner, and publish it if they are gone.

    The transactions are published in random order under new numbers. Exit code 0: published. 1: a requirement does not
    hold, nothing is published. 2: a mistake.

    Example:  tacit rules hide shop.basket --minsup 0.02 --sensitive 'bread, milk' --out out
    """
    from ..plan.rules_job import RulesPlan, hide_patterns

    steps = {
        "method": method, "set": option, "block": block, "decoys": decoys, "psi": psi, "margin": margin, "spread": spread,
        "form": form, "columns": columns, "separator": separator,
    }  # fmt: skip
    plan = RulesPlan(
        file=file,
        output_folder=out,
        sensitive=_named_patterns(sensitive, sensitive_file),
        minsup=_parse_support(minsup),
        minconf=minconf,
        method=_make_method(method, parse_values(option, "--set"), block=block, decoys=decoys),
        psi=psi,
        margin=margin,
        spread=spread,
        require={name: float(most) for name, most in parse_pairs(require, "--require").items()},
        form=form,  # type: ignore[arg-type]  # the reader refuses what it does not know
        columns=tuple(split_names(columns)),
        separator=separator,
        more_inputs=() if sensitive_file is None else (sensitive_file,),
        steps=steps,
    )
    outcome, placed = run_job(plan, hide_patterns, out, seed=seed)
    print_outcome(outcome, placed, as_json=as_json)
    raise typer.Exit(0 if outcome.passes else 1)


def _named_patterns(sensitive: Columns, file: Path | None) -> tuple[str, ...]:
    """The sensitive patterns of the command line and of a file."""
    from ..errors import TacitError

    named = [*(sensitive or ()), *_read_lines(file)]
    if not named:
        raise TacitError(
            "no sensitive pattern is named",
            code="missing_parameter",
            fix="e.g. --sensitive 'bread, milk' or --sensitive 'a -> b'",
        )
    return tuple(named)


def _parse_support(text: str) -> float:
    from ..errors import TacitError

    try:
        return int(text) if text.strip().lstrip("+-").isdigit() else float(text)
    except ValueError:
        raise TacitError(
            f"--minsup {text!r} is no number", code="wrong_kind", fix="a share such as 0.05, or a number such as 50"
        ) from None


def _read_lines(file: Path | None) -> list[str]:
    from ..files import check_source_path

    return (
        []
        if file is None
        else [line for line in check_source_path(file).read_text(encoding="utf-8").splitlines() if line.strip()]
    )


def _make_method(name: str, given: dict[str, Any], *, block: bool, decoys: float) -> HidingMethod:
    from ..errors import TacitError, suggest_alternative
    from ..protect.rules import Block, Border, Exact, MaxFia, MinFia, SlidingWindow
    from ..registry import build_from_params

    known = {"exact": Exact, "border": Border, "sliding_window": SlidingWindow, "min_fia": MinFia, "max_fia": MaxFia}
    if name not in known:
        raise TacitError(
            f"--method {name!r} is unknown", code="unknown_name", fix=suggest_alternative(name, list(known))
        )
    chosen: HidingMethod = build_from_params(name, known[name], given)
    return Block(by=chosen, decoys=decoys) if block else chosen
