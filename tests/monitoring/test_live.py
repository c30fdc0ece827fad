"""The live page: what a worker counts and measures, and what the page says of it."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.html import escape

from annotation.answering.services import assignments, withdrawal
from annotation.core.services import jobs, workers
from annotation.kinds.best_worst.taste import draw_best_worst_taste
from annotation.models import Assignment, Job, Judgment, LiveCount, ProgressPoint, Study
from annotation.monitoring.services import live
from annotation.people.services import exclusions
from annotation.studies.services import studies
from tests.designs.test_planner import answer_by
from tests.support.answering import answer_all, answer_one
from tests.support.clock import Clock
from tests.support.factories import join, make_open_study, make_study
from tests.support.labelled import label_all, make_label_study
from tests.support.rated_studies import make_rated
from tests.support.researcher_pages import finish_booklet, signed_in, simulate, text, url

pytestmark = pytest.mark.django_db


def page(study: Study, client: Client | None = None, **query: str) -> str:
    response = (client or signed_in(study.owner)).get(url(study, "live"), query)
    assert response.status_code == 200
    return text(response)


@pytest.mark.slow
def test_the_way_of_a_study(clock: Clock) -> None:
    """From an empty page to curves, through a worker's counts, without a query more."""
    study = make_study(dialogues=2)
    client = signed_in(study.owner)
    assert "No design yet" in page(study, client)
    assert live.watch() == 0

    study = make_open_study(owner=study.owner, dialogues=4)
    workers.seen()
    assert "Nobody has started yet" in page(study, client)

    # Six people answer on the first morning, who are of one mind but for some noise.
    taste = draw_best_worst_taste(study, noise=0.2, seed=1)
    for person in range(4):
        answer_by(taste, join(study).assignment, person=person)
        clock.move(minutes=20)
    before = page(study, client)
    assert "Not counted yet. The answers are counted every minute." in before
    n_done = Assignment.objects.filter(state=Assignment.State.SUBMITTED).count()
    assert f"{n_done} of " in before

    assert live.watch() == 1
    row = LiveCount.objects.get()
    assert row.n_answers == row.n_counted == Judgment.objects.count()
    assert sum(n for _hour, n in row.hours["answers"]) == row.n_answers
    assert sum(n for _hour, n in row.hours["joined"]) == 4
    assert row.claimed_at is None
    point = ProgressPoint.objects.get()
    assert point.n_judgments == row.n_counted
    shown = page(study, client)
    assert "Answers over time" in shown
    assert "No forecast of the end yet: too few booklets are" in shown

    # Nothing new: nothing is counted or measured again.
    clock.move(minutes=3)
    live.watch()
    assert LiveCount.objects.get().counted_at is not None
    assert ProgressPoint.objects.count() == 1

    for person in range(4, 9):
        answer_by(taste, join(study).assignment, person=person)
        clock.move(minutes=20)
    live.watch()
    first, second = ProgressPoint.objects.all()
    assert second.n_judgments > first.n_judgments
    (figures,) = second.figures["phases"]
    assert figures["reliability"]["low"] <= figures["reliability"]["value"] <= 1
    assert figures["then"] > figures["reliability"]["value"]
    shown = page(study, client)
    # So few people may wear off: then the end is open, which the forecast's own tests decide.
    assert "live-end" in shown
    assert "Reliability and agreement by number of answers" in shown
    assert "Items whose order is uncertain" in shown
    assert "If the new answers are of the same quality, the reliability above" in shown
    assert f"{url(study, 'items')}?page=1" in shown

    # The files behind the figures.
    tsv = text(client.get(url(study, "live_plot", "course", "tsv")))
    assert tsv.splitlines()[0].split("\t")[:4] == ["answers", "split-half", "low", "high"]
    assert len(tsv.splitlines()) == 3
    assert ", interval" in text(client.get(url(study, "live_plot", "course", "svg")))
    assert client.get(url(study, "live_plot", "distribution", "svg")).status_code == 200
    assert client.get(url(study, "live_plot", "nothing", "svg")).status_code == 404


