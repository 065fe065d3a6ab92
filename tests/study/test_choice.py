from tacit.study import Candidate, Evaluation, Point
from tacit.study.selection import is_acceptable, missed_requirements, nearest_candidate, rank_candidates


def point(number, risk, loss, **verdict):
    given = {"model": "k-anonymity", "column": None, "holds": True, "margin": 1.0, "required": 4.0, **verdict}
    found = Evaluation(state="done", verdicts=(given,))
    return Point(number=number, candidate=Candidate(strategy="x", steps=()), evaluation=found, risk=risk, loss=loss)


def test_equal_ones_go_by_risk_then_by_loss_then_by_number():  # catalogue: F-06
    """What is no better by the preference, and worse in the rest, is not taken: it is beaten."""
    points = [point(1, 0.5, 0.1), point(2, 0.2, 0.1), point(3, 0.2, 0.1), point(4, 0.2, 0.3)]
    assert rank_candidates(points, prefer={"loss": 1}, at_most={})[0].number == 2
    assert rank_candidates(points[::-1], prefer={"risk": 1}, at_most={})[0].number == 2
    assert rank_candidates(points, prefer={"risk": 1, "loss": 1}, at_most={"loss": 0.05}) == []


def test_a_bound_may_be_reached():
    assert is_acceptable(point(1, 0.2, 0.3), {"risk": 0.2, "loss": 0.3})
    assert not is_acceptable(point(1, 0.2, 0.3), {"risk": 0.19})


def test_the_nearest_misses_least_of_what_is_asked():
    """1 of 4 in k-anonymity is less than 10 of 20 in another model; bounds of the study count with the rest."""
    near = point(1, 0.3, 0.5, holds=False, margin=-1.0)
    far = point(2, 0.1, 0.1, holds=False, margin=-10.0, required=20.0, model="l-diversity", column="pay")
    assert missed_requirements(near, {}) == {"k-anonymity": 0.25}
    assert missed_requirements(far, {"risk": 0.05, "loss": 0.1}) == {"l-diversity of pay": 0.5, "risk": 1.0}
    assert nearest_candidate([near, far], at_most={}) == 1
    assert nearest_candidate([near, far], at_most={"risk": 0.1}) == 2


def test_one_that_was_not_judged_by_all_attacks_does_not_miss_least():
    """Nothing was chosen, so what holds by a few attacks alone is not known to hold: it is not called the nearest."""
    near, unjudged = point(1, 0.3, 0.5, holds=False, margin=-1.0), point(2, 0.4, 0.1)
    assert nearest_candidate([near, unjudged], at_most={}) == 1
    assert nearest_candidate([unjudged], at_most={}) == 2
