"""The results of a rating study as its pages and its figures show them."""

import csv
import io
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from annotation.core.services import jobs
from annotation.kinds.rating.exports import methods
from annotation.kinds.rating.exports.context_tables import correlations
from annotation.kinds.rating.queries import (
    context_figures,
)
from annotation.kinds.rating.queries import (
    figures as rating_figures,
)
from annotation.kinds.rating.queries import (
    plots as rating_plots,
)
from annotation.kinds.rating.services import scoring as rating_scoring
from annotation.kinds.registry import KINDS
from annotation.models import Job, Study
from annotation.studies.services import studies
from shell.messages import Message
from tests.support.once import made_once
from tests.support.rated_studies import FREE, make_rated
from tests.support.rating_results import ITEMS, rated_study, scored
from tests.support.researcher_pages import in_one_line, signed_in, text, url

pytestmark = pytest.mark.django_db


def test_what_counts_are_phases_and_one_is_not_many() -> None:
    rated = make_rated(["a"])
    rated.answer({"a": 1})
    client = signed_in(rated.study.owner)
    address = url(rated.study, "results")
    assert "1 answer currently counts. It comes from a completed phase" in text(
        client.get(address)
    )
    jobs.run_here(study=rated.study, kind=Job.Kind.SCORE, parameters={"population": "people"})

    page = text(client.get(address))

    assert "Ratings: 1; items rated: 1; people: 1." in page
    assert "even if it makes up less than half" in page
    assert "their squared difference" in page


def test_the_methods_say_of_each_icc_if_its_interval_leaves_out_people() -> None:
    keys = [f"item{n}" for n in range(24)]
    rated = make_rated(keys, conditions=(FREE,))
    for person in range(4):
        rated.answer({key: (n + person * (n % 3 == 0)) % 7 for n, key in enumerate(keys)})
    statistics = scored(rated).results.get().statistics

    said = ["".join(map(str, part)) for part in methods.reliability({"statistics": statistics})]

    icc = statistics["phases"][0]["summary"]["icc"]
    assert icc["2,k"]["interval"]["over"] == icc["3,k"]["interval"]["over"] == "items"
    (caution,) = [part for part in said if "do not cover that other people" in part]
    assert all(f"ICC({kind})" in caution for kind in ("1,1", "1,k", "2,k", "3,k"))


def test_of_one_item_with_an_effect_the_page_says_has() -> None:
    rated = make_rated(["a", "b"])
    for shift in (0, 1):
        rated.answer({"a": shift, "b": shift}, {"a": 5 + shift, "b": shift})

    jobs.run_here(study=rated.study, kind=Job.Kind.SCORE, parameters={"population": "people"})
    page = text(signed_in(rated.study.owner).get(url(rated.study, "results")))

    assert "1 of 2 tested items has a p-value below 0.05." in page
    assert "2 items; k = 2.0 ratings per item (Donner&#x27;s n0" in page


def test_a_study_without_an_earlier_round_has_no_columns_of_one() -> None:
    rated = make_rated(["a", "b", "c"])
    for shift in (0, 1):
        free, dependent = {"a": shift, "b": 2, "c": 5}, {"a": 4 + shift, "b": 1, "c": 3}
        rated.answer(free, dependent)

    jobs.run_here(study=rated.study, kind=Job.Kind.SCORE, parameters={"population": "people"})
    page = text(signed_in(rated.study.owner).get(url(rated.study, "results")))

    assert 'data-table="set_correlations"' in page
    assert 'data-table="score_sets"' in page
    assert "round 1" not in page
    # No items are selected here, so there are no random subsets of as many either.
    assert "random subsets" not in page


def test_items_chosen_by_their_difference_have_no_p_value_against_random_subsets() -> None:
    """Without any effect of context, too, they correlate less than random items."""
    near = {"intended_class": "similar", "earlier_rating": 6}
    rated = make_rated([{"key": key, **near} for key in "abcdef"])
    for shift in (0, 1, 0):
        free = {"a": shift, "b": 1 + shift, "c": 5 + shift, "d": 3, "e": 4, "f": 2 + shift}
        dependent = {"a": 4 + shift, "b": 5, "c": 1, "d": 3 + shift, "e": 4 - shift, "f": 2}
        rated.answer(free, dependent)
    result = scored(rated).results.get()

    table = context_figures.selected_table(result.statistics)
    columns = correlations(result.statistics)

    stored = {row["name"]: row["control"] for row in result.statistics["selected"]}
    assert stored["significant_pooled"]["p"] is not None
    assert table is not None
    shown = {str(name): cells[-1] for name, cells in table.rows}
    chosen = context_figures.set_name("significant_pooled")
    assert shown[chosen] == "–"
    assert shown[context_figures.set_name("N1")] != "–"
    assert any(chosen in str(name) for name, _text, _is_missing in table.remarks)
    names = [column.name for column in columns.columns]
    p_values = [
        dict(zip(names, row, strict=True))["random_p"]
        for row in columns.rows
        if str(row[0]).startswith("significant")
    ]
    assert p_values == [None] * 6


