"""Attacks by degree, surroundings, groups and attributes, against enumeration. catalogue: K-02, C-06"""

import networkx as nx
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.graphs import Graph, Knowledge, MaskedGraph, graph
from tacit.graphs.attack import (
    ALL,
    Attributes,
    Coalition,
    Degree,
    Group,
    Profile,
    Refinement,
    imperfect_picture,
    plant,
    reidentify_nodes,
)

from .attack_oracles import (
    alike,
    chances,
    coalition_chances,
    group_chances,
    links,
    relabelled,
    seen,
    small_graphs,
    ways,
)

KARATE, VALJEAN = graph(nx.karate_club_graph()), graph(nx.les_miserables_graph())


def shuffled(found, seed=1):
    order = np.random.default_rng(seed).permutation(found.size)
    return MaskedGraph(found.relabel(order), (), order)


@given(small_graphs(), st.sampled_from([0.0, 0.3, 0.6]), st.data())
def test_degree_claims_are_those_of_comparing_all(picture, wrong, data):
    """Of directed graphs links out and links in count apart, and both must be near."""
    released = data.draw(small_graphs(directed=picture.directed))
    mine, theirs = ways(picture), ways(released)
    apart = np.abs(mine[:, None] - theirs[None, :])
    within = (apart <= np.ceil(wrong * mine - 1e-9)[:, None]).all(axis=2)
    off = apart.sum(axis=2)
    wanted = np.where(within.any(axis=1, keepdims=True), within, off == off.min(axis=1, keepdims=True))
    claims = Degree().claims(released, Knowledge(graph=picture, wrong=wrong))
    assert np.allclose(chances(claims), alike(wanted))


def test_the_likelihood_of_a_degree_is_that_of_skellams_law():
    from scipy.stats import skellam

    claims = Degree(match="likelihood").claims(KARATE, Knowledge(graph=KARATE, wrong=0.1))
    degrees = KARATE.degrees()
    mean = 0.1 * degrees[0]
    law = skellam.pmf(degrees - degrees[0], mean, mean)
    assert np.allclose(chances(claims)[0], law / law.sum(), atol=1e-8)


@given(small_graphs(), st.integers(0, 3), st.data())
def test_refinement_claims_are_those_of_comparing_all(picture, rounds, data):
    released = data.draw(small_graphs(directed=picture.directed))
    knowledge = Knowledge(graph=picture)
    views = [
        [seen(one, node, depth) for node in range(one.size)]
        for depth in range(rounds + 1)
        for one in (picture, released)
    ]
    same = [np.array([[a == b for b in views[2 * d + 1]] for a in views[2 * d]]) for d in range(rounds + 1)]
    exact = Refinement(rounds=rounds, otherwise="nobody").claims(released, knowledge)
    assert np.allclose(chances(exact), alike(same[rounds]))
    deepest = np.array([max(d for d in range(rounds + 1) if same[d][t].any()) for t in range(picture.size)])
    wanted = np.array([same[d][t] for t, d in enumerate(deepest)])
    assert np.allclose(chances(Refinement(rounds=rounds).claims(released, knowledge)), alike(wanted))


@given(relabelled())
def test_profiles_never_lose_the_right_node_of_an_unchanged_graph(made):
    picture, released, order = made
    found = chances(Profile().claims(released, Knowledge(graph=picture)))
    assert (found[order, np.arange(released.size)] > 0).all()


@given(small_graphs(most=6), st.data())
def test_group_claims_are_those_of_all_placements(picture, data):
    released = data.draw(small_graphs(most=6, directed=picture.directed))
    members = data.draw(st.permutations(range(picture.size)).map(lambda every: np.array(every[:3])))
    wrong = data.draw(st.sampled_from([0.0, 0.4]))
    inside = [pair for pair in links(picture) if set(pair) <= set(members.tolist())]
    spare = int(np.ceil(wrong * len(inside) / (1 if picture.directed else 2) - 1e-9))
    knowledge = Knowledge(graph=picture, targets=members, wrong=wrong)
    found = chances(Group(degrees=False).claims(released, knowledge, seed=1))
    assert np.allclose(found, group_chances(released, picture, members.tolist(), wrong=spare))


@given(small_graphs(least=3, most=5), st.sampled_from([0.0, 0.4]), st.data())
def test_coalition_claims_are_those_of_all_placements(picture, wrong, data):
    released = data.draw(small_graphs(least=3, most=5, directed=picture.directed))
    members = data.draw(st.permutations(range(picture.size)).map(lambda every: tuple(every[:2])))
    claims = Coalition(members=members).claims(released, Knowledge(graph=picture, wrong=wrong), seed=1)
    assert np.allclose(chances(claims), coalition_chances(released, picture, list(members), wrong))


