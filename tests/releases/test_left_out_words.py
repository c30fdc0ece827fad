"""What a release leaves out is said: old leaderboards, and people whose place is another's."""

import pytest
from django.test import Client

from annotation.answering.services import instructions, visits, withdrawal
from annotation.basics import clock
from annotation.basics.sentences import read
from annotation.core.platforms.base import Launch
from annotation.core.queries import progress
from annotation.core.services import jobs
from annotation.crowds.services import launches
from annotation.models import Exclusion, Job, Listing, PhaseRun, ReleaseEvent, ReleaseShare, Visit
from annotation.people.services import exclusions, places
from annotation.releases.queries.collected import collected
from annotation.studies.services import studies
from tests.support import release_studies
from tests.support.answering import answer_all
from tests.support.crowds import make_listing
from tests.support.factories import make_open_study
from tests.support.release_studies import facts, files_of, write
from tests.support.researcher_pages import finish_booklet, make_release, signed_in, url

pytestmark = pytest.mark.django_db
DESCRIBED = {"title": "Named", "authors": "Ada"}


@pytest.mark.slow
def test_an_outdated_leaderboard_is_named_before_and_in_the_change_log() -> None:
    study = release_studies.best_worst()
    client = signed_in(study.owner)

    def told() -> list[str]:
        lines = client.get(url(study, "release_new")).context["differences"]
        return [str(line) for line in lines if "leaderboard" in str(line)]

    assert told() == []
    # Somebody counts again: the release scores anew, and the leaderboard is of other scores.
    who = Exclusion.objects.get().annotator
    exclusions.include_again(annotator=who, reason="A mistake.", by=study.owner)

    assert len(told()) == 1
    client.post(url(study, "release_new"), DESCRIBED)
    jobs.run(study.jobs.filter(kind=Job.Kind.RELEASE).latest("pk").pk)
    (line,) = [read(line) for line in study.releases.get().changes if "outdated" in read(line)]
    # What to do about it is no matter of those who read the release.
    assert line == "The newest leaderboard is outdated and left out."


@pytest.mark.slow
def test_who_completed_a_place_that_counts_for_another_is_named() -> None:
    study = make_open_study(dialogues=1, max_booklets=1, parameters={"annotations_per_tuple": 2})
    for _ in range(2):
        finish_booklet(study)
    assert collected(study, study.design, "people").n_surplus == 0

    PhaseRun.objects.filter(pk=PhaseRun.objects.latest("pk").pk).update(is_counted=False)

    assert collected(study, study.design, "people").n_surplus == 1
    files = files_of(write(study, facts()))
    assert b"1 annotator whose place " in files["METHODS.md"]
    assert b"- `surplus`: " in files["README.md"]


def test_where_people_came_from_is_counted_and_a_panel_pays_nothing_here() -> None:
    study = make_open_study(dialogues=1, parameters={"annotations_per_tuple": 2})
    listing = make_listing(study, published_at=clock.now(), minutes=7)
    finish_booklet(study)

    def said() -> tuple[list[str], int]:
        known = collected(study, study.design, "people")
        return known.platforms_in_words, len(known.offers)

    own = "a personal invitation or a public link to the web application Likeness"
    assert said() == ([own], 0)

    consent = studies.current_consent(study)
    entered = launches.enter(listing=listing, launch=Launch("p1", "s1"), consent=consent)
    instructions.begin(annotator=entered.visit.run.assignment.annotator)
    answer_all(entered.visit.run.assignment)
    visits.submit(visit=entered.visit)

    # Nobody knows what the panel pays: 0.00 would be wrong.
    assert said() == (["a panel", own], 0)