FIGURES = {
    "scores-1",
    "scores-1-by-domain",
    "classes-1",
    "thinking-time-1",
    "thinking-time-1-round-1",
    "calibration-curve-1",
    "calibration-curve-1-round-1",
    "scores-2",
    "p-values",
    "gains",
    "gain-quantiles",
    "waiting-2",
}


@made_once
def study() -> Study:
    return scored(rated_study())


@pytest.fixture
def client(study: Study) -> Client:
    return signed_in(study.owner)


@pytest.mark.slow
def test_the_page_has_the_papers_figures_with_their_numbers(client: Client, study: Study) -> None:
    page = text(client.get(url(study, "results")))

    result = study.results.get()
    plots = KINDS["rating"].results.plots(result)
    assert {plot.key for plot in plots} >= FIGURES
    assert len({plot.key for plot in plots}) == len(plots)
    for plot in plots:
        assert len(plot.caption) > 20
        for kind in ("svg", "png", "tsv"):
            address = url(study, "plot", plot.key, kind)
            assert f'href="{address}?population=people"' in page
            assert client.get(address).status_code == 200


def test_sets_of_items_have_tables_on_the_page_and_as_files(client: Client, study: Study) -> None:
    page = text(client.get(url(study, "results")))

    for name in ("agreement", "set_correlations", "score_sets", "diagonal_filters"):
        assert f'data-table="{name}"' in page
        for kind in ("tsv", "tex"):
            assert f'href="{url(study, "result_table", name, kind)}?population=people"' in page
    body = text(client.get(url(study, "result_table", "set_correlations", "tsv")))
    rows = list(csv.DictReader(io.StringIO(body), delimiter="\t"))
    assert [row["variables"] for row in rows[:3]] == [
        "first_x_free",
        "first_x_dependent",
        "free_x_dependent",
    ]
    # As the fixture has them: round 1, and the means of the first phase.
    first = [6, 4, 3, 0, 1]
    free = [np.mean([6 - n % 2 for n in range(5)]), np.mean([4 + n % 3 for n in range(5)])]
    free += [np.mean([2 + n % 2 for n in range(5)]), np.mean([n % 2 for n in range(5)])]
    free += [np.mean([n % 3 for n in range(5)])]
    expected = np.corrcoef(first, free)[0, 1]
    assert float(rows[0]["pearson"]) == pytest.approx(expected)
    tex = text(client.get(url(study, "result_table", "set_correlations", "tex")))
    assert f"all & round 1 × without context & 5 & {expected:.3f}" in tex


def test_a_closed_study_has_a_way_to_the_next_round(client: Client, study: Study) -> None:
    way = f'href="{reverse("admin:annotation_study_add")}?earlier_round={study.pk}"'
    pages = [url(study, "change"), url(study, "results")]
    assert not any(way in text(client.get(page)) for page in pages)

    studies.close(study=study)

    for page in pages:
        assert way in text(client.get(page)), page


def test_whose_earlier_ratings_they_are_is_named(study: Study) -> None:
    before = make_rated(["a"]).study
    Study.objects.filter(pk=study.pk).update(earlier_round=before)

    (first, *_later) = rating_figures.phases_shown(Study.objects.get(pk=study.pk).results.get())

    assert any(before.title in figure.name for figure in first.figures)


def test_a_wait_of_minutes_is_not_no_wait() -> None:
    rated = make_rated(["a", "b"])
    rated.answer({"a": 1, "b": 2}, {"a": 1, "b": 3}, gap_hours=0.045)
    study = scored(rated)

    (waited,) = context_figures.waiting_shown(study.results.get())

    assert waited.figure.value == "0.045 h"
    assert waited.plot
    assert str(waited.plot.caption).count("0.045") == 3


