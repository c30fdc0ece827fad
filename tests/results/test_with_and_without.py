"""Scores with and without some people, side by side; nothing changes by looking."""

import re
from typing import Any

import numpy as np
import pytest
from django.db import transaction

import scoring
from annotation.answering.services import withdrawal
from annotation.core.services import jobs
from annotation.kinds.best_worst.queries.answers import answers_arrays
from annotation.kinds.best_worst.services import comparing
from annotation.kinds.rating.queries.answers import read_ratings
from annotation.models import Exclusion, Item, Job, Pool, Result, Study
from annotation.people.services import exclusions
from annotation.results.queries import comparisons
from tests.people.test_flags_of_people import crowd
from tests.support.clock import Clock
from tests.support.factories import make_user
from tests.support.labelled import label_all, make_label_study, said_of
from tests.support.rating import join, make_rating_study, rate_phase
from tests.support.researcher_pages import in_one_line, said, signed_in, text, url

pytestmark = pytest.mark.django_db


def compared(study: Study, **who: object) -> Job:
    """As the researcher asks for it, on the page of people."""
    response = signed_in(study.owner).post(url(study, "compare"), who)
    job = study.jobs.filter(kind=Job.Kind.COMPARE).latest("pk")
    assert response["Location"] == url(study, "job", job.pk)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.error
    return job


def assert_alone(found: dict[str, Any], theirs: scoring.BestWorst, *, others: np.ndarray) -> None:
    """What the comparison says of these people alone, and of them beside the others."""
    alone = scoring.alpha(theirs, on="joint", coding="slot").as_dict()["alpha"]
    assert found["agreement"]["alpha"]["alone"]["value"] == pytest.approx(alone)
    scores = np.stack([scoring.count(theirs).scores(), others])
    apart = scoring.spearman(*scores[:, ~np.isnan(scores).any(axis=0)])
    assert found["apart"]["spearman"] == pytest.approx(float(apart))


@pytest.mark.slow
def test_best_worst_scores_without_the_flagged_are_those_of_the_others(clock: Clock) -> None:
    study, who = crowd(clock)
    exclusions.exclude(annotator=who["b"], reason="of the test", by=study.owner)
    jobs.run(jobs.start(study=study, kind=Job.Kind.SCORE).pk)
    results = list(Result.objects.all())
    client = signed_in(study.owner)

    job = compared(study, group="flagged")

    assert job.parameters["without"] == [who[n].pk for n in ("first", "hasty", "copier")]
    assert list(Result.objects.all()) == results
    read = answers_arrays(study, "people")
    number_of = {pk: n for n, pk in enumerate(read.annotator_pks)}
    out = [number_of[pk] for pk in job.parameters["without"]]
    is_theirs = np.isin(read.best_worst.annotator, out)
    rest = read.best_worst.of_judgments(~is_theirs)
    whole, part = (scoring.count(batch).scores() for batch in (read.best_worst, rest))
    (found,) = job.figures["parts"]
    assert [row[0] for row in found["rows"]] == read.table.item_pks
    np.testing.assert_allclose([row[1:3] for row in found["rows"]], np.column_stack([whole, part]))
    assert found["spearman"] == pytest.approx(float(scoring.spearman(whole, part)))
    first, *_more = np.random.default_rng(study.design.seed).spawn(2)
    halves = scoring.split_half(rest, rule="random", n_splits=100, rng=first)
    split = found["agreement"]["split_half"]
    assert split["without"]["value"] == pytest.approx(halves.spearman.mean)
    alpha = scoring.alpha(rest, on="joint", coding="slot").as_dict()
    assert found["agreement"]["alpha"]["without"]["value"] == pytest.approx(alpha["alpha"])
    assert_alone(found, read.best_worst.of_judgments(is_theirs), others=part)
    with_them = found["agreement"]["alpha"]["with"]
    assert with_them["interval"]["low"] < with_them["value"] < with_them["interval"]["high"]
    assert (job.figures["n_with"], job.figures["n_without"]) == (320, 200)
    # Ranks are within the pool: of five candidates 1 to 5, and they add up to 15.
    pool = [n for n, key in enumerate(read.table.item_pools) if key == read.table.item_pools[0]]
    assert sum(found["rows"][n][3] for n in pool) == pytest.approx(sum(range(1, len(pool) + 1)))

    (shown,) = comparisons.parts(job)
    changes = [abs(row.difference or 0) for row in shown.rows]
    assert changes == sorted(changes, reverse=True)
    page = client.get(url(study, "comparison", job.pk))
    assert "With: 8 people, 320 answers (everybody whose answers count, plus" in text(page)
    assert "Without: 5 people, 200 answers." in text(page)
    assert "Exclude them and give a reason" in text(page)
    assert "Include them again" not in text(page)
    table = text(client.get(url(study, "comparison_plot", job.pk, "with-and-without", "tsv")))
    assert float(table.splitlines()[1].split("\t")[3]) == pytest.approx(shown.rows[0].difference)
    png = client.get(url(study, "comparison_plot", job.pk, "with-and-without", "png"))
    assert png.content.startswith(b"\x89PNG")

    # Whoever is excluded already counts on the left, and not on the right.
    again = compared(study, who=[who["b"].pk])
    assert (again.figures["n_with"], again.figures["n_without"]) == (360, 320)
    assert "Include them again" in text(client.get(url(study, "comparison", again.pk)))

    # Two lists that differ by one person say what that person said.
    withdrawal.withdraw(annotator=who["copier"])
    job.refresh_from_db()
    again.refresh_from_db()
    assert (job.figures, again.figures is None) == (None, True)
    assert "has withdrawn" in text(client.get(url(study, "comparison", job.pk)))


