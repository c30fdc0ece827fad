"""Scores of a model that runs elsewhere, as a study keeps them."""

import math

import numpy as np
import pytest

from annotation.baselines.queries import leaderboards, measures
from annotation.baselines.services import measure_uploads
from annotation.basics.errors import AnnotationError, ImportProblemsError, StateError
from annotation.kinds.rating.queries.baseline_pairs import digest
from tests.support.baseline_studies import compute, make_pairs, upload

pytestmark = pytest.mark.django_db


def test_own_scores_are_kept_in_the_order_of_the_items() -> None:
    study = make_pairs()

    one = upload(study, "id\tscore\np3\t0.5\np1\t-1e-3\n", name="  My \n model ")

    np.testing.assert_array_equal(one.array, [-1e-3, math.nan, 0.5] + [math.nan] * 3)
    assert (one.name, one.measure, one.n_items, one.n_missing) == ("My model", "uploaded", 6, 4)
    assert (one.digest, one.by) == (digest(study), study.owner)
    compute(study)
    report = leaderboards.latest_report(study)
    assert report.parameters["measures"][0]["name"] == "My model"


def test_a_wrong_table_is_refused_with_its_lines() -> None:
    study = make_pairs()

    with pytest.raises(ImportProblemsError) as refused:
        upload(study, "p1\tgood\np9\t0.5\n")

    assert len(refused.value.problems) == 2
    assert not study.baselines.exists()


def test_a_table_is_read_before_anybody_is_locked_out(monkeypatch) -> None:
    study = make_pairs()
    done = []

    def watch(module, name: str) -> None:
        function = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given: done.append(name) or function(*given))

    watch(measures, "all_of_file")
    watch(measure_uploads, "read_pairs")
    watch(measure_uploads, "lock_study")

    upload(study, "p1\t0.5\np2\t0.1\n")

    assert done == ["all_of_file", "read_pairs", "lock_study"]


@pytest.mark.parametrize("what", ["name", "items"])
def test_what_changes_while_a_table_is_read_is_seen(what: str, monkeypatch) -> None:
    study = make_pairs()
    of_file = measures.all_of_file

    def meanwhile(*given):
        monkeypatch.undo()
        if what == "name":
            upload(study, "p1\t0.5\np2\t0.1\n")
        else:
            study.items.get(key="p6").delete()
        return of_file(*given)

    monkeypatch.setattr(measures, "all_of_file", meanwhile)

    with pytest.raises(StateError, match=r"A measure My model with|in the meantime"):
        upload(study, "p1\t0.9\np2\t0.1\n")
    assert study.baselines.count() == (1 if what == "name" else 0)


def test_of_a_table_full_of_problems_only_the_first_are_looked_for(monkeypatch) -> None:
    study = make_pairs()
    looked_at = []
    problem = measures._problem
    monkeypatch.setattr(
        measures, "_problem", lambda *given: looked_at.append(given) or problem(*given)
    )

    with pytest.raises(ImportProblemsError) as refused:
        upload(study, "\n\n" + "p9\t0.5\n" * 5000)

    assert len(looked_at) == 199
    first, *listed, others = refused.value.problems
    assert first == "these are the first 199 problems; lines from 202 on were not read"
    assert [said.partition(":")[0] for said in listed] == [f"line {n}" for n in range(3, 8)]
    assert others == "and 194 more like this"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "Give the measure a name"),
        ("SQuAD F1", "a measure called SQuAD F1"),
        ("Mine", "A measure Mine with other values"),
        ("x" * 101, "name"),
        ("a\0b", "name"),
    ],
)
def test_a_name_is_given_once(name: str, said: str) -> None:
    study = make_pairs()
    upload(study, "p1\t0.5\np2\t0.1\n", name="Mine")

    with pytest.raises(AnnotationError, match=said):
        upload(study, "p1\t0.9\np2\t0.1\n", name=name)
    assert study.baselines.count() == 1


def test_own_scores_of_items_that_are_gone_compare_with_nothing() -> None:
    study = make_pairs()
    one = upload(study, "p1\t0.5\np2\t0.1\n")
    study.items.filter(key="p6").delete()

    with pytest.raises(StateError, match="an earlier set of items"):
        measures.of_baseline(study, one)


def test_a_baseline_is_a_measure_for_a_review_of_discrepancies() -> None:
    study = make_pairs()
    one = upload(study, "p1\t0.5\np3\t0.1\n")

    found = measures.of_baseline(study, one)

    assert (found.name, found.values) == ("My model", {"p1": 0.5, "p3": 0.1})