def test_every_table_of_the_page_has_its_files(client: Client, study: Study) -> None:
    """Each phase's statistics and the effect of context, too: study.json alone is not enough."""
    page = text(client.get(url(study, "results")))
    result = study.results.get()

    tables = KINDS["rating"].releases.result_tables(result.statistics)

    for table in tables:
        for kind in ("tsv", "tex"):
            address = url(study, "result_table", table.name, kind)
            assert f'href="{address}?population=people"' in page, table.name
            assert client.get(address).status_code == 200
    # The data of a figure have links of their own.
    for table in re.split(r"<table", re.sub(r"(?s)<figure.*?</figure>", "", page))[1:]:
        assert "/tables/" in table, table[:300]
    by_name = {table.name: table for table in tables}
    bound = result.statistics["phases"][0]["summary"]["error_bound"]["paper"]
    assert [1, "error_bound_paper", bound["value"]] in [
        list(row[:3]) for row in by_name["phase_statistics"].rows
    ]
    statistics = by_name["phase_statistics"]
    names = [column.name for column in statistics.columns]
    rows = {row[1]: dict(zip(names, row, strict=True)) for row in statistics.rows}
    summary = result.statistics["phases"][1]["summary"]
    interval = summary["alpha"]["ordinal"]["interval"]
    assert rows["alpha_ordinal"]["low"] == interval["low"]
    assert rows["alpha_ordinal"]["interval_note"] == str(interval["reason"] or interval["note"])
    assert "no interval" in rows["error_bound_paper"]["interval_note"]
    assert all(row["interval_over"] for row in rows.values() if row["low"] is not None)
    effect = result.statistics["context"]["tests"]["pooled"]
    assert list(by_name["context_effect"].rows[0][:7]) == ["pooled"] + [
        effect[name]
        for name in ("n_tested", "level", "n_below", "share_below", "n_left", "share_left")
    ]
    assert {"calibration_items", "waiting_times", "scores_by_class"} <= by_name.keys()


def test_the_data_of_a_figure_are_those_of_the_result(client: Client, study: Study) -> None:
    body = text(client.get(url(study, "plot", "gains", "tsv")))

    rows = list(csv.reader(io.StringIO(body), delimiter="\t"))
    histogram = study.results.get().statistics["context"]["tests"]["pooled"]["gains"]["histogram"]
    assert rows[0] == ["gain from", "to", "items"]
    assert [int(row[2]) for row in rows[1:]] == histogram["counts"]
    assert [float(row[0]) for row in rows[1:]] == histogram["edges"][:-1]


def test_every_figure_is_well_formed_and_described(study: Study) -> None:
    for plot in KINDS["rating"].results.plots(study.results.get()):
        root = ElementTree.fromstring(plot.svg)

        assert root.findtext("{http://www.w3.org/2000/svg}title") == plot.title
        assert "style=" not in plot.svg
        assert "nan" not in plot.svg


def test_a_line_is_broken_where_a_value_is_missing() -> None:
    curve = {
        "start": [0.0, 1.0, 2.0, 3.0],
        "pearson": [0.5, None, 0.25, 0.5],
        "rmse": [1.0, 1.0, 1.0, 1.0],
        "n": [3, 1, 3, 3],
        "width": 1.0,
        "reason": None,
    }

    plot = rating_plots._practice_plot({"number": 1, "condition": FREE}, curve)

    assert plot is not None
    paths = re.findall(r'class="plot-line"[^>]* d="([^"]+)"', plot.svg)
    assert [path.count("M") for path in paths] == [2, 1]  # the line, and that of its name


def test_the_page_says_how_many_people_the_pooled_test_takes_for_others(
    client: Client, study: Study
) -> None:
    response = client.get(url(study, "results"))

    assert response.context["context"].n_people_of_both == 5
    assert "5 people rated in both phases." in text(response)


def test_the_table_has_inter_and_intra_agreement_of_each_phase(
    client: Client, study: Study
) -> None:
    page = in_one_line(text(client.get(url(study, "results"))))

    first = study.results.get().statistics["phases"][0]["summary"]
    table = page.split('aria-label="Agreement"')[1].split("</table>")[0]
    row = table.split("phase 1, context-free: intra-annotator, same booklet")[1].split("</tr>")[0]
    cells = re.findall(r"<td>([^<]+)</td>", row)
    assert cells[3:] == [f"{first['intra_annotator']['mse']:.3f}", "10"]
    assert (
        "phase 2, context-dependent: intra-annotator, same booklet</strong>: Not computed" in page
    )


def test_a_study_of_one_phase_says_why_there_is_no_effect_of_context() -> None:
    rated = make_rated(["a", "b"], conditions=(FREE,))
    rated.answer({"a": 1, "b": 2})
    study = scored(rated)

    page = text(signed_in(study.owner).get(url(study, "results")))

    assert "The effect of context was not computed: the design lacks a phase" in page
    assert "no item has two ratings" in page
    assert "Waiting time" not in page


