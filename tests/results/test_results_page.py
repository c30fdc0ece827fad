"""What stands beside the figures of a result, so that nobody reads too much out of them."""

from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from django.utils import translation

from annotation.core.services import jobs
from annotation.kinds.best_worst.queries import figures, groups
from annotation.kinds.queries.said_once import in_one
from annotation.models import Context, Job, Result, Study
from scoring import BestWorst, by_group, mean_over_cells, score_intervals, summarise
from shell.messages import message, ngettext
from tests.scoring.batches import dialogue_tuples, random_clicking
from tests.support.factories import make_open_study
from tests.support.researcher_pages import finish_booklet, signed_in, text, url

TUPLES = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]])


def answers(*of_tuples: list[tuple[int, int]]) -> BestWorst:
    """Best and worst slot of each answer to each tuple."""
    tuple_number = np.repeat(np.arange(len(of_tuples)), [len(picks) for picks in of_tuples])
    slots = np.array([pair for picks in of_tuples for pair in picks]).reshape(-1, 2)
    best, worst = TUPLES[tuple_number, slots[:, 0]], TUPLES[tuple_number, slots[:, 1]]
    return BestWorst(TUPLES[: len(of_tuples)], tuple_number, best, worst, n_items=12)


def summary(*of_tuples: list[tuple[int, int]], n_splits: int = 9) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    return summarise(answers(*of_tuples), n_splits=n_splits, rng=rng).as_dict()


def headline(of: dict[str, Any], start: str) -> figures.Figure:
    return next(figure for figure in figures.figures(of) if str(figure.name).startswith(start))


# Two tuples of two answers that mostly agree, each slot picked.
AGREEING = ([(0, 1), (0, 1)], [(1, 2), (1, 2)], [(2, 0), (2, 1)])


def table(labels: list[str], *of_tuples: list[tuple[int, int]]) -> groups.GroupTable:
    cells = by_group(answers(*of_tuples), labels, n_splits=3, rng=np.random.default_rng(1))
    group = {
        "cells": {label: cell.as_dict() for label, cell in cells.items()},
        "means": {
            weighting: {
                name: mean.as_dict()
                for name, mean in mean_over_cells(cells, weighting=weighting).items()
            }
            for weighting in ("cells", "judgments")
        },
    }
    result = Result(statistics={"overall": summary(*of_tuples), "groups": {"source": group}})
    return groups.group_tables(result)[0]


def test_the_spread_over_splits_is_not_shown_as_an_error_of_the_value() -> None:
    of = summary(*AGREEING)
    over_splits = of["split_half"]["random"]["spearman"]

    figure = headline(of, "Split-half reliability (Spearman), random")

    assert figure.value == f"{over_splits['mean']:.3f}"
    assert figure.spread == (
        f"standard deviation over splits: {over_splits['sd']:.3f} (this is not the sampling error)"
    )
    assert "all 9 items appear in both halves of every split" in figure.remark
    assert headline(summary(*AGREEING, n_splits=1), "Split-half").spread == ""


def test_spearman_brown_says_what_it_is_of_or_why_it_is_missing() -> None:
    # With an odd number of answers per tuple the rule 'fixed' makes no equal halves.
    of = summary(*([*picks, picks[0]] for picks in AGREEING))
    r = of["split_half"]["random"]["pearson"]["mean"]

    random, fixed = (
        headline(of, f"Split-half reliability (Spearman), {rule}") for rule in ("random", "as")
    )

    label = "Spearman-Brown of the mean Pearson, 2r/(1+r)"
    assert f"{label}: {2 * r / (1 + r):.3f}." in random.remark
    assert f"{label}: not computed, because the formula needs equal halves." in fixed.remark


def test_a_split_of_nothing_is_a_caution_and_a_note_on_some_tuples_is_not() -> None:
    clicked = random_clicking(dialogue_tuples(6, rng=np.random.default_rng(1)), 1, seed=1)
    of_single = summarise(clicked, n_splits=9, rng=np.random.default_rng(1)).as_dict()

    single = headline(of_single, "Split-half")
    some = headline(summary([(0, 1)], *AGREEING), "Split-half")

    assert "could not be split" in single.caution
    assert "could not be split" not in single.remark
    assert some.caution == ""
    assert "1 of 4 tuples has only one answer" in some.remark


def test_the_warning_of_alpha_is_a_caution() -> None:
    # The first item of the stored order is nearly always best: margins far from uniform.
    of = summary([(0, 1), (0, 1)], [(0, 1), (0, 2)], [(0, 1), (1, 2)])

    figure = headline(of, "Krippendorff's alpha, best and worst together")

    assert figure.caution == of["alpha"]["joint"]["slot"]["warning"] != ""
    assert figure.is_headline


def test_means_say_over_how_many_groups_and_the_others_are_named_with_the_reason() -> None:
    # Group "" has one answer a tuple: nothing to agree with, nothing for half A.
    shown = table(["a", "b", ""], [*AGREEING[0], (1, 2)], [*AGREEING[1], (2, 1)], [(2, 0)])

    column = shown.header.index("α best, slot coding")
    of_groups = [cells[column] for _label, cells in shown.feet[:2]]
    assert all(cell.endswith(" (2 of 3 groups)") for cell in of_groups)
    assert [label for label, _cells in shown.rows] == ["unknown", "a", "b"]
    left_out = {remark.text: remark for remark in shown.remarks if remark.is_left_out}
    alone = left_out["no tuple has two answers"]
    assert alone.groups == "unknown"
    assert (
        alone.columns == "α best, slot coding; α worst, slot coding; α best and worst, slot coding"
    )
    assert (
        left_out["no tuple has three answers"].columns
        == "strong agreement, best; strong agreement, worst"
    )