@pytest.mark.slow
def test_the_fragment_is_sent_only_when_something_is_new(clock: Clock) -> None:
    study = make_open_study(dialogues=4)
    client = signed_in(study.owner)
    workers.seen()
    finish_booklet(study)
    live.watch()

    first = client.get(url(study, "live_now"))
    tag = first["ETag"]
    # The page itself has the tag of what it shows: the first question is answered in a word.
    assert escape(tag) in page(study, client)
    again = client.get(url(study, "live_now"), headers={"if-none-match": tag})
    assert (again.status_code, again.content) == (304, b"")
    german = client.get(
        url(study, "live_now"), headers={"if-none-match": tag, "accept-language": "de"}
    )
    assert german.status_code == 200

    join(study)
    fresh = client.get(url(study, "live_now"), headers={"if-none-match": tag})
    assert fresh.status_code == 200
    assert "<html" not in text(fresh)

    # What is shown of a study that is paused, and of one that is over.
    studies.pause(study=study)
    assert "while nobody new can join" in text(client.get(url(study, "live_now")))
    studies.close(study=study)
    studies.finish(study=study)
    assert "The study is finished. These are the final" in text(client.get(url(study, "live_now")))


@pytest.mark.slow
def test_a_page_takes_as_many_queries_in_a_larger_study(clock: Clock) -> None:
    found = {}
    for dialogues, n_people in ((4, 6), (8, 9)):
        study = make_open_study(dialogues=dialogues)
        client = signed_in(study.owner)
        for _ in range(n_people):
            finish_booklet(study)
        live.watch()
        for name in ("live", "live_now"):
            with CaptureQueriesContext(connection) as queries:
                assert client.get(url(study, name)).status_code == 200
            found.setdefault(name, []).append(len(queries))

    assert found["live"][0] == found["live"][1] <= 22
    assert found["live_now"][0] == found["live_now"][1] <= 20


def test_simulated_people_are_never_mixed_with_others(clock: Clock) -> None:
    study = make_open_study(dialogues=4)
    client = signed_in(study.owner)
    assert "Simulated" not in page(study, client)
    simulate(study)
    live.watch()

    assert "Nobody has started yet" in page(study, client)
    shown = page(study, client, population="simulated")
    assert "SIMULATED" in shown
    assert "Answers over time" in shown
    assert [row.population for row in LiveCount.objects.all()] == ["simulated"]


def test_two_workers_and_one_that_died(clock: Clock) -> None:
    study = make_open_study(dialogues=4)
    finish_booklet(study)
    # Another worker is at it, or was when it died.
    LiveCount.objects.create(
        design=study.design, population="people", claimed_at=clock.time - timedelta(minutes=1)
    )

    assert live.watch() == 0
    clock.move(minutes=20)
    assert live.watch() == 1
    assert LiveCount.objects.get().claimed_at is None


@pytest.mark.slow
def test_a_result_that_somebody_waits_for_comes_first(clock: Clock) -> None:
    study = make_open_study(dialogues=4)
    finish_booklet(study)
    job = jobs.start(study=study, kind=Job.Kind.SCORE)

    live.watch()
    assert LiveCount.objects.get().n_counted
    assert not ProgressPoint.objects.exists()

    jobs.run(job.pk)
    clock.move(minutes=1)
    live.watch()
    assert ProgressPoint.objects.count() == 1

    # One answer more is too few for a point, until it is the last one for a while.
    joined = join(study)
    answer_all(joined.assignment)
    assignments.submit(assignment=joined.assignment)
    ProgressPoint.objects.update(n_judgments=LiveCount.objects.get().n_counted + 19)
    clock.move(minutes=4)
    live.watch()
    assert ProgressPoint.objects.count() == 1
    studies.close(study=study)
    studies.finish(study=study)
    clock.move(minutes=20)
    live.watch()
    assert [point.n_judgments for point in ProgressPoint.objects.all()][1:] == [40]
    # Then there is nothing to be done any more.
    clock.move(minutes=20)
    assert live.watch() == 0