def test_too_many_sources_are_not_compared_and_the_page_says_so(monkeypatch) -> None:
    monkeypatch.setattr(rating_scoring, "MAX_GROUPS", 1)
    study = scored(rated_study())

    page = text(signed_in(study.owner).get(url(study, "results")))

    assert "Scores by domain: no figure, because there are more than 1 groups, too many" in page
    assert "scores-1-by-domain" not in {
        p.key for p in KINDS["rating"].results.plots(study.results.get())
    }


def test_without_any_known_time_the_page_says_so_in_place_of_the_curve() -> None:
    rated = make_rated(["a"], conditions=(FREE,))
    for value in (1, 2):
        rated.answer({"a": value}).judgments.update(active_ms=None)
    study = scored(rated)

    page = text(signed_in(study.owner).get(url(study, "results")))

    remark = "Error by thinking time: no figure, because no rating has a known thinking time."
    assert remark in page


def test_a_partial_correlation_given_equal_earlier_ratings_is_said_to_be_the_plain_one() -> None:
    rated = make_rated([{"key": key, "earlier_rating": 3} for key in "abc"])
    rated.answer({"a": 1, "b": 2, "c": 6}, {"a": 2, "b": 2, "c": 5})
    rated.answer({"a": 2, "b": 4, "c": 6}, {"a": 2, "b": 3, "c": 5})
    study = scored(rated)

    page = text(signed_in(study.owner).get(url(study, "results")))

    assert "partial correlation: no covariate varies, so this is the plain" in page


def test_how_many_items_are_left_out_is_said() -> None:
    rated = make_rated(
        [
            {"key": "a", "intended_class": "similar", "earlier_rating": 6},
            {"key": "b", "metadata": {"domain": "fires"}, "intended_class": "middle"},
            "c",
        ]
    )
    for value in (1, 2):
        rated.answer(dict.fromkeys("abc", value), dict.fromkeys("abc", value))
    study = scored(rated)

    page = text(signed_in(study.owner).get(url(study, "results")))

    assert "1 item without an intended class is left out." in page
    assert "2 items without a domain are left out." in page
    assert "2 items are left out because they lack a round 1 rating" in page


def test_before_anybody_answered_the_pages_say_so() -> None:
    study = make_rated().study
    Study.objects.update(scale={})
    client = signed_in(study.owner)

    assert "Nothing to score yet" in text(client.get(url(study, "results")))
    assert "No scores yet" in text(client.get(url(study, "result_items")))


def test_a_result_without_answers_can_be_shown() -> None:
    study = scored(make_rated(calibration={"none": 0}))

    assert signed_in(study.owner).get(url(study, "results")).status_code == 200


@pytest.mark.slow
def test_every_sentence_of_the_statistics_is_a_message(study: Study, monkeypatch) -> None:
    one_phase = make_rated(["a", "b"], conditions=(FREE,))
    one_phase.answer({"a": 1, "b": 2})
    alike = make_rated()
    for _person in range(2):
        alike.answer(dict.fromkeys("abcd", 3), dict.fromkeys("abcd", 3))
    unclear = make_rated(ITEMS)
    for n in range(3):
        unclear.answer({"a": n, "b": n}, {"a": n, "b": 2 - n})

    items = [{"key": "a", "metadata": {"domain": "fires", "source": "radio"}}, "b", "c"]
    incomplete = make_rated(items, calibration={"x": 0})
    incomplete.items["x"].expected = None
    incomplete.items["x"].save()
    for keys in ("abc", "abc", "ab"):
        incomplete.answer({key: n for n, key in enumerate(keys)}, calibration=[{"x": 1}])
    nobody = make_rated(calibration={"x": 0})

    studies = [study, *map(scored, (one_phase, alike, unclear, incomplete, nobody))]
    monkeypatch.setattr(rating_scoring, "MAX_GROUPS", 1)
    studies.append(scored(make_rated(items)))
    sentences = [text for study in studies for text in _sentences(study.results.get().statistics)]

    assert len(set(sentences)) > 50
    assert {text for text in sentences if not isinstance(text, Message)} == set()


def _sentences(value: object, key: str = "") -> list[str]:
    if isinstance(value, dict):
        return [
            sentence
            for k, v in value.items()
            if k != "definitions"
            for sentence in _sentences(v, str(k))
        ]
    if isinstance(value, list):
        return [sentence for part in value for sentence in _sentences(part, key)]
    is_sentence = key in {"definition", "reason", "interval_reason", "note"}
    return [value] if is_sentence and isinstance(value, str) else []
