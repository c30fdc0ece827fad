"""How sure the scores are and how each annotator answered: stored, shown and exported."""

import csv
import io
import json
import zipfile
from pathlib import Path

import pytest

from annotation.answering.services import assignments, withdrawal
from annotation.core.services import jobs
from annotation.designs.services import designs
from annotation.items.services import imports
from annotation.kinds.best_worst.queries import plots
from annotation.models import Annotator, AnnotatorStatistics, Job, Result, Study
from annotation.people.services import exclusions
from annotation.releases.exports import archive
from scoring import jackknife
from scoring.best_worst import newton
from tests.support.answering import answer_one
from tests.support.factories import join, make_open_study, make_study, make_user
from tests.support.researcher_pages import finish_booklet, signed_in, text, url

pytestmark = pytest.mark.django_db

N_QUESTIONS = 40
WHOLE = {"screens_per_booklet": 100, "annotations_per_tuple": 4}


def answer_alike(study: Study, *, reverse: bool = False) -> Annotator:
    """Somebody who answers everything: items of lower numbers are better, or worse."""
    joined = join(study)
    for question in joined.assignment.booklet.questions.all():
        low, high = 0, len(members(question)) - 1
        best, worst = (high, low) if reverse else (low, high)
        order = sorted(range(high + 1), key=lambda place: members(question)[place])
        answer_one(joined.assignment, question, best=order[best], worst=order[worst])
    assignments.submit(assignment=joined.assignment)
    return joined.annotator


def members(question) -> list[int]:
    return list(question.tuple.members.order_by("position").values_list("item_id", flat=True))


@pytest.fixture
def study() -> Study:
    return make_open_study(dialogues=4, parameters=WHOLE)


def score(study: Study) -> Result:
    job = jobs.run_here(study=study, kind=Job.Kind.SCORE, parameters={"n_splits": 5})
    assert job.state == Job.State.DONE, job.error
    return job.result


def exported(study: Study, name: str) -> list[dict[str, str]]:
    file = io.BytesIO()
    archive.write_archive(study, "people", file)
    with zipfile.ZipFile(file) as members:
        content = members.read(name).decode()
    return list(csv.DictReader(io.StringIO(content, newline=""), delimiter="\t"))


# -- Stored ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_whoever_answers_the_other_way_round_agrees_with_nobody(study: Study) -> None:
    alike = [answer_alike(study) for _ in range(3)]
    other = answer_alike(study, reverse=True)

    result = score(study)

    found = dict(result.annotators.values_list("annotator", "compliance"))
    assert set(found) == {person.pk for person in [*alike, other]}
    assert found[other.pk] == 0
    assert all(found[person.pk] > 0.9 for person in alike)
    assert result.statistics["compliance"]["lowest"] == 0
    assert {row.n_judgments for row in result.annotators.all()} == {N_QUESTIONS}


@pytest.mark.slow
def test_people_who_all_agree_make_most_orders_of_a_pool_certain(study: Study) -> None:
    for _ in range(3):
        answer_alike(study)

    result = score(study)

    intervals = result.statistics["score_intervals"]
    assert intervals["n_pairs"] == 4 * 10
    assert intervals["certain_share"] > 0.5
    rows = list(result.item_scores.order_by("item__number"))
    assert all(row.low <= row.score <= row.high and row.standard_error > 0 for row in rows)
    assert all(1 <= row.rank_low <= row.rank_high <= 5 for row in rows)
    assert all(1 <= row.first_group <= row.last_group for row in rows)
    for pool in study.pools.all():
        of_pool = [row for row in rows if row.item.pool_id == pool.pk]
        by_score = sorted(of_pool, key=lambda row: row.score)
        by_utility = sorted(of_pool, key=lambda row: row.utility)
        assert [row.item_id for row in by_score] == [row.item_id for row in by_utility]
        assert sum(row.utility for row in of_pool) == pytest.approx(0, abs=1e-9)


def test_the_place_on_the_screen_is_tested_not_the_stored_one(study: Study) -> None:
    joined = join(study)
    for question in joined.assignment.booklet.questions.all():
        answer_one(joined.assignment, question, best=0, worst=2)
    assignments.submit(assignment=joined.assignment)
    # As if all had been shown in the order of another shuffle: the second was always chosen.
    for judgment in joined.assignment.judgments.all():
        order = judgment.shown_order
        order.remove(judgment.best_id)
        judgment.shown_order = [order[0], judgment.best_id, *order[1:]]
        judgment.save()

    result = score(study)

    best = result.statistics["positions"]["overall"]["best"]
    assert best["counts"] == [[0, N_QUESTIONS, 0]]
    # All in one of three places: n (k - 1).
    assert best["statistic"] == [pytest.approx(N_QUESTIONS * 2)]
    row = result.annotators.get()
    assert row.best_chi_square == pytest.approx(N_QUESTIONS * 2)
    assert row.best_p < 1e-12