@given(relabelled(least=4, most=6), st.integers(1, 30))
def test_a_group_search_that_is_cut_off_only_widens_the_sets(made, limit):
    picture, released, _ = made
    knowledge = Knowledge(graph=picture, targets=np.arange(4))
    whole = chances(Group().claims(released, knowledge, seed=1))
    cut = chances(Group(limit=limit).claims(released, knowledge, seed=1))
    assert (cut[whole > 0] > 0).all()


def test_unprotected_graphs_are_found_as_far_as_their_classes_say():
    """The share found is the number of classes over the number of nodes; classes counted with networkx."""
    for found, source in ((KARATE, nx.karate_club_graph()), (VALJEAN, nx.les_miserables_graph())):
        degrees = dict(source.degree())
        around = {tuple(sorted(degrees[other] for other in source[node])) for node in source}
        wanted = {"degree": len(set(degrees.values())), "refinement": len(around)}
        for attack, classes in wanted.items():
            made = Refinement(rounds=2) if attack == "refinement" else attack
            result = reidentify_nodes(shuffled(found), original=found, attack=made)
            assert result.value == pytest.approx(classes / found.size)
            assert result.facts["baseline"] == pytest.approx(1 / found.size)
            assert result.interval[0] < result.value < result.interval[1]


def test_a_changed_release_is_lost_to_colours_and_kept_by_profiles():
    released = shuffled(imperfect_picture(VALJEAN, dropped=0.05, added=0.05, seed=3))
    exact = reidentify_nodes(released, original=VALJEAN, attack=Refinement(otherwise="nobody")).value
    near = reidentify_nodes(released, original=VALJEAN, attack="profile").value
    assert exact < 0.15 < 0.35 < near


def test_doubt_widens_the_sets_and_both_are_told():
    """φ-k-anonymity: who is unique by an exact degree need not be when an edge may be wrong."""
    result = reidentify_nodes(shuffled(KARATE), original=KARATE, attack="degree", wrong=0.05, seed=3)
    assert result.facts["share unique"] < result.facts["taken as exact"]["share unique"]


def test_attributes_and_links_are_the_nodes_equal_in_both():
    clubs = Release(KARATE.attributes.series("club").to_frame(), quasi="club")
    picture = Graph(size=34, edges=KARATE.edges, attributes=clubs)
    keys = list(zip(clubs.series("club").to_list(), KARATE.degrees().tolist(), strict=True))
    result = reidentify_nodes(shuffled(picture), original=picture, attack="attributes")
    assert result.per_record.values().tolist() == [keys.count(key) for key in keys]
    assert result.value == pytest.approx(len(set(keys)) / 34)
    assert Attributes().applies(KARATE, Knowledge(graph=picture)) == "no attribute is known of the targets"


@pytest.mark.parametrize("directed", [False, True])
def test_planted_accounts_find_themselves_and_their_targets(directed):
    """Backstrom et al.: with (2 + δ) log n accounts the subgraph is unique with high probability."""
    made = nx.gnp_random_graph(400, 0.03, seed=5, directed=directed)
    planted = plant(graph(made), targets=np.arange(20), seed=5)
    attack = Coalition(members=tuple(planted.members.tolist()))
    result = reidentify_nodes(
        shuffled(planted.graph), original=planted.graph, targets=planted.targets, attack=attack, seed=1
    )
    assert result.value == 1 and result.facts["placements"] == 1
    assert result.facts["baseline"] == pytest.approx(1 / planted.graph.size)


def test_a_passive_coalition_finds_those_whom_it_tells_apart():
    """Valjean's circle: who is linked with the same members is told apart no further."""
    members = tuple(np.argsort(-VALJEAN.degrees(), kind="stable")[:3].tolist())
    targets = np.setdiff1d(np.arange(77), members)
    masked = shuffled(VALJEAN)
    found = reidentify_nodes(masked, original=VALJEAN, attack=Coalition(members=members), targets=targets, seed=1)
    assert found.facts["placements"] == 1
    pairs = links(VALJEAN)
    keys = [tuple((one, int(target)) in pairs for one in members) for target in targets]
    assert found.per_record.values().tolist() == [keys.count(key) if any(key) else 0 for key in keys]


@given(small_graphs(least=3, most=8, directed=False), st.integers(0, 5))
def test_an_imperfect_picture_has_as_many_edges_changed_as_was_said(picture, seed):
    count = picture.size * (picture.size - 1) // 2 - picture.links
    added = min(0.4, count / max(picture.links, 1))
    made = imperfect_picture(picture, dropped=0.4, added=added, seed=seed)
    assert len(links(picture) - links(made)) == 2 * round(0.4 * picture.links)
    assert len(links(made) - links(picture)) == 2 * round(added * picture.links)