def test_what_explains_the_figure_of_all_answers_is_not_said_again_of_the_groups() -> None:
    shown = table(["a", "b", "b"], *([*picks, (0, 2)] for picks in AGREEING))

    assert [remark for remark in shown.remarks if "odd number of answers" in remark.text] == []


def test_a_warning_of_several_groups_is_one_with_the_range_of_its_numbers() -> None:
    warnings = [
        ngettext(
            "off by %(by)s: %(n)s is in %(which)s",
            "off by %(by)s: %(n)s are in %(which)s",
            "n",
            by=Decimal(by),
            n=n,
            which=message("%(name)s of %(all)s", name="B 2", all=20),
        )
        for by, n in (("0.50", 1), ("0.30", 12))
    ]

    assert in_one(warnings) == "off by 0.30 to 0.50: 1 to 12 are in B 2 of 20"
    assert in_one(warnings[:1] * 2) == "off by 0.50: 1 is in B 2 of 20"
    with translation.override("de"):
        assert in_one(warnings).startswith("off by 0,30 bis 0,50: 1 bis 12 are")


def test_a_note_of_several_groups_is_said_once_whatever_it_counts() -> None:
    single, pair = [(0, 1)], [(0, 1), (0, 2)]
    shown = table(["a", "a", "b", "b"], single, pair, single, pair)
    more = table(["a", "b", "b", "b"], single, single, pair, pair)

    for remarks in (shown.remarks, more.remarks):
        said = [remark.text for remark in remarks]
        assert len(said) == len(set(said))
    (of_half_b,) = [one for one in shown.remarks if "goes to half B" in one.text]
    assert (of_half_b.groups, of_half_b.columns) == ("a; b", "split-half ρ (GiCCS)")
    assert of_half_b.text == "1 of 2 tuples has only one answer, which goes to half B."


def test_results_stored_without_templates_show_the_sentences_that_they_have() -> None:
    warning = "3 of 20 tuples are odd."
    assert in_one([warning, warning]) == warning


def test_means_over_all_groups_are_just_numbers() -> None:
    shown = table(["a", "b", "b"], *([*picks, (0, 2)] for picks in AGREEING))

    # Best slots 0 0 0, 1 1 0 and 2 2 0: one tuple of three is strong, group a's.
    column = shown.header.index("strong agreement, best")
    assert [cells[column] for _label, cells in shown.feet] == [
        "50.0\u00a0%",
        "33.3\u00a0%",
        "33.3\u00a0%",
    ]


def test_every_part_of_a_label_that_is_empty_is_unknown() -> None:
    labels = [row[0] for row in table([" / 3", "written / ", " / "], *AGREEING).rows]

    assert labels == ["unknown / unknown", "unknown / 3", "written / unknown"]


def scored_page(study: Study) -> str:
    client = signed_in(study.owner)
    client.post(url(study, "score"), {"population": "people"})
    jobs.run(Job.objects.filter(kind=Job.Kind.SCORE).latest("pk").pk)
    return text(client.get(url(study, "results")))


@pytest.mark.django_db
def test_the_page_says_what_is_missing_at_the_headlines_and_below_the_groups() -> None:
    study = make_open_study(dialogues=4, parameters={"screens_per_booklet": 10})
    Context.objects.filter(study=study, key="d2").update(domain="")
    finish_booklet(study)

    page = scored_page(study)

    headlines, rest = page.split('<ul class="headlines">')[1].split("</ul>", 1)
    assert "20 of 40 tuples answered." in page
    assert "95 % interval" in headlines
    assert "could not be split" in headlines
    assert "±" not in page
    assert "of 3 groups)" in rest
    assert "Not computed: no tuple has two answers. Left out of the means." in rest
    assert ">unknown<" in rest
    assert "alpha for every way of coding" in rest
    assert "α best, slot coding" in rest


@pytest.mark.django_db
def test_a_page_of_complete_answers_does_not_count_the_tuples() -> None:
    study = make_open_study(parameters={"screens_per_booklet": 100})
    finish_booklet(study)

    assert "tuples answered" not in scored_page(study)


def test_a_note_that_is_the_reason_has_one_full_stop() -> None:
    # One person answered nothing: there is no pair, and the note says why.
    none = answers([(0, 1)], [(1, 2)]).of_judgments(np.zeros(2, dtype=np.bool_))
    intervals = {**score_intervals(none).as_dict(), "note": "There are no answers."}

    figure = figures._certain_order(intervals)

    # The page puts one behind it.
    assert figure.reason == "There are no answers"


def test_scores_without_intervals_say_why_in_both_places() -> None:
    given = answers([(0, 1)], [(1, 2)])
    intervals = score_intervals(given).as_dict()
    undefined = {**intervals, "certain_share": None, "note": None, "reason": "The fit failed."}
    overall = summarise(given, n_splits=2, rng=np.random.default_rng(1)).as_dict()

    figure = figures._certain_order(undefined)
    cards = figures.headlines({"overall": overall, "score_intervals": undefined}, [])

    assert figure.reason == cards[-1].reason == "The fit failed"