def test_answers_that_do_not_say_where_the_options_stood_are_not_tested(study: Study) -> None:
    annotator = finish_booklet(study)
    annotator.assignments.get().judgments.update(shown_order=None)

    result = score(study)

    assert "is unknown" in result.statistics["positions"]["reason"]
    assert (result.annotators.get().best_p, result.annotators.get().compliance) == (None, None)


@pytest.mark.slow
@pytest.mark.parametrize(("fewest", "left_out"), [(4, ("pools", 4)), (5, ("tuples", N_QUESTIONS))])
def test_alpha_has_an_interval_over_the_dialogues_if_there_are_enough(
    study: Study, monkeypatch: pytest.MonkeyPatch, fewest: int, left_out: tuple[str, int]
) -> None:
    monkeypatch.setattr(jackknife, "MIN_POOLS", fewest)
    for reverse in (False, False, True):
        answer_alike(study, reverse=reverse)

    interval = score(study).statistics["overall"]["alpha"]["joint"]["slot"]["interval"]

    assert (interval["left_out"], interval["n_units"]) == left_out
    assert interval["n_people"] == 3
    assert interval["low"] <= interval["high"]


@pytest.mark.slow
def test_pools_that_needed_the_ridge_are_named(study: Study) -> None:
    # People who all agree leave no strongly connected pool.
    for _ in range(2):
        answer_alike(study)

    result = score(study)

    assert result.statistics["ranking"]["penalised_pools"] == ["d1", "d2", "d3", "d4"]
    page = text(signed_in(study.owner).get(url(study, "result_items")))
    assert "4 of 4 pools needed a ridge penalty of strength 0.1: d1, d2, d3, d4." in page
    assert 'id="reference-Marley2005"' in page


@pytest.mark.slow
def test_one_answer_to_each_tuple_gives_wide_intervals(study: Study) -> None:
    answer_alike(study)

    result = score(study)

    assert all(row.high - row.low > 0.2 for row in result.item_scores.all())
    assert result.statistics["score_intervals"]["n_people"] == 1
    page = text(signed_in(study.owner).get(url(study, "results")))
    assert "Item pairs that differ significantly" in page
    assert "Only 1 person answered" in page
    assert 'id="caption-intervals"' in page


@pytest.mark.slow
def test_what_was_computed_of_somebody_goes_when_they_withdraw(study: Study) -> None:
    staying, going = answer_alike(study), answer_alike(study)
    score(study)

    withdrawal.withdraw(annotator=going)

    assert not AnnotatorStatistics.objects.exists()
    result = score(study)
    assert list(result.annotators.values_list("annotator", flat=True)) == [staying.pk]