def test_who_is_excluded_is_counted_no_more(clock: Clock) -> None:
    study = make_open_study(dialogues=4)
    persons = [finish_booklet(study) for _ in range(3)]
    live.watch()
    n = LiveCount.objects.get().n_counted

    clock.move(minutes=30)
    exclusions.exclude(annotator=persons[0], reason="asked to", by=study.owner)
    live.watch()

    assert LiveCount.objects.get().n_counted < n
    assert [point.n_judgments < n for point in ProgressPoint.objects.all()] == [False, True]


def test_the_hours_have_the_answers_that_stand(clock: Clock) -> None:
    study = make_open_study(dialogues=1, parameters={"annotations_per_tuple": 3}, max_booklets=0)
    persons = [finish_booklet(study) for _ in range(2)]
    changing = join(study).assignment
    answer_all(changing)
    live.watch()
    clock.move(hours=5)

    withdrawal.withdraw(annotator=persons[0])
    answer_one(changing, changing.booklet.questions.all()[0], best=2)
    live.watch()

    row = LiveCount.objects.get()
    assert row.n_answers == Judgment.objects.current().count()
    hours = row.hours["answers"]
    assert sum(n for _hour, n in hours) == row.n_answers
    assert hours[-1][1] == 1


def test_ratings_in_two_phases(clock: Clock) -> None:
    """Each phase has its own figures; imported or simulated, whoever rated."""
    rated = make_rated([f"p{n}" for n in range(8)])
    for person in range(4):
        rated.answer(
            {f"p{n}": min(n, 5) + (n + person) % 2 for n in range(8)},
            {f"p{n}": min(n, 6) for n in range(8)},
        )
    live.watch()

    point = ProgressPoint.objects.get()
    first, second = point.figures["phases"]
    assert (first["n"], second["n"]) == (32, 32)
    assert second["reliability"]["value"] == 1.0 > first["reliability"]["value"]
    shown = page(rated.study)
    assert shown.count("What the next 100 answers would add") == 2
    # All places are completed, so none are to come.
    assert "The 100 answers are spread evenly" not in shown
    assert "ICC(1,k)" in shown
    assert "phase 2, context-dependent" in shown
    tsv = text(signed_in(rated.study.owner).get(url(rated.study, "live_plot", "course-2", "tsv")))
    assert tsv.splitlines()[1].startswith("32\t1")
    # So few people give no interval, and the plot's legend has none.
    assert second["reliability"]["low"] is None
    svg = text(signed_in(rated.study.owner).get(url(rated.study, "live_plot", "course-2", "svg")))
    assert ", interval" not in svg


def test_labels(clock: Clock) -> None:
    study = make_label_study(pairs=20)
    same = {f"p{n}": "same" for n in range(1, 21)}
    label_all(study, [same], [{**same, "p2": "other", "p3": "related"}])
    live.watch()

    (figures,) = ProgressPoint.objects.get().figures["phases"]
    assert figures["reliability"] is None
    assert figures["alpha"]["value"] is not None
    shown = page(study)
    assert "Items with the closest votes" in shown
    assert "same: 1, other: 1" in shown
    assert "The interval of alpha would narrow" in shown
    assert "Categories chosen so far" in shown


def test_an_interval_of_few_people_says_what_it_leaves_out(clock: Clock) -> None:
    study = make_label_study(pairs=20)
    same = {f"p{n}": "same" for n in range(1, 21)}
    label_all(study, [same], [{**same, "p2": "other", "p3": "related"}])
    live.watch()

    (part,) = signed_in(study.owner).get(url(study, "live")).context["parts"]

    assert any("95 %" in str(tile.note) for tile in part.tiles)
    assert len(part.notes) == 1
    assert part.notes[0] in page(study)
