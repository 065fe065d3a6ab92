"""The ground: errors, results, histograms, progress and seeds."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Result, Results, TacitError
from tacit.errors import Cancelled, Note, check_columns, nearest_name
from tacit.per_record import Histogram, PerRecord
from tacit.progress import report_progress, sub_progress
from tacit.seed import child_seed, keyed_bytes, make_generator, read_seed, secret_seed, written_seed

counts = st.lists(st.integers(0, 40), min_size=1, max_size=30)


@given(counts, st.integers(1, 60))
def test_a_coarsened_histogram_keeps_the_total_and_has_no_small_bin(numbers, threshold):
    histogram = Histogram(tuple(float(i) for i in range(len(numbers) + 1)), tuple(numbers))
    coarse = histogram.merge_bins(threshold)
    assert sum(coarse.counts) == sum(numbers)
    assert len(coarse.edges) == len(coarse.counts) + 1
    assert set(coarse.edges) <= set(histogram.edges)
    assert (coarse.edges[0], coarse.edges[-1]) == (histogram.edges[0], histogram.edges[-1])
    assert min(coarse.counts) >= threshold or len(coarse.counts) == 1


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50))
def test_histograms_count_every_record(values):
    histogram = PerRecord(array=np.array(values)).histogram()
    assert sum(histogram.counts) == len(values)
    assert PerRecord(array=np.array(values)).without_data().histogram() == histogram


def test_detached_results_let_go_of_the_data():
    result = Result(name="x", value=1, worse="low", about="identity", per_record=PerRecord(array=np.arange(9.0)))
    with pytest.raises(TacitError, match="detached"):
        result.without_data().per_record.values()
    assert result.without_data().per_record.histogram() == result.per_record.histogram()
    assert "histogram" in result.as_json()


def test_a_result_is_never_nan():
    with pytest.raises(AssertionError):
        Result(name="x", value=float("nan"), worse="low", about="identity")


def test_results_find_their_worst_and_their_columns():
    low = Results(
        tuple(Result(name="l", column=c, value=v, worse="low", about="attribute") for c, v in (("a", 3), ("b", 2)))
    )
    assert low.worst.column == "b"
    assert low["a"].value == 3
    assert [part.column for part in low] == ["a", "b"]
    with pytest.raises(TacitError, match="the table has a, b"):
        low["zzz"]
    assert "<script>" not in Result(name="<script>", value=1, worse="low", about="identity")._repr_html_()


def test_parts_of_a_seed_are_unrelated_and_repeatable():
    streams = [
        make_generator(child_seed(7, *path)).random(2000) for path in (("a",), ("b",), ("a", 0), (0, "a"), ("a0",))
    ]
    assert np.array_equal(streams[0], make_generator(child_seed(7, "a")).random(2000))
    for i, one in enumerate(streams):
        for other in streams[i + 1 :]:
            assert abs(np.corrcoef(one, other)[0, 1]) < 0.1
    assert len({secret_seed() for _ in range(50)}) == 50


@pytest.mark.parametrize("seed", [0, 7, 10**20, b"x", bytes(16), b"0123456789abcdef"])
def test_a_written_seed_gives_the_same_stream(seed):
    again = read_seed(written_seed(seed))
    assert np.array_equal(make_generator(again).random(5), make_generator(seed).random(5))


@pytest.mark.parametrize("seed", [-1, 1.5, True, b"", "7", None])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(TacitError, match="fix:"):
        make_generator(seed)
    with pytest.raises(TacitError, match="fix:"):
        read_seed("0xzz")


def test_progress_spans_its_part_and_cancels():
    heard = []
    listener = sub_progress(lambda step, share: heard.append((step, share)), 0.5, 1.0)
    report_progress(listener, "half", 0.5)
    assert heard == [("half", 0.75)]
    report_progress(None, "nobody listens", 0.0)
    with pytest.raises(Cancelled, match="cancelled during 'x'"):
        report_progress(lambda step, share: False, "x", 0.1)


def test_errors_survive_a_process_boundary_and_gain_a_place():
    error = TacitError("is wrong", code="odd", column="zip", fix="mend it", fields={"records": 3})
    error = error.with_location("plan.toml, line 3")
    again = pickle.loads(pickle.dumps(error))
    assert again.as_json() == error.as_json() and (again.code, again.fields) == ("odd", {"records": 3})
    assert str(again) == str(error) == "plan.toml, line 3: column 'zip' is wrong\n  fix: mend it"
    assert (again.column, again.fix, again.where) == ("zip", "mend it", "plan.toml, line 3")


def test_an_error_of_any_kind_is_restated_without_losing_its_code():
    for error in (Cancelled("stopped", fix="go on"), TacitError("odd", code="odd", parameter="k", fix="mend it")):
        again = error.restate(what="told anew", where=None)
        assert type(again) is type(error) and (again.code, again.parameter) == (error.code, error.parameter)
        assert str(again).startswith("told anew\n") and not str(error).startswith("told anew")


def test_a_note_is_a_sentence_with_a_code():
    note = pickle.loads(pickle.dumps(Note("3 records are few", code="few_records", records=3)))
    assert f"{note}" == "3 records are few"
    assert note.as_json() == {"code": "few_records", "text": "3 records are few", "fields": {"records": 3}}


def test_names_are_checked_once_for_all():
    assert check_columns(["a", "b"], ["b", "a"]) == ("a", "b")
    assert nearest_name("ZIPP", ["zip", "age"]) == "zip"
    for wrong in (["a", "a"], ["c"], 7, [7]):
        with pytest.raises(TacitError, match="fix:"):
            check_columns(wrong, ["a", "b"])


def test_a_bin_of_exactly_the_threshold_stands_alone():
    assert Histogram((0, 1, 2), (10, 10)).merge_bins(10) == Histogram((0, 1, 2), (10, 10))


def test_the_key_stream_is_aes_in_counter_mode():
    """The counters 0, 1, 2 enciphered one by one under the key (NIST SP 800-38A, CTR), and from any byte on."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    cipher = Cipher(algorithms.AES(child_seed(7, "noise")), modes.ECB()).encryptor()
    blocks = b"".join(cipher.update(counter.to_bytes(16, "big")) for counter in range(3))
    assert keyed_bytes(child_seed(7, "noise"), 0, 48).tobytes() == blocks
    assert keyed_bytes(child_seed(7, "noise"), 21, 20).tobytes() == blocks[21:41]
    assert keyed_bytes(8, 0, 48).tobytes() != blocks