def test_a_pool_too_large_for_standard_errors_has_utilities(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(newton, "MAX_DENSE_ITEMS", 4)
    answer_alike(study)

    result = score(study)

    assert result.statistics["ranking"]["n_without_errors"] == 4
    assert not result.item_scores.filter(utility=None).exists()
    assert not result.item_scores.exclude(utility_error=None).exists()
    page = text(signed_in(study.owner).get(url(study, "result_items")))
    assert "4 pools are too large" in page


def test_utilities_that_cannot_be_found_say_so_and_the_rest_is_there(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(newton, "MAX_ITERATIONS", 1)
    answer_alike(study)

    result = score(study)

    assert "did not converge" in result.statistics["ranking"]["reason"]
    assert set(result.item_scores.values_list("utility", "utility_error")) == {(None, None)}
    assert result.item_scores.exclude(score=None).count() == 20
    page = text(signed_in(study.owner).get(url(study, "result_items")))
    assert "No utilities: the fit of 5 items did not converge" in page


# -- Shown ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_pages_show_them(study: Study) -> None:
    for reverse in (False, False, True):
        answer_alike(study, reverse=reverse)
    score(study)
    client = signed_in(study.owner)

    page = text(client.get(url(study, "results")))
    items = text(client.get(url(study, "result_items")))
    rows = text(client.get(url(study, "people")))

    assert "Split-half reliability (Spearman), split by annotator" in page
    assert "The interval accounts for the choice of tuples only" in page
    assert "Item pairs that differ significantly" in page
    assert "Median of 3 annotators; lowest: 0.0\u00a0%." in page
    assert "Position of the best picks (p-value)" in page
    assert 'id="caption-intervals"' in page
    assert 'id="caption-projection"' in page
    assert "Marley2005" in items
    assert items.count(" to ") >= 20
    assert "Agrees with the others" in rows
    assert ">0.0\u00a0%<" in rows


def test_pages_of_a_result_from_before_are_as_they_were(study: Study) -> None:
    finish_booklet(study)
    result = score(study)
    names = ("projection", "score_intervals", "ranking", "compliance", "positions")
    for name in names:
        del result.statistics[name]
    for codings in result.statistics["overall"]["alpha"].values():
        for alpha in codings.values():
            del alpha["interval"]
    result.save()
    result.annotators.all().delete()
    result.item_scores.update(
        low=None, high=None, standard_error=None, utility=None, utility_error=None
    )
    client = signed_in(study.owner)

    page = text(client.get(url(study, "results")))
    items = client.get(url(study, "result_items"))

    assert "Split-half reliability" in page
    assert "that differ significantly" not in page
    assert 'id="caption-intervals"' not in page
    assert items.status_code == 200


def test_a_plot_of_many_items_draws_some_and_its_file_has_all() -> None:
    plot = plots.range_plot(ranges_of(1000), {})

    assert plot is not None
    assert plot.svg.count("<circle") == plots.MAX_PLOTTED_ITEMS
    assert "i999: " in plot.svg
    assert "i0: " in plot.svg
    assert (len(plot.rows), plot.n_more, len(plot.data)) == (plots.MAX_TABLE_ROWS, 900, 1000)
    assert plot.data[0][:2] == [1, "i999"]
    assert "The figure shows 240 of them" in plot.caption


def test_a_plot_over_pools_does_not_call_its_places_ranks() -> None:
    of_one_pool = plots.range_plot(ranges_of(20), {})
    of_pools = plots.range_plot(ranges_of(20, n_pools=2), {})

    assert of_one_pool is not None
    assert of_pools is not None
    assert of_one_pool.header[0] == "rank"
    assert "rank" not in [of_pools.header[0], *of_pools.caption.split()]
    assert "2 pools" in of_pools.caption
    assert "pool" not in of_one_pool.caption


def ranges_of(n_items: int, n_pools: int = 1) -> list[plots.ItemRange]:
    return [
        plots.ItemRange(
            key=f"i{n}",
            score=n / 1000,
            low=0.0,
            high=1.0,
            standard_error=0.1,
            pool_id=n % n_pools,
        )
        for n in range(n_items)
    ]


# -- Exported -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_export_has_what_the_latest_scoring_computed(study: Study) -> None:
    staying, other = answer_alike(study), answer_alike(study, reverse=True)
    result = score(study)

    items, annotators = exported(study, "items.tsv"), exported(study, "annotators.tsv")

    for row in result.item_scores.select_related("item"):
        line = next(line for line in items if line["id"] == row.item.key)
        for column, value in (
            ("score_low", row.low),
            ("score_high", row.high),
            ("score_se", row.standard_error),
            ("rank_low", row.rank_low),
            ("rank_high", row.rank_high),
            ("first_group", row.first_group),
            ("last_group", row.last_group),
            ("utility", row.utility),
            ("utility_se", row.utility_error),
        ):
            assert float(line[column]) == value
    assert [line["annotator"] for line in annotators] == sorted(
        [staying.pseudonym, other.pseudonym]
    )
    assert {line["counted_judgments"] for line in annotators} == {str(N_QUESTIONS)}
    assert {float(line["compliance"]) for line in annotators} == {0.0}
    assert all(0 <= float(line["best_position_p"]) <= 1 for line in annotators)


@pytest.mark.slow
def test_what_was_computed_from_other_answers_is_not_exported_with_these(study: Study) -> None:
    answer_alike(study)
    answer_alike(study, reverse=True)
    score(study)
    excluded = answer_alike(study, reverse=True)

    items, annotators = exported(study, "items.tsv"), exported(study, "annotators.tsv")

    assert {line["score_low"] for line in items} == {""}
    assert {line["compliance"] for line in annotators} == {""}
    assert len(annotators) == 3
    exclusions.exclude(annotator=excluded, reason="A test.", by=make_user())
    assert {line["score_low"] for line in exported(study, "items.tsv")} != {""}
    assert len(exported(study, "annotators.tsv")) == 2


@pytest.mark.slow
def test_the_statistics_of_the_export_have_no_list_of_people(study: Study) -> None:
    people = [answer_alike(study) for _ in range(2)]

    statistics = score(study).statistics

    assert "by_annotator" not in json.dumps(statistics["positions"])
    assert set(statistics["compliance"]) == {
        "definition",
        "n_annotators",
        "median",
        "lowest",
        "reason",
    }
    assert not any(person.pseudonym in json.dumps(statistics) for person in people)


def test_the_table_of_items_has_what_the_file_said_of_pairs_without_a_dialogue(
    tmp_path: Path,
) -> None:
    path = tmp_path / "pairs.tsv"
    rows = [f"p{n}\tone {n}\ttwo {n}\t{('news', 'blogs')[n % 2]}\tweb" for n in range(8)]
    path.write_text("\n".join(["id\ttarget\tcandidate\tdomain\tsource", *rows]))
    study = make_study(dialogues=0, preset="best-worst")
    imports.import_items(study=study, path=path, filename=path.name)
    designs.make(design=study.design)

    items = exported(study, "items.tsv")

    domains = {row["id"]: (row["domain"], row["source"]) for row in items}
    assert domains == {f"p{n}": (("news", "blogs")[n % 2], "web") for n in range(8)}
