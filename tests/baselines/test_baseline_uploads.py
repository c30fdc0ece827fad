"""Scores of models that run elsewhere: tables of several measures, and what is wrong with some."""

import io
from typing import Any

import numpy as np
import pytest

from annotation.baselines.services import measure_uploads
from annotation.basics.errors import AnnotationError, ImportProblemsError, StateError
from annotation.basics.sentences import sentence
from annotation.items.imports.alike import AlikeProblems
from annotation.models import Baseline, Study
from tests.support.baseline_studies import make_pairs
from tests.support.researcher_pages import said, signed_in, text, url

pytestmark = pytest.mark.django_db

WIDE = "id\tlayer 1\tlayer 2\np1\t0.5\t2\np3\t\t-1\np6\t0,25\t\n"


def upload(study: Study, table: str, name: str = "") -> list[Baseline]:
    return measure_uploads.upload(study=study, name=name, file=io.BytesIO(table.encode())).made


def problems(study: Study, table: str) -> list[str]:
    with pytest.raises(ImportProblemsError) as refused:
        upload(study, table, "Mine")
    assert not study.baselines.exists()
    return [str(one) for one in refused.value.problems]


def send(study: Study, **fields: Any) -> Any:
    client = signed_in(study.owner)
    return client.post(url(study, "baseline_upload"), fields, follow=True)


# -- Several columns ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "names"),
    [("", ["layer 1", "layer 2"]), (" My  model ", ["My model: layer 1", "My model: layer 2"])],
)
def test_each_column_of_scores_is_a_measure(name: str, names: list[str]) -> None:
    study = make_pairs()

    first, second = upload(study, WIDE, name)

    nan = np.nan
    assert [one.name for one in study.baselines.order_by("pk")] == names
    np.testing.assert_array_equal(first.array, [0.5, nan, nan, nan, nan, 0.25])
    np.testing.assert_array_equal(second.array, [2, nan, -1, nan, nan, nan])
    assert (first.n_missing, second.n_missing) == (4, 4)


def test_a_table_of_one_measure_has_the_name_that_was_given() -> None:
    study = make_pairs()

    [one] = upload(study, "id\tscore\np1\t1\n", "Mine")

    assert one.name == "Mine"
    with pytest.raises(AnnotationError, match="Give the measure a name"):
        upload(study, "id\tscore\np1\t1\n")


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        (
            "id\ta\ta\np1\t1\t2\n",
            "line 1: two columns are called 'a'; give them different names",
        ),
        ("id\ta\t\np1\t1\t2\n", "line 1: column 3 has no name; write one"),
        ("id\ta\tb\np1\t1\n", "line 2: 2 columns, but the first line has 3; use the same number"),
        ("id\ta\tb\np1\t1\t\n", "the column 'b' is empty; add values or remove the column"),
        ("id\ta\tb\np1\t1\tx\n", "line 2: 'x' is not a number"),
        ("id\ta\tb\np9\t\t\n", "line 2: the study has no item 'p9'"),
        # Without names nobody knows what they are.
        ("p1\t1\t2\n", "line 1: 3 columns, but two are needed"),
    ],
)
def test_a_table_of_several_measures_is_taken_whole_or_not_at_all(
    table: str, problem: str
) -> None:
    [found] = problems(make_pairs(), table)

    assert found.startswith(problem)


def test_one_name_that_is_taken_keeps_all_columns_out() -> None:
    study = make_pairs()
    upload(study, "p1\t1\np2\t2\n", "Mine: b")

    with pytest.raises(StateError, match="A measure Mine: b with"):
        upload(study, "id\ta\tb\np1\t1\t2\n", "Mine")

    assert study.baselines.count() == 1


def test_the_same_values_once_more_change_nothing() -> None:
    study = make_pairs()
    before = upload(study, WIDE)

    again = measure_uploads.upload(study=study, name="", file=io.BytesIO(WIDE.encode()))

    assert (again.made, again.known) == ([], before)
    assert list(study.baselines.order_by("pk")) == before
    # One column more: the others stay.
    wider = "id\tlayer 1\tlayer 2\tlayer 3\np1\t0.5\t2\t1\np3\t\t-1\t\np6\t0,25\t\t\n"
    more = measure_uploads.upload(study=study, name="", file=io.BytesIO(wider.encode()))
    assert ([one.name for one in more.made], more.known) == (["layer 3"], before)


def test_the_page_says_what_is_there_already() -> None:
    study = make_pairs()
    send(study, name="Mine", table="p1\t1\np2\t2\n")

    again = send(study, name="Mine", table="p1\t1\np2\t2\n")
    other = send(study, name="Mine", table="p1\t1\np2\t3\n")

    assert again.status_code == 200
    assert said(again) == ["Already stored with the same values: Mine."]
    assert other.status_code == 409
    assert study.baselines.count() == 1


# -- What is said of it -------------------------------------------------------------------------


def test_the_page_says_how_many_items_have_no_score() -> None:
    study = make_pairs()
    five = "".join(f"p{n}\t{n}\n" for n in range(1, 6))

    one = send(study, name="Mine", table=five)
    several = send(study, name="Model", table=WIDE)
    whole = send(study, name="Whole", table=f"{five}p6\t6\n")

    assert said(one)[1:] == ["Mine: 1 of 6 items has no score."]
    assert said(several)[0].startswith("Saved the scores of Model: layer 1, Model: layer 2.")
    assert said(several)[1:] == [
        "Model: layer 1: 4 of 6 items have no score.",
        "Model: layer 2: 4 of 6 items have no score.",
    ]
    assert len(said(whole)) == 1


def test_the_same_mistake_in_many_lines_is_listed_a_few_times() -> None:
    study = make_pairs()
    table = "p1\tx\n" + "".join(f"q{n}\t1\n" for n in range(66)) + "p2\ty\n"

    response = send(study, name="Mine", table=table)

    listed = response.context["problems"]
    assert [str(one).partition(";")[0] for one in listed] == [
        "line 1: 'x' is not a number",
        *(f"line {n + 2}: the study has no item 'q{n}'" for n in range(5)),
        "and 61 more like this",
        "line 68: 'y' is not a number",
    ]
    assert "and 61 more like this" in text(response)


def test_as_many_as_are_listed_leave_no_more() -> None:
    found = AlikeProblems()
    for line in range(5):
        found.add(line + 1, sentence("wrong"))
    found.add(None, sentence("the whole"))

    assert [str(one) for one in found.sentences] == [
        "the whole",
        *(f"line {n}: wrong" for n in range(1, 6)),
    ]
    assert len(found) == 6
