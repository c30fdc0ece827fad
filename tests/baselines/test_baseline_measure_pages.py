"""One measure's pages and the files: uploaded, looked at, removed, reviewed, downloaded."""

import csv
import io
from dataclasses import replace
from html import unescape
from itertools import pairwise
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.baselines.queries import baseline_subsets
from annotation.models import Baseline, Study
from annotation.studies.services import imported_studies
from scoring.baselines.lexical import LEXICAL
from tests.support.baseline_studies import MEAN, compute, make_pairs
from tests.support.researcher_pages import said, signed_in, text, url
from tests.support.reviewing import scored_ratings

pytestmark = pytest.mark.django_db


def table_of(response: Any) -> list[dict[str, str]]:
    assert response.status_code == 200, response.get("Location")
    return list(csv.DictReader(io.StringIO(text(response)), delimiter="\t"))


# -- Uploading ----------------------------------------------------------------------------------


def upload(client: Client, study: Study, **fields: Any) -> Any:
    return client.post(url(study, "baseline_upload"), fields, follow=True)


TABLE = "id\tscore\np1\t0.9\np2\t0.1\np3\t0.8\n"


@pytest.mark.parametrize("way", ["table", "file"])
def test_own_scores_are_typed_or_uploaded(way: str) -> None:
    study = make_pairs()
    given = TABLE if way == "table" else SimpleUploadedFile("scores.tsv", TABLE.encode())

    response = upload(signed_in(study.owner), study, name="My model", **{way: given})

    made = study.baselines.get()
    assert (made.name, made.measure, made.n_missing) == ("My model", Baseline.UPLOADED, 3)
    assert said(response) == [
        "Saved the scores of My model. Compute the leaderboard again to include them.",
        "My model: 3 of 6 items have no score.",
    ]
    assert "Not in the leaderboard yet" in text(response)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"name": "m"}, "Enter the scores as a table, or upload a file."),
        ({"table": TABLE}, "Give the measure a name, such as the models name."),
        ({"name": "m", "table": "p9\t1\n"}, "the study has no item p9"),
        ({"name": "m", "table": "p1\tmuch\n"}, "much is not a number"),
        (
            {"name": "SQuAD F1", "table": TABLE},
            "Likeness already computes a measure called SQuAD F1.",
        ),
    ],
)
def test_wrong_scores_are_refused_and_stay_typed(fields: dict[str, str], problem: str) -> None:
    study = make_pairs()

    response = upload(signed_in(study.owner), study, **fields)

    assert response.status_code in {400, 409}
    page = unescape(text(response)).replace("'", "")
    assert problem in page
    assert study.baselines.count() == 0
    for typed in fields.values():
        assert typed.strip().splitlines()[0] in page


# -- One measure --------------------------------------------------------------------------------


def test_one_measure_has_its_definition_its_plot_and_its_disagreements() -> None:
    study = make_pairs()
    compute(study)
    one = study.baselines.get(measure="squad_f1")

    response = signed_in(study.owner).get(url(study, "baseline", one.pk))

    page = text(response)
    assert "as in SQuAD" in page
    # In two drawings, of which a window shows one.
    assert page.count("<circle") == 2 * 6
    listed = response.context["disagreements"]
    assert listed
    assert all(abs(a.difference) >= abs(b.difference) for a, b in pairwise(listed))
    assert "I have 2 dogs." in page
    assert "people higher" in page


