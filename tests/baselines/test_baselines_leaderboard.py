"""The stored leaderboard: what it holds measures against, in which parts, and when it is old."""

import io
import math

import numpy as np
import pytest
from scipy.stats import kendalltau

from annotation.baselines.queries import leaderboards
from annotation.baselines.queries.comparable_measures import comparable
from annotation.baselines.queries.score_sources import ColumnSource, ResultSource
from annotation.baselines.services import baselines, measure_uploads
from annotation.baselines.services.report_options import ReportOptions
from annotation.baselines.services.specifications import WITH_MODELS
from annotation.basics.errors import AnnotationError, StateError
from annotation.kinds.rating.queries.baseline_pairs import read_pairs
from annotation.models import BaselineReport, Item, Study
from annotation.people.services import exclusions
from scoring import pearson, spearman
from scoring.baselines import Specification
from scoring.baselines.lexical import lexical_values
from tests.support.baseline_studies import MEAN, TEXTS, compute, make_pairs
from tests.support.researcher_pages import signed_in, url
from tests.support.reviewing import score, scored_dialogues, scored_ratings

pytestmark = pytest.mark.django_db


def report_of(study: Study) -> BaselineReport:
    report = leaderboards.latest_report(study)
    assert report is not None
    return report


def options(**changes: object) -> ReportOptions:
    return ReportOptions(**{"people": MEAN.people, "n_resamples": 20, **changes})


def parts_of(study: Study) -> dict[tuple[str, str], leaderboards.Part]:
    return {(part.by, part.label): part for part in leaderboards.rows_shown(report_of(study))}


# -- Figures ------------------------------------------------------------------------------------


def test_the_leaderboard_has_the_correlations_with_what_people_said() -> None:
    study = make_pairs()

    job = compute(study)

    (part,) = leaderboards.rows_shown(report_of(study))
    assert (part.by, part.label, part.n) == ("", "", 6)
    assert [row.name for row in part.rows] == ["SQuAD F1", "chrF2"]
    human = [mean for _target, _candidate, mean in TEXTS]
    values = lexical_values("chrf", read_pairs(study).pairs)
    row = part.rows[1]
    expected = {
        "pearson": pearson,
        "spearman": spearman,
        "kendall": lambda x, y: kendalltau(x, y)[0],
    }
    for name, correlation in expected.items():
        figure = row.figures[name]
        assert figure["value"] == pytest.approx(float(correlation(human, values)), abs=1e-12)
        assert figure["low"] < figure["value"] < figure["high"]
        assert (figure["method"], figure["reason"]) == ("bca", None)
    assert (row.n, row.baseline) == (6, study.baselines.get(measure="chrf").pk)
    assert report_of(study).job == job


def test_the_same_seed_gives_the_same_figures() -> None:
    first, second, other = make_pairs(), make_pairs(), make_pairs()
    other.designs.update(seed=2)
    for study in (first, second, other):
        compute(study)

    figures = [report_of(study).figures["subsets"] for study in (first, second, other)]

    assert figures[0] == figures[1]
    assert figures[0] != figures[2]


def test_without_resamples_the_intervals_are_fishers() -> None:
    study = make_pairs()

    compute(study, options=options(n_resamples=0, level=0.9, test="williams"))

    figure = leaderboards.rows_shown(report_of(study))[0].rows[0].figures["pearson"]
    assert figure["method"] == "fisher"
    assert figure["low"] < figure["value"] < figure["high"]
    assert (report_of(study).figures["level"], report_of(study).figures["test"]) == (
        0.9,
        "williams",
    )


def test_an_undefined_correlation_has_its_reason() -> None:
    study = make_pairs()
    table = "".join(f"p{n}\t0.5\n" for n in range(1, 7))
    measure_uploads.upload(study=study, name="Constant", file=io.BytesIO(table.encode()))

    compute(study)

    row = leaderboards.rows_shown(report_of(study))[0].rows[0]
    assert (row.name, row.figures["pearson"]["value"]) == ("Constant", None)
    assert "are equal" in row.figures["pearson"]["reason"]


def test_the_ceiling_is_that_of_peoples_scores() -> None:
    study = make_pairs(sd=["0.5"] * 6)
    source = ColumnSource(name="mean", deviation="sd", n=32)

    compute(study, options=options(people=source))

    ceiling = report_of(study).figures["subsets"][0]["ceiling"]
    assert 0.9 < ceiling["value"] < 1
    assert ceiling["source"] == "deviations"


