import pytest

from tacit import TacitError
from tacit.report import write_page


def written(found, tmp_path) -> str:
    return write_page(found, tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_attack_page_says_who_which_and_how_sure(attack, tmp_path):
    page = written(attack, tmp_path)
    assert "An attack may find or learn more than" in page
    for title in ("What the intruder can be sure of", "Which columns matter most", "Who is at risk", "Notes"):
        assert f">{title}</h2>" in page
    assert "without zip" in page and "a column was left out" in page
    assert "internal, not for publication" in page


def test_the_people_at_risk_are_those_whom_the_judge_counts(attack):  # catalogue: C-03
    chances = attack.worst.result.per_record.values()
    assert attack.at_risk.chance.mean() >= chances.mean() - 1e-12
    by_row = dict(zip(attack.at_risk.order.tolist(), attack.at_risk.chance.tolist(), strict=True))
    assert all(by_row[row] >= chance - 1e-12 for row, chance in enumerate(chances))


def test_the_curve_page_says_where_the_bound_is_met(curved, tmp_path):
    page = written(curved, tmp_path)
    assert "is met with levels = 3" in page
    assert "<svg" in page and ">transparency<" in page


def test_what_attacks_found_is_never_a_public_page(attack, curved, tmp_path):
    for found in (attack, curved):
        with pytest.raises(TacitError, match="points at people"):
            write_page(found, tmp_path / "page.html", audience="public")
    assert not (tmp_path / "page.html").exists()