def test_which_items_count_is_looked_up_and_not_computed_at_every_view(monkeypatch) -> None:
    study = make_pairs()
    compute(study, options=replace(MEAN, where='first != "I have 2 dogs."'))
    number = study.baselines.get(measure="chrf").pk
    client = signed_in(study.owner)

    def asked(*given: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(baseline_subsets, "_holds", asked)
    page = client.get(url(study, "baseline", number))
    data = table_of(client.get(url(study, "baseline_plot", f"scatter-{number}", "tsv")))

    assert page.status_code == 200
    assert {next(iter(row.values())) for row in data} == {"p1", "p2", "p3", "p4"}
    assert {one.key for one in page.context["disagreements"]} <= {"p1", "p2", "p3", "p4"}


def test_which_items_counted_before_others_came_is_asked_for_anew() -> None:
    study = make_pairs()
    compute(study, options=replace(MEAN, where="n_words(first) > 0"))
    study.items.get(key="p6").delete()
    client = signed_in(study.owner)
    upload(client, study, name="Mine", table="p1\t0.5\np2\t0.1\n")

    response = client.get(url(study, "baseline", study.baselines.get(name="Mine").pk))
    page = unescape(text(response))

    assert "The condition was not evaluated for the current items." in page


def test_a_measure_of_other_items_says_so_and_shows_no_plot() -> None:
    study = make_pairs()
    compute(study)
    one = study.baselines.get(measure="squad_f1")
    study.items.filter(key="p1").update(candidate_text="Something else.")

    page = text(signed_in(study.owner).get(url(study, "baseline", one.pk)))

    assert "SQuAD F1 was computed for an earlier set of items. Compute it again." in page
    assert '<svg class="plot"' not in page


def test_a_strangers_measure_is_not_found_in_ones_own_study() -> None:
    theirs, mine = make_pairs(), make_pairs()
    compute(theirs)
    number = theirs.baselines.order_by("pk")[0].pk
    client = signed_in(mine.owner)

    for name in ("baseline", "baseline_remove"):
        assert client.get(url(mine, name, number)).status_code == 404
    for name in ("baseline_remove", "baseline_review"):
        assert client.post(url(mine, name, number)).status_code == 404
    assert client.get(url(mine, "baseline_plot", f"scatter-{number}", "svg")).status_code == 404
    assert theirs.baselines.count() == 2


def test_a_measure_is_removed_after_a_question() -> None:
    study = make_pairs()
    compute(study)
    one = study.baselines.get(measure="chrf")
    client = signed_in(study.owner)

    asked = client.get(url(study, "baseline_remove", one.pk))
    assert study.baselines.count() == 2
    done = client.post(url(study, "baseline_remove", one.pk), follow=True)

    assert "Its values are deleted" in text(asked)
    assert said(done) == ["Removed the measure chrF2."]
    assert [left.measure for left in study.baselines.all()] == ["squad_f1"]


@pytest.mark.slow
def test_one_click_begins_a_review_of_a_measure() -> None:
    earlier = scored_ratings({"p1": ("6",), "p2": ("1",), "p3": ("3",)})
    client = signed_in(earlier.owner)
    upload(client, earlier, name="My model", table="p1\t0.1\np2\t0.9\np3\t0.8\n")
    one = earlier.baselines.get()
    assert "Create a discrepancy review" in text(client.get(url(earlier, "baseline", one.pk)))

    begun = client.post(url(earlier, "baseline_review", one.pk))

    study = Study.objects.get(earlier_round=earlier)
    assert begun["Location"] == f"{url(study, 'choose')}?baseline={one.pk}"
    assert (study.title, study.preset) == ("Review of My model", "discrepancy-review")
    page = client.get(begun["Location"])
    assert f'<option value="baseline:{one.pk}" selected>My model</option>' in text(page)
    chosen = client.post(
        url(study, "choose"), {"column": f"baseline:{one.pk}", "n": "2", "by": "ranks"}
    )
    assert chosen["Location"] == url(study, "items")
    assert study.items.count() == 2


def test_a_review_of_imported_labels_begins_at_a_measure() -> None:
    study = imported_studies.mark(study=make_pairs())
    compute(study)
    one = study.baselines.get(measure="chrf")
    client = signed_in(study.owner)

    response = client.post(url(study, "baseline_review", one.pk), follow=True)

    made = Study.objects.get(preset="discrepancy-review")
    assert made.earlier_round == study
    form = response.context["form"]
    assert form.fields["people"].choices == [("column:mean", "column mean")]
    assert form["column"].value() == f"baseline:{one.pk}"


def test_no_review_begins_without_labels() -> None:
    study = make_pairs()
    compute(study)
    study.items.update(metadata={})
    one = study.baselines.get(measure="chrf")

    response = signed_in(study.owner).post(url(study, "baseline_review", one.pk), follow=True)

    assert "is a draft and has no answers" in said(response)[0]
    assert Study.objects.count() == 1


# -- Files --------------------------------------------------------------------------------------


def test_values_have_a_column_for_each_measure() -> None:
    study = make_pairs()
    compute(study)
    upload(signed_in(study.owner), study, name="My model", table=TABLE)
    client = signed_in(study.owner)

    plain = table_of(client.get(url(study, "baseline_values")))
    with_texts = table_of(client.get(f"{url(study, 'baseline_values')}?texts=1"))

    assert list(plain[0]) == ["id", "people", "SQuAD F1", "chrF2", "My model"]
    assert (plain[0]["people"], plain[0]["My model"], plain[4]["My model"]) == ("3.6", "0.9", "")
    values = study.baselines.get(measure="chrf").array
    assert [float(row["chrF2"]) for row in plain] == values.tolist()
    assert with_texts[3]["candidate"] == "I have 2 dogs."


def test_plots_come_as_files() -> None:
    study = make_pairs()
    compute(study)
    number = study.baselines.get(measure="chrf").pk
    client = signed_in(study.owner)

    drawn = client.get(url(study, "baseline_plot", "correlations", "svg"))
    data = table_of(client.get(url(study, "baseline_plot", f"scatter-{number}", "tsv")))
    png = client.get(url(study, "baseline_plot", f"scatter-{number}", "png"))

    assert drawn["Content-Disposition"].endswith('-correlations.svg"')
    assert b"chrF2" in drawn.content
    assert len(data) == 6
    assert png.content.startswith(b"\x89PNG")
    for name, kind in (("correlations", "pdf"), ("nonsense", "svg"), ("scatter-0", "svg")):
        assert client.get(url(study, "baseline_plot", name, kind)).status_code == 404


def test_before_there_is_anything_files_lead_back_with_a_sentence() -> None:
    study = make_pairs()
    client = signed_in(study.owner)

    for name, arguments in (
        ("baseline_table", ("tsv",)),
        ("baseline_table", ("tex",)),
        ("baseline_differences", ()),
        ("baseline_values", ()),
    ):
        response = client.get(url(study, name, *arguments), follow=True)
        assert "first." in said(response)[0]
    assert client.get(url(study, "baseline_table", "xlsx")).status_code == 404


def test_every_lexical_measure_can_be_ticked() -> None:
    study = make_pairs()

    page = signed_in(study.owner).get(url(study, "baselines"))

    assert page.context["form"]["lexical"].value() == list(LEXICAL)