@pytest.mark.slow
def test_who_withdraws_from_a_sitting_meanwhile_is_not_compared(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, who = crowd(clock)
    real = comparing.compare

    def meanwhile(*arguments: Any) -> Any:
        figures = real(*arguments)
        with transaction.atomic():
            withdrawal.empty(list(who["copier"].assignments.all()), now=clock.time)
        return figures

    monkeypatch.setattr(comparing, "compare", meanwhile)

    job = compared(study, who=[who["copier"].pk])

    assert job.figures is None


@pytest.mark.slow
def test_ratings_straight_lined_are_flagged_and_compared(clock: Clock) -> None:
    study = make_rating_study(pairs=40, ratings_per_item=9, items_per_booklet=40)
    rng = np.random.default_rng(1)
    latent = {f"p{n}": rng.uniform(0, 6) for n in range(1, 41)}
    held = []
    for person in range(9):
        assignment = join(study).assignment
        rate_phase(
            assignment,
            ratings=lambda question, person=person: (
                "3"
                if person == 4
                else str(int(np.clip(round(latent[question.item.key] + rng.normal(0, 0.7)), 0, 6)))
            ),
        )
        held.append(assignment.annotator)
    jobs.run(jobs.start(study=study, kind=Job.Kind.SCORE).pk)
    client = signed_in(study.owner)
    # The results leave out whole pools, and so does the comparison.
    first = 1 + study.pools.count()
    pools = [
        Pool.objects.create(study=study, key=f"eight {n}", number=first + n) for n in range(8)
    ]
    for place, item in enumerate(study.items.order_by("number")):
        Item.objects.filter(pk=item.pk).update(pool=pools[place // 5])

    shown = text(client.get(url(study, "people") + "?show=flagged"))

    assert held[4].pseudonym in shown
    assert "Repeated the previous answer in 100.0\u00a0% of 39" in shown
    assert sum(one.pseudonym in shown for one in held) == 1
    person = text(client.get(url(study, "person", held[4].pk)))
    assert "Longest run of one answer" in person
    assert ">40</td>" in person

    job = compared(study, group="flagged")
    (phase,) = read_ratings(study, "people").phases
    is_left = phase.main.annotator != [one.pk for one in held].index(held[4].pk)
    rest = phase.main.of_rows(is_left)
    means = [scoring.unit_scores(batch).mean for batch in (phase.main, rest)]
    (found,) = job.figures["parts"]
    np.testing.assert_allclose([row[1:3] for row in found["rows"]], np.column_stack(means))
    alpha = scoring.rating_alpha(rest, level="interval").value
    assert found["agreement"]["alpha"]["without"]["value"] == pytest.approx(alpha)
    assert found["agreement"]["alpha"]["with"]["value"] < alpha
    page = text(client.get(url(study, "comparison", job.pk)))
    assert "Phase 1" in page
    # In the place of halves: how reliable the means are.
    for side, batch in (("with", phase.main), ("without", rest)):
        icc = scoring.intraclass_correlation(batch, kind="1,k")
        ends = scoring.icc_interval(batch, icc, pool=np.arange(40) // 5)
        shown = found["agreement"]["icc"][side]
        assert shown["value"] == pytest.approx(icc.value)
        assert [shown["interval"][end] for end in ("low", "high")] == pytest.approx(
            [ends.low, ends.high]
        )
        assert f"{icc.value:.3f} [{ends.low:.3f}, {ends.high:.3f}]" in page
    assert "takes the place of split-half reliability" in page
    assert "Split-half" not in page
    (about,) = comparisons.parts(job)[0].about_intervals
    assert "the choice of pools only" in about
    assert "8 to 9 people" in about


def test_labels_that_change_without_somebody_come_first() -> None:
    keys = [f"p{n}" for n in range(1, 7)]
    study = make_label_study()
    held = label_all(study, *([said_of(keys, codes)] for codes in ("ssrsoo", "ssrroo", "ssooor")))

    job = compared(study, who=[held[0].annotator_id])

    (found,) = job.figures["parts"]
    by_key = {study.items.get(pk=row[0]).key: row[1:] for row in found["rows"]}
    names = study.categories["names"]
    # One person alone has nobody to agree with.
    assert found["agreement"]["alpha"]["alone"]["value"] is None
    assert found["apart"]["n_both"] == 6
    # All of three said s of p1, and so do both others; p3 was r by two of three, and is a tie.
    assert by_key["p1"][:2] + by_key["p1"][4:] == [1.0, 1.0, names[0], names[0]]
    assert by_key["p3"][0] == pytest.approx(2 / 3)
    assert (by_key["p3"][1], by_key["p3"][4:]) == (0.5, [names[1], ""])
    (part,) = comparisons.parts(job)
    assert [one.name.split(" [")[0] for one in part.agreement] == ["Krippendorff's alpha"]
    page = text(signed_in(study.owner).get(url(study, "comparison", job.pk)))
    assert "Labels are not numbers" in page
    # Six items are too few for an interval, on either side.
    (about,) = part.about_intervals
    assert "No interval: it needs at least 6 pools or 20 items" in about
    assert about in page
    assert not any(side in about for side in ("(with)", "(without)"))  # it is on all figures
    assert part.rows[0].is_relabelled
    assert part.n_changed == found["n_changed"] == sum(row.is_relabelled for row in part.rows)
    assert study.annotators.get(pk=held[0].annotator_id).exclusions.count() == 0


def test_what_is_taken_back_is_no_number_without_end() -> None:
    study = make_label_study()

    answers = [
        signed_in(study.owner).post(url(study, "undo_exclusions"), {"exclusion": number})
        for number in ("9" * 30, "9" * 5000)
    ]

    assert [one.status_code for one in answers] == [302, 302]


@pytest.mark.slow
def test_several_are_excluded_at_once_taken_back_and_included_with_a_reason(clock: Clock) -> None:
    study, who = crowd(clock)
    client, colleague = signed_in(study.owner), make_user()
    chosen = [who["first"].pk, who["hasty"].pk]

    asked = client.post(url(study, "exclude_several"), {"who": chosen})
    refused = client.post(url(study, "exclude_several"), {"who": chosen, "reason": " "})
    response = client.post(url(study, "exclude_several"), {"who": chosen, "reason": "of one kind"})

    assert asked.status_code == 200
    assert who["first"].pseudonym in text(asked)
    assert refused.status_code == 400
    standing = Exclusion.objects.in_force()
    assert {(one.annotator_id, one.reason) for one in standing} == {
        (pk, "of one kind") for pk in chosen
    }
    page = text(client.get(response["Location"]))
    assert "Excluded 2 people:" in page
    keys = [one.pk for one in standing.order_by("pk")]
    taken_back = client.post(url(study, "undo_exclusions"), {"exclusion": keys}, follow=True)
    assert "counts again" in said(taken_back)[0]
    assert not Exclusion.objects.in_force().exists()

    exclusions.exclude_all(annotators=[who["a"], who["first"]], reason="again", by=study.owner)
    exclusions.include_all(
        annotators=[who["first"]],
        reason="The design has been made again since you opened this page",
        by=colleague,
    )
    person = in_one_line(text(client.get(url(study, "person", who["first"].pk))))
    assert "Undone immediately." in person
    assert f"{colleague.username}: included again:" in person
    nobody = client.post(url(study, "exclude_several"), {"who": ["x"]}, follow=True)
    assert said(nobody) == ["Choose at least one person."]
    assert client.post(url(study, "compare"), {}, follow=True).context["messages"]
    # Rows are put back by a lifted exclusion, not deleted.
    assert Exclusion.objects.count() == 4


def test_the_scatter_has_the_line_on_which_nothing_changes() -> None:
    rows = [comparisons.ItemPair(f"i{n}", n / 10, n / 20, 1, 1) for n in range(-5, 6)]

    plot = comparisons._plot(rows, ["with"], "", 0, what="score")

    drawn = re.findall(
        r'<line class="plot-mean plot-mean-1"[^>]*?x1="([\d.]+)" y1="([\d.]+)" x2="([\d.]+)"'
        r' y2="([\d.]+)"',
        plot.svg,
    )
    *_legend, diagonal = sorted(
        ([float(at) for at in one] for one in drawn), key=lambda at: abs(at[3] - at[1])
    )
    # From corner to corner of what both axes cover alike.
    ticks = re.findall(r"<text[^>]*>(−?0\.\d)</text>", plot.svg)
    assert sorted(ticks) == sorted(2 * list(dict.fromkeys(ticks)))
    assert len(drawn) == 2
    assert diagonal[0] < diagonal[2]
    assert diagonal[1] > diagonal[3]
    assert "equal scores" in plot.svg
    assert "On the dashed line, both are equal" in plot.caption