@pytest.mark.slow
def test_dialogues_are_drawn_whole() -> None:
    study = scored_dialogues(dialogues=10)

    compute(study, options=ReportOptions(n_resamples=20))

    subset = report_of(study).figures["subsets"][0]
    assert (subset["resampled"], subset["n_units"]) == ("pools", 10)
    assert report_of(study).parameters["options"]["people"] == {"from": "result", "phase": None}
    assert report_of(study).parameters["result"] == study.results.get().pk


def test_without_any_scores_there_are_values_and_no_leaderboard() -> None:
    study = make_pairs()

    job = compute(study, options=ReportOptions())

    assert job.state == "done", job.error
    assert study.baselines.count() == 2
    assert leaderboards.latest_report(study) is None


def test_scores_that_were_asked_for_and_are_not_there_are_said_to_be_missing() -> None:
    study = make_pairs()

    job = compute(study, options=options(people=ColumnSource(name="sd")))

    assert job.state == "failed"
    assert job.problems == ["no item has a value in the column 'sd'; choose another"]
    assert study.baselines.count() == 2


# -- Parts --------------------------------------------------------------------------------------


def test_domains_turns_and_columns_divide_the_items() -> None:
    study = scored_dialogues(dialogues=4)
    Item.objects.filter(study=study, number__lte=5).update(metadata={"level": 2})
    Item.objects.filter(study=study, number__gt=5, number__lt=20).update(metadata={"level": 10})

    compute(study, options=ReportOptions(by=("domain", "turns", "level"), n_resamples=0))

    assert [(part.by, part.label, part.n) for part in parts_of(study).values()] == [
        ("", "", 20),
        ("domain", "repair", 10),
        ("domain", "travel", 10),
        ("turns", "3", 10),
        ("turns", "5", 10),
        ("level", "2", 5),
        ("level", "10", 14),
        ("level", "", 1),
    ]


def test_a_part_has_the_correlations_of_its_items() -> None:
    study = make_pairs(kind=["a", "b", "a", "b", "a", "a"])

    compute(study, options=options(by=("kind",), n_resamples=0))

    part = parts_of(study)["kind", "a"]
    rows = [0, 2, 4, 5]
    human = [TEXTS[n][2] for n in rows]
    values = lexical_values("chrf", read_pairs(study).pairs)[rows]
    figure = part.rows[1].figures["pearson"]
    assert figure["value"] == pytest.approx(float(pearson(human, values)), abs=1e-12)


def test_texts_with_and_without_a_common_word_are_two_parts() -> None:
    study = make_pairs()

    compute(study, options=options(by=("word_overlap", "f1_zero"), n_resamples=0))

    found = {named: part.n for named, part in parts_of(study).items()}
    # "The cat …" and "Trains were late again.", "Where is the station?" and "I have 2 dogs.",
    # "I have 2 dogs." and "She has a cat." have none.
    assert found == {
        ("", ""): 6,
        ("word_overlap", "no shared word"): 3,
        ("word_overlap", "shared word"): 3,
        ("f1_zero", "f1_eq_0"): 3,
        ("f1_zero", "f1_ne_0"): 3,
    }


def test_an_expression_makes_two_parts_and_says_who_lacks_what_it_asks_for() -> None:
    study = make_pairs(level=["1", "2", "", "4", "5", "6"])

    compute(study, options=options(expression="level  > 3 or has_digit(second)", n_resamples=0))

    found = {named: part.n for named, part in parts_of(study).items()}
    text = "level > 3 or has_digit(second)"
    assert found == {("", ""): 6, (text, "true"): 3, (text, "false"): 3}
    assert report_of(study).parameters["lacking"] == {"level": 1}


def test_parts_without_an_item_that_counts_are_left_out() -> None:
    study = make_pairs(kind=["a", "b", "a", "b", "a", "a"])

    compute(study, options=options(by=("kind",), where='kind == "a"', n_resamples=0))

    assert {named: part.n for named, part in parts_of(study).items()} == {
        ("", ""): 4,
        ("kind", "a"): 4,
    }


