"""What stands out of people is found when a study is scored, kept, and said on their page."""

import numpy as np
import pytest

from annotation.answering.services import assignments, judgments, withdrawal
from annotation.basics.numbers import percent
from annotation.core.services import jobs
from annotation.kinds.best_worst.taste import draw_best_worst_taste
from annotation.models import Annotator, AnnotatorStatistics, Assignment, Job, Study
from tests.support.answering import answer_one
from tests.support.clock import Clock
from tests.support.factories import join, make_open_study
from tests.support.rated_studies import make_rated
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db


def answer(
    assignment: Assignment, picked: list[tuple[int, int]], clock: Clock, *, active_ms: int
) -> Annotator:
    """Picks by their place in the stored order, which is the one that they are shown in here."""
    for question, (best, worst) in zip(assignment.booklet.questions.all(), picked, strict=True):
        clock.move(seconds=20)
        answer_one(assignment, question, best=best, worst=worst, active_ms=active_ms)
    assignments.submit(assignment=assignment)
    return assignment.annotator


def crowd(clock: Clock) -> tuple[Study, dict[str, Annotator]]:
    """Six who look, one who takes what stands first, one in a hurry, one who copies another."""
    study = make_open_study(
        dialogues=4, parameters={"screens_per_booklet": 40, "annotations_per_tuple": 9}
    )
    taste = draw_best_worst_taste(study, noise=0.1, seed=1)
    who: dict[str, Annotator] = {}
    kept: list[tuple[int, int]] = []
    for name in ("a", "b", "c", "d", "e", "f", "first", "hasty", "copier"):
        assignment = join(study).assignment
        picked = []
        for number, question in enumerate(assignment.booklet.questions.all()):
            shown = judgments.members(question)
            best, worst = taste.pick(shown, person=len(who), question=number)
            picked.append((shown.index(best), shown.index(worst)))
        kept = kept or picked
        if name == "first":
            picked = [(0, 1 + number % 2) for number in range(len(picked))]
        if name == "copier":
            picked = kept
        seconds = 0.9 if name == "hasty" else 12 + len(who)
        who[name] = answer(assignment, picked, clock, active_ms=int(seconds * 1000))
    return study, who


@pytest.mark.slow
def test_what_stands_out_is_kept_with_the_scores_and_said_of_people(clock: Clock) -> None:
    study, who = crowd(clock)

    jobs.run(jobs.start(study=study, kind=Job.Kind.SCORE).pk)

    kept = {row.annotator: row.flags for row in AnnotatorStatistics.objects.all()}
    by_name = {name: {flag["kind"] for flag in kept[one]} for name, one in who.items()}
    assert by_name["first"] == {"agreement", "position", "run", "consistency"}
    assert by_name["hasty"] == {"speed"}
    assert by_name["copier"] == {"copy"}
    assert [by_name[name] for name in "abcdef"] == [set()] * 6
    (copied,) = kept[who["copier"]]
    assert (copied["other"], copied["value"], copied["n"]) == (who["a"].pk, 1.0, 40)

    page = text(signed_in(study.owner).get(url(study, "people")))
    copied_from = who["a"].pseudonym
    assert (
        f"Gave the same answer as {copied_from}, who answered first, in 100.0\u00a0% of 40" in page
    )
    assert "Chose the same position on the screen in 100.0\u00a0% of 40 answers (by chance" in page
    (hurry,) = kept[who["hasty"]]
    assert hurry["value"] == pytest.approx(0.06, abs=0.01)
    assert f"{percent(hurry['value'])} of the time that the others take." in page
    seen = {flag["kind"]: flag for flag in kept[who["first"]]}["agreement"]
    own, usual = (percent(seen[name]) for name in ("value", "usual"))
    assert (
        f"Agrees with the others on the order of {own} of the item pairs (the others on the same"
        f" questions: {usual})." in page
    )
    assert (
        "Chose the same position on the screen 40 times in a row, in 40 answers (by chance: about"
        in page
    )
    again = {flag["kind"]: flag for flag in kept[who["first"]]}["consistency"]
    own, usual = (percent(again[name]) for name in ("value", "usual"))
    assert (
        f"Orders two items as before in {own} of {again['n']} pairs (the others: {usual})." in page
    )
    assert "data-flags-explained" in page

    # Without times both are named, and of neither it is said that the other was first.
    row = AnnotatorStatistics.objects.get(annotator=who["copier"])
    row.flags[0]["is_later"] = False
    row.save()
    page = text(signed_in(study.owner).get(url(study, "people")))
    assert f"Gave the same answer as {copied_from} in 100.0\u00a0% of 40" in page
    assert "who answered first, in" not in page


