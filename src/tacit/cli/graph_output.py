"""What the commands about networks show, and what their texts stand for."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from ..attack.runner import AttackResult
    from ..graphs.attack.attack import GraphAttack
    from ..graphs.attack.scenario import KnownLinks
    from ..graphs.graph import Graph
    from ..graphs.masked import MaskedGraph


def select_attacks(attacks: Mapping[str, GraphAttack], names: Collection[str]) -> dict[str, GraphAttack]:
    """The named attacks, or all."""
    from ..errors import TacitError, suggest_alternative

    unknown = next((name for name in names if name not in attacks), None)
    if unknown is not None:
        raise TacitError(
            f"no attack of such an intruder is called {unknown!r}", fix=suggest_alternative(unknown, list(attacks))
        )
    return {name: one for name, one in attacks.items() if not names or name in names}


def add_coalition(
    attacks: Mapping[str, GraphAttack], members: Sequence[str], original: Graph
) -> Mapping[str, GraphAttack]:
    """The attacks with the coalition of those who joined in it, if anybody did."""
    from ..errors import TacitError
    from ..graphs.attack.coalition import Coalition
    from ..plan.graph.people import numbers_of

    if not members:
        return attacks
    if "coalition" not in attacks:
        raise TacitError("a coalition knows the network around itself", fix="--structure network, or no --members")
    return {**attacks, "coalition": Coalition(members=tuple(numbers_of(members, original, "--members").tolist()))}


def known_links(text: str, original: Graph, people: np.ndarray) -> KnownLinks:
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


def attacks_text(found: Sequence[AttackResult]) -> str:
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


def generator_of(name: str, given: Mapping[str, Any], like: Graph | None) -> Any:
    """The generator with its parameters; ``like`` gives it the degrees of a network."""
    from ..entry import build_from_params
    from ..errors import TacitError, suggest_alternative
    from ..graphs.synth import ALL, degree_counts

    if name not in ALL:
        raise TacitError(f"the generator {name!r} is unknown", fix=suggest_alternative(name, list(ALL)))
    parameters = {key: _lists_to_tuples(value) for key, value in given.items()}
    if like is not None:
        if "degrees" in parameters:
            raise TacitError("degrees come from --like and from --set", fix="give one of them")
        parameters["degrees"] = degree_counts(like)
    return build_from_params(name, ALL[name].call, parameters)


def _lists_to_tuples(value: Any) -> Any:
    """Lists as tuples, all the way down, because parameters never change."""
    if isinstance(value, Mapping):
        return {key: _lists_to_tuples(part) for key, part in value.items()}
    return tuple(_lists_to_tuples(part) for part in value) if isinstance(value, list) else value


def made_text(made: MaskedGraph) -> str:
    """What was made, and what it keeps and does not."""
    from ..result import format_fact

    facts = {name: finding.value for step in made.trace for name, finding in step.outcome.items()}
    return "\n".join(f"{name:<18}  {format_fact(value)}" for name, value in facts.items() if value not in ({}, None))