def test_only_items_that_are_meant_count_in_figures_and_ceiling() -> None:
    study = make_pairs(
        calibration=["0", "0", "0", "0", "0", "1"], sd=["0.5", "0.5", "0.5", "0.5", "0.5", "9"]
    )
    source = ColumnSource(name="mean", deviation="sd", n=32)
    part_of_all = make_pairs(TEXTS[:5], sd=["0.5"] * 5)

    compute(study, options=options(people=source, where='calibration == "0"'))
    compute(part_of_all, options=options(people=source))

    (part,), (expected,) = (
        leaderboards.rows_shown(report_of(one)) for one in (study, part_of_all)
    )
    assert part.n == 5
    assert [row["n_missing"] for row in report_of(study).figures["subsets"][0]["rows"]] == [0, 0]
    value, same = (one.rows[0].figures["pearson"]["value"] for one in (part, expected))
    assert value == same
    ceiling, same = (
        report_of(one).figures["subsets"][0]["ceiling"]["value"] for one in (study, part_of_all)
    )
    assert ceiling == same


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"where": "calibration == 1"}, "No item has a value for calibration"),
        ({"expression": "mood == 1"}, "No item has a value for mood"),
        ({"where": "n_words(first) > 100"}, "None of the 6 items"),
    ],
)
def test_an_expression_that_says_nothing_is_refused(changes: dict, said: str) -> None:
    study = make_pairs()

    job = compute(study, options=options(**changes))

    assert job.state == "failed"
    assert said in job.problems[0]
    assert study.baselines.count() == 2


@pytest.mark.parametrize("name", ["mood", "id"])
def test_what_no_item_has_divides_nothing(name: str) -> None:
    study = make_pairs()

    job = compute(study, options=options(by=(name,)))

    (problem,) = job.problems
    assert f"No item has a value for {name}. Choose one of" in problem
    assert "word_overlap" in problem


def test_too_many_parts_are_refused() -> None:
    many = [(f"Text {n}.", f"Other {n}.", n / 10) for n in range(51)]
    study = make_pairs(many, number=[str(n) for n in range(51)])

    job = compute(study, options=options(by=("number",)))

    assert "number has 51 different values" in job.problems[0]


def test_all_parts_together_can_be_too_many() -> None:
    many = [(f"Text {n}.", f"Other {n}.", n / 10) for n in range(30)]
    study = make_pairs(many, one=list(map(str, range(30))), two=list(map(str, range(30))))

    job = compute(study, options=options(by=("one", "two")))

    assert "These choices give 61 subsets" in job.problems[0]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"where": "import os"}, "cannot be read at column"),
        ({"expression": "first"}, "neither true nor false"),
    ],
)
def test_an_expression_that_cannot_be_read_is_refused_at_once(changes: dict, said: str) -> None:
    study = make_pairs()

    with pytest.raises(AnnotationError, match=said):
        baselines.request(study=study, options=options(**changes))

    assert not study.jobs.exists()


# -- Outdated -----------------------------------------------------------------------------------


def test_a_leaderboard_of_today_is_not_outdated() -> None:
    study = make_pairs()
    compute(study)

    assert not leaderboards.is_outdated(report_of(study))


def test_items_imported_anew_outdate_it_only_if_they_differ() -> None:
    study = make_pairs()
    compute(study)
    report = report_of(study)

    # The same texts under other primary keys, as of the same file imported again.
    rows = list(study.items.order_by("number"))
    study.items.all().delete()
    for row in rows:
        row.pk = None
        row.save(force_insert=True)
    assert leaderboards.why_outdated(report) == []
    row.pk = None
    row.key, row.number, row.candidate_text = "p7", 7, "Something else."
    row.save(force_insert=True)

    said = [str(one) for one in leaderboards.why_outdated(report)]
    assert said[0] == "The items have changed. Compute the leaderboard again."


@pytest.mark.slow
def test_scores_computed_again_outdate_it() -> None:
    study = scored_dialogues()
    compute(study, options=ReportOptions(n_resamples=0))
    report = report_of(study)
    assert leaderboards.why_outdated(report) == []

    score(study)

    (said,) = leaderboards.why_outdated(report)
    assert "People's scores have changed" in str(said)


def test_answers_that_no_longer_count_outdate_it() -> None:
    study = scored_ratings({"p1": ("6", "5"), "p2": ("3", "0"), "p3": ("1", "1")})
    compute(study, options=ReportOptions(n_resamples=0))
    annotator = study.annotators.first()
    exclusions.exclude(annotator=annotator, reason="Said it was a test.", by=study.owner)

    (said,) = leaderboards.why_outdated(report_of(study))

    assert "People's scores have changed" in str(said)


def test_an_uploaded_measure_outdates_it() -> None:
    study = make_pairs()
    compute(study)

    measure_uploads.upload(study=study, name="Mine", file=io.BytesIO(b"p1\t1\np2\t0\n"))

    (said,) = leaderboards.why_outdated(report_of(study))
    assert "added or removed" in str(said)