@pytest.mark.slow
def test_whoever_withdraws_is_named_no_more(clock: Clock) -> None:
    study, who = crowd(clock)
    jobs.run(jobs.start(study=study, kind=Job.Kind.SCORE).pk)

    withdrawal.withdraw(annotator=who["a"])

    # What was seen of others beside them went with the scores, until these are computed anew.
    page = text(signed_in(study.owner).get(url(study, "people")))
    assert 'class="flags"' not in page
    jobs.run(jobs.start(study=study, kind=Job.Kind.SCORE).pk)
    assert "The same answer as" not in text(signed_in(study.owner).get(url(study, "people")))


def test_where_nothing_stands_out_nothing_is_said(clock: Clock) -> None:
    study = make_open_study()
    answer(join(study).assignment, [(0, 1)] * 20, clock, active_ms=5000)
    jobs.run(jobs.start(study=study, kind=Job.Kind.SCORE).pk)
    AnnotatorStatistics.objects.update(flags=[])

    page = text(signed_in(study.owner).get(url(study, "people")))

    assert 'class="flags"' not in page
    assert "Flags are listed under" not in page


@pytest.mark.slow
def test_the_page_says_that_among_few_people_little_can_be_told(clock: Clock) -> None:
    few, many = make_open_study(dialogues=1), crowd(clock)[0]
    assignment = join(few).assignment
    answer(assignment, [(0, 1)] * assignment.booklet.questions.count(), clock, active_ms=9000)
    answer(join(few).assignment, [(0, 2)] * 10, clock, active_ms=9000)
    sentence = "With so few people, random clicking and"

    assert sentence not in text(signed_in(few.owner).get(url(few, "people")))
    for study in (few, many):
        jobs.run(jobs.start(study=study, kind=Job.Kind.SCORE).pk)

    assert sentence in text(signed_in(few.owner).get(url(few, "people")))
    assert sentence not in text(signed_in(many.owner).get(url(many, "people")))


@pytest.mark.slow
def test_the_page_shows_the_range_of_agreement_where_nothing_is_flagged(clock: Clock) -> None:
    study, who = crowd(clock)
    jobs.run(jobs.start(study=study, kind=Job.Kind.SCORE).pk)
    AnnotatorStatistics.objects.update(flags=[])

    response = signed_in(study.owner).get(url(study, "people"))

    shares = sorted(row.compliance for row in AnnotatorStatistics.objects.all())
    agreement = response.context["agreement"]
    assert (agreement.n, agreement.lowest, agreement.highest) == (
        9,
        percent(shares[0]),
        percent(shares[-1]),
    )
    assert "data-agreement-range" in text(response)
    # Whoever agrees least comes first.
    assert [row.compliance for row in response.context["rows"]] == shares
    assert response.context["rows"][0].pk == who["first"].pk


def test_people_who_rate_have_their_correlation_with_the_others() -> None:
    rated = make_rated(calibration={"none": 0, "all": 6})
    for free in ({"a": 1, "b": 5, "c": 3, "d": 0}, {"a": 2, "b": 4, "c": 3, "d": 1}):
        rated.answer(free, free, calibration=[{"none": 1, "all": 6}] * 2)
    jobs.run(jobs.start(study=rated.study, kind=Job.Kind.SCORE).pk)

    response = signed_in(rated.study.owner).get(url(rated.study, "people"))

    both = np.corrcoef([1, 5, 3, 0, 1, 5, 3, 0], [2, 4, 3, 1, 2, 4, 3, 1])[0, 1]
    rows = response.context["rows"]
    assert [row.compliance for row in rows] == pytest.approx([both, both])
    assert rows[0].agreement == response.context["agreement"].median == f"{both:.2f}"
    assert "Among fewer than 15 people, low agreement is not flagged." in text(response)