@pytest.mark.slow
def test_who_withdraws_from_a_sitting_on_a_platform_is_said_to_have_withdrawn() -> None:
    study = make_open_study(dialogues=1, parameters={"annotations_per_tuple": 2})
    listing = make_listing(study, published_at=clock.now(), minutes=7)
    finish_booklet(study)
    consent = studies.current_consent(study)
    entered = launches.enter(listing=listing, launch=Launch("p1", "s1"), consent=consent)
    who = entered.visit.run.assignment.annotator
    instructions.begin(annotator=who)
    answer_all(entered.visit.run.assignment)
    visits.submit(visit=entered.visit)

    visits.withdraw(visit=Visit.objects.get(pk=entered.visit.pk))

    known = collected(study, study.design, "people")
    assert (known.n_withdrawn, known.n_surplus) == (1, 0)
    assert sum(text.n_withdrawn for text in known.consents) == 1
    files = files_of(write(study, facts()))
    assert b"nobody did" not in files["DATASHEET.md"]
    assert b"whose place counts for somebody else" not in files["METHODS.md"]
    assert who.pseudonym.encode() not in files["consents.tsv"]
    assert [row.people.withdrawn for row in progress.progress(study)] == [1]
    page = Client().get(f"/a/{entered.key}/")
    assert "You have withdrawn" in page.content.decode()


def test_a_platform_that_is_not_the_usual_one_is_named_with_its_environment() -> None:
    study = make_open_study(dialogues=1, parameters={"annotations_per_tuple": 2})
    listing = make_listing(study, published_at=clock.now(), minutes=7)
    consent = studies.current_consent(study)
    entered = launches.enter(listing=listing, launch=Launch("p1", "s1"), consent=consent)
    instructions.begin(annotator=entered.visit.run.assignment.annotator)
    answer_all(entered.visit.run.assignment)
    visits.submit(visit=entered.visit)
    Listing.objects.update(environment="lab")

    known = collected(study, study.design, "people")

    assert known.platforms_in_words == ["a panel (lab)"]


def test_who_was_excluded_and_then_withdrew_is_counted_once() -> None:
    study = make_open_study(dialogues=1, parameters={"annotations_per_tuple": 3})
    gone, out, _counts = (finish_booklet(study) for _ in range(3))
    for annotator in (gone, out):
        exclusions.exclude(annotator=annotator, reason="Too fast.", by=study.owner)

    withdrawal.withdraw(annotator=gone)

    known = collected(study, study.design, "people")
    assert (known.n_people, known.n_excluded, known.n_withdrawn) == (1, 1, 1)


@pytest.mark.slow
def test_the_methods_say_that_answers_were_let_count_which_had_been_held() -> None:
    study = make_open_study(dialogues=1, parameters={"annotations_per_tuple": 2})
    fast, _careful = (finish_booklet(study) for _ in range(2))
    PhaseRun.objects.filter(assignment__annotator=fast).update(is_counted=False, is_held=True)
    assert collected(study, study.design, "people").n_let_count == 0

    places.let_count(annotators=[fast])

    assert collected(study, study.design, "people").n_let_count == 1
    assert (
        b"answers of 1 annotator were set aside at first"
        in files_of(write(study, facts()))["METHODS.md"]
    )
    # Whoever is left out for another reason does not count.
    exclusions.exclude(annotator=fast, reason="Random.", by=study.owner)
    assert collected(study, study.design, "people").n_let_count == 0


def test_who_is_included_again_and_still_held_is_not_said_to_count() -> None:
    study = make_open_study(dialogues=1, parameters={"annotations_per_tuple": 2})
    held, counts = (finish_booklet(study) for _ in range(2))
    PhaseRun.objects.filter(assignment__annotator=held).update(is_counted=False, is_held=True)
    release = make_release(study)
    for annotator in (held, counts):
        ReleaseShare.objects.create(
            release=release, assignment=annotator.assignments.get(), n_judgments=10
        )
        exclusions.exclude(annotator=annotator, reason="Too fast.", by=study.owner)

    exclusions.include_all(annotators=[held, counts], reason="A mistake.", by=study.owner)

    included = release.events.filter(kind=ReleaseEvent.Kind.INCLUDED)
    assert [event.pseudonym for event in included] == [counts.pseudonym]