def test_a_removed_measure_keeps_its_row_without_a_link() -> None:
    study = make_pairs()
    compute(study)

    baselines.remove(baseline=study.baselines.get(measure="chrf"))

    rows = leaderboards.rows_shown(report_of(study))[0].rows
    assert [row.name for row in rows] == ["SQuAD F1", "chrF2"]
    assert [row.baseline is None for row in rows] == [False, True]


# -- One measure --------------------------------------------------------------------------------


def test_points_are_the_items_with_both_values() -> None:
    study = make_pairs()
    table = b"p1\t0.9\np3\t0.4\np6\t-1\n"
    one = measure_uploads.upload(study=study, name="Mine", file=io.BytesIO(table)).made[0]
    Item.objects.filter(key="p3").update(metadata={})
    assert MEAN.people is not None

    points = leaderboards.points(study, one, MEAN.people)

    assert points == [
        leaderboards.Point("p1", 3.6, 0.9),
        leaderboards.Point("p6", 1.2, -1.0),
    ]


def test_the_largest_disagreement_comes_first() -> None:
    study = make_pairs()
    # People: p4 < p2 < p6 < p3 < p1 < p5.
    table = b"p4\t6\np2\t2\np6\t3\np3\t4\np1\t5\np5\t1\n"
    one = measure_uploads.upload(study=study, name="Mine", file=io.BytesIO(table)).made[0]
    assert MEAN.people is not None

    found = leaderboards.largest_disagreements(study, one, MEAN.people, n=3)

    # Ranks 0 and 5 of 5, 5 and 0; p1 has 4 and 4, and so on.
    assert [(row.key, row.difference) for row in found] == [("p4", -1.0), ("p5", 1.0)]
    assert (found[0].first, found[0].second) == TEXTS[3][:2]
    assert (found[0].people, found[0].measure) == (0.1, 6.0)


@pytest.mark.slow
def test_most_frequent_ratings_stand_beside_a_measure_as_they_were_given() -> None:
    labels = {"0": "different", "1": "partly the same", "2": "the same"}
    scale = {"low": "0", "high": "2", "step": "1", "labels": labels}
    ratings = {"p1": ("2", "0", "2"), "p2": ("1", "1", "2"), "p3": ("0", "0", "0")}
    study = scored_ratings(ratings, scale=scale)
    table = b"p1\t0.1\np2\t0.2\np3\t0.9\n"
    one = measure_uploads.upload(study=study, name="Mine", file=io.BytesIO(table)).made[0]
    majority = ResultSource(phase=1, by="majority")
    compute(study, options=ReportOptions(people=majority, n_resamples=10))

    page = signed_in(study.owner).get(url(study, "baseline", one.pk))

    assert [row[2] for row in page.context["plot"].rows] == ["2", "1", "0"]
    assert [row[0] for row in page.context["boxes"].rows] == ["0", "1", "2"]
    shown = {row.key: row.people for row in page.context["disagreements"]}
    assert shown == {"p1": 2.0, "p3": 0.0}
    assert page.context["people_digits"] == 0


def test_whether_a_measure_is_ranked_is_said_by_the_measure() -> None:
    study = make_pairs()
    compute(study)
    assert [one.measure for one in comparable(study)] == ["squad_f1", "chrf"]
    within = next(key for key, one in WITH_MODELS.items() if not one.compares_over_items)
    study.baselines.filter(measure="chrf").update(measure=within)

    compute(study, Specification("squad_f1"))

    [part] = leaderboards.rows_shown(report_of(study))
    assert [row.name for row in part.rows] == ["SQuAD F1"]


def test_a_constant_measure_disagrees_with_nobody() -> None:
    study = make_pairs()
    one = measure_uploads.upload(
        study=study, name="Mine", file=io.BytesIO(b"p1\t1\np2\t1\n")
    ).made[0]
    assert MEAN.people is not None

    assert leaderboards.largest_disagreements(study, one, MEAN.people) == []


def test_values_of_other_texts_have_no_points() -> None:
    study = make_pairs()
    one = measure_uploads.upload(
        study=study, name="Mine", file=io.BytesIO(b"p1\t1\np2\t0\n")
    ).made[0]
    study.items.filter(key="p1").update(candidate_text="Other.")
    assert MEAN.people is not None

    with pytest.raises(StateError, match="Mine was computed for an earlier set of items"):
        leaderboards.points(study, one, MEAN.people)


def test_figures_are_plain_numbers() -> None:
    study = make_pairs()
    compute(study)

    report = report_of(study)

    report.refresh_from_db()
    assert not math.isnan(report.figures["subsets"][0]["rows"][0]["n"])
    assert np.isfinite(report.figures["subsets"][0]["differences"][0]["p_value"])
