"""Numbers on the pages of a study, counted again from what was exported."""

import csv
import io
from statistics import mean

import numpy as np
import pytest
from scipy.stats import pearsonr

from annotation.core.services import jobs
from annotation.kinds.live_measures import N_BARS, score_bars
from annotation.models import Job, Study
from annotation.people.queries.people import person_rows
from annotation.people.queries.person import figures
from annotation.people.queries.person_answers import others_of, own_answers
from tests.people.test_flags_of_people import crowd
from tests.releases.test_withdrawals_between_releases import exported
from tests.results.test_with_and_without import compared
from tests.support import labelled, rating
from tests.support.clock import Clock
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db


def rows_of(study: Study, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(exported(study)[name]), delimiter="\t"))


@pytest.mark.slow
def test_a_person_is_compared_with_what_the_others_rated_first() -> None:
    rng = np.random.default_rng(1)
    study = rating.make_rating_study(
        pairs=12, ratings_per_item=4, n_repeats=4, repeat_distance=2, items_per_booklet=12
    )
    true = rng.uniform(0, 6, size=13)
    held = [rating.join(study).assignment for _person in range(4)]
    for assignment in held:
        rating.rate_phase(
            assignment,
            ratings=lambda question: str(
                int(np.clip(round(true[question.item.number] + rng.normal()), 0, 6))
            ),
        )
    who = held[1].annotator

    main = [row for row in rows_of(study, "judgments.tsv") if row["block"] == "main"]
    own = {row["item"]: float(row["rating"]) for row in main if row["annotator"] == who.pseudonym}
    others = {
        key: mean(
            float(row["rating"])
            for row in main
            if row["item"] == key and row["annotator"] != who.pseudonym
        )
        for key in own
    }
    r = pearsonr([own[key] for key in own], [others[key] for key in own]).statistic
    given = own_answers(who)
    beside = others_of(who, given)
    assert len(own) == 12
    assert len(given) == 16
    assert {len(values) for values in beside.answers.values()} == {3}

    client = signed_in(study.owner)
    assert {row.compliance for row in client.get(url(study, "people")).context["rows"]} == {None}
    jobs.run(jobs.start(study=study, kind=Job.Kind.SCORE).pk)
    shown = {
        one.name: one.value for one in figures(who, given, beside, person_rows(study, [who])[0])
    }
    assert shown["Correlation with the mean of the others"] == f"{r:.2f}"
    page = client.get(url(study, "people"), {"sort": "-agreement"})
    rows = page.context["rows"]
    assert next(row.compliance for row in rows if row.pk == who.pk) == pytest.approx(r)
    correlations = [row.compliance for row in rows]
    assert len(set(correlations)) == 4
    assert correlations == sorted(correlations, reverse=True)
    assert f"{r:.2f}" in text(page)


def test_a_labeller_is_compared_with_what_the_others_said_first() -> None:
    study = labelled.make_label_study(n_repeats=2, repeat_distance=1)
    for _person in range(3):
        assignment = labelled.join(study)
        labelled.label_phase(assignment, lambda _key: ["same"])

    page = text(signed_in(study.owner).get(url(study, "person", assignment.annotator.pk)))

    assert page.count("100.0\u00a0% of 2: ") == 8
    assert "% of 3: " not in page


def test_a_score_on_an_edge_is_in_the_bar_above_it() -> None:
    score = np.array([-1.0, -0.5, 1 / 3 - 1 / 3, 0.1 + 0.2, 0.7, 1.0, np.nan])

    found = score_bars(score, -1.0, 1.0)

    bars = dict(zip(found["edges"], found["counts"], strict=False))
    assert sum(found["counts"]) == 6
    assert len(found["counts"]) == N_BARS
    assert [edge for edge, n in bars.items() if n] == [-1.0, -0.5, 0.0, 0.3, 0.7, 0.9]


@pytest.mark.slow
def test_the_comparison_has_the_scores_of_the_exported_answers(clock: Clock) -> None:
    study, who = crowd(clock)
    jobs.run(jobs.start(study=study, kind=Job.Kind.SCORE).pk)
    out = who["first"]

    job = compared(study, who=[out.pk])

    def scores(rows: list[dict[str, str]]) -> dict[str, float]:
        shown: dict[str, int] = {}
        net: dict[str, int] = {}
        for row in rows:
            for key in row["stored_order"].strip("[]").replace('"', "").split(","):
                shown[key] = shown.get(key, 0) + 1
            net[row["best"]] = net.get(row["best"], 0) + 1
            net[row["worst"]] = net.get(row["worst"], 0) - 1
        return {key: net.get(key, 0) / n for key, n in shown.items()}

    given = rows_of(study, "judgments.tsv")
    whole, rest = scores(given), scores([r for r in given if r["annotator"] != out.pseudonym])
    keys = dict(study.items.values_list("pk", "key"))
    (part,) = job.figures["parts"]
    found = {keys[row[0]]: (row[1], row[2]) for row in part["rows"]}
    assert found == {key: pytest.approx((whole[key], rest[key])) for key in whole}
    page = text(signed_in(study.owner).get(url(study, "comparison", job.pk)))
    for key in list(whole)[:5]:
        for score in (whole[key], rest[key]):
            assert f"{score:.3f}".replace("-", "−") in page