def test_every_attack_says_why_it_cannot_be_made_or_makes_claims_for_each_target():
    picture = KARATE
    for entry in ALL.values():
        attack = entry.call(**entry.example)
        knowledge = Knowledge(graph=picture, targets=np.array([0, 5, 9]), seeds=np.array([[1, 1], [2, 2], [3, 3]]))
        why_not = attack.applies(picture, knowledge)
        if why_not is None:
            assert attack.claims(picture, knowledge, seed=1).intruder_size == 3
        else:
            with pytest.raises(TacitError, match="cannot be made"):
                attack.claims(picture, knowledge)
        directed = Graph(size=34, edges=picture.edges, directed=True)
        assert attack.applies(directed, knowledge) is not None


def test_the_worst_attack_is_told_beside_all_others():
    result = reidentify_nodes(shuffled(KARATE), original=KARATE, seeds=0.2, seed=3)
    by_attack = result.facts["by attack"]
    assert result.value == by_attack[result.facts["attack"]] and {"degree", "propagation", "alignment"} <= set(
        by_attack
    )
    assert any(line.startswith("coalition") for line in result.facts["not made"])
    assert result.facts["records attacked"] == 34 - 7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"attack": "degrees"}, "did you mean 'degree'"),
        ({"attack": Degree}, "no attack with its parameters"),
        ({"wrong": 0.1}, "no seed is given"),
        ({"seeds": 2.0, "seed": 1}, "neither pairs nor a share"),
        ({"targets": np.array([99])}, "no node of the original"),
        ({"lineage": None}, "nobody said which released node"),
        ({"knows": "age"}, "age"),
    ],
)
def test_what_cannot_be_asked_is_answered_with_a_remedy(options, message):
    with pytest.raises(TacitError, match=message):
        reidentify_nodes(KARATE, original=KARATE, **{"lineage": np.arange(34), **options})


def test_parameters_that_mean_nothing_are_refused():
    for make in (
        lambda: Degree(match="near"),
        lambda: Refinement(rounds=-1),
        lambda: Refinement(otherwise="all"),
        lambda: Profile(reach=-1),
        lambda: Group(limit=0),
        lambda: Coalition(members=(1, 1)),
        lambda: imperfect_picture(KARATE, dropped=2, added=0, seed=1),
        lambda: plant(KARATE, targets=np.array([40]), seed=1),
        lambda: plant(KARATE, targets=np.arange(30), size=3, seed=1),
    ):
        with pytest.raises(TacitError, match="fix:"):
            make()


def test_columns_of_words_are_compared_as_words():
    people = Release(pl.DataFrame({"town": ["a", "b", "a", "c"]}), quasi="town")
    ring = Graph(size=4, edges=np.array([[0, 1], [1, 2], [2, 3], [0, 3]]), attributes=people)
    result = reidentify_nodes(MaskedGraph(ring, ()), original=ring, attack=Attributes(rounds=None))
    assert result.per_record.values().tolist() == [2, 1, 2, 1]


@pytest.mark.parametrize("wrong", [0.0, 0.1])
@pytest.mark.parametrize("name", ALL)
def test_every_attack_reports_sets_uniques_and_expected_finds_beside_guessing(name, wrong):
    """Also with a picture that is wrong in part; of the sets the smallest is never empty where somebody is claimed."""
    towns = Release(pl.DataFrame({"town": ["a", "b", "c"]}).sample(34, with_replacement=True, seed=1), quasi="town")
    original = Graph(size=34, edges=KARATE.edges, attributes=towns)
    given = {"group": {"targets": np.array([0, 1, 2])}, "propagation": {"seeds": 0.2}}.get(name, {})
    attack = Coalition(members=(0, 33, 2, 32)) if name == "coalition" else name
    masked = shuffled(original)
    found = reidentify_nodes(masked, original=original, attack=attack, wrong=wrong, seed=3, **given)
    sizes = found.per_record.values()
    assert len(sizes) == found.facts["records attacked"] == {"group": 3, "propagation": 27}.get(name, 34)
    assert found.facts["share unique"] == pytest.approx((sizes == 1).mean())
    assert found.facts["expected re-identified"] == pytest.approx(found.value * len(sizes))
    assert found.interval[0] <= found.value <= found.interval[1]
    assert found.facts["baseline"] == pytest.approx(1 / 34)
    widens = wrong and name in ("degree", "group", "coalition")
    assert ("taken as exact" in found.facts) == bool(widens)


def test_where_no_attack_can_be_made_the_remedy_is_that_of_networks():
    directed = graph(nx.karate_club_graph().to_directed())
    with pytest.raises(TacitError, match=r"one of the graphs is directed[\s\S]*fix: .*read both graphs alike"):
        reidentify_nodes(shuffled(KARATE), original=directed, attack="degree")
