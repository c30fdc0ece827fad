"""People who answered too fast are named wherever answers are counted, also between two parts."""

import pytest
from django.core.management import CommandError, call_command

from annotation.core.queries.held_for_review import Held, held_for_review
from annotation.kinds.registry import kind_of
from annotation.models import PhaseRun, Study
from annotation.people.services import exclusions, places
from annotation.releases.queries.collected import collected
from tests.support import release_studies
from tests.support.clock import Clock
from tests.support.factories import make_open_study
from tests.support.rating import TWICE, join, make_rating_study, rate_phase
from tests.support.release_studies import facts, files_of, write
from tests.support.researcher_pages import finish_booklet, signed_in, url

pytestmark = pytest.mark.django_db


def held_in_the_first_part(clock: Clock) -> Study:
    """One of three who wait for their second part was too fast in the first."""
    study = make_rating_study(phases=TWICE, pairs=2, ratings_per_item=6, items_per_booklet=2)
    for _ in range(3):
        rate_phase(join(study).assignment)
    run = PhaseRun.objects.filter(completed_at__isnull=False).latest("pk")
    PhaseRun.objects.filter(pk=run.pk).update(is_counted=False, is_held=True)
    return study


@pytest.mark.slow
def test_who_waits_for_another_part_is_named_on_the_desk_and_with_the_results(
    clock: Clock,
) -> None:
    study = held_in_the_first_part(clock)
    client = signed_in(study.owner)

    held = held_for_review(study.design, "people")
    pages = {name: client.get(url(study, name)) for name in ("change", "results", "release_new")}

    assert held == Held(n_people=1, n_answers=2)
    assert pages["results"].context["held"] == held
    assert pages["release_new"].context["held"] == held
    for name in ("results", "release_new"):
        assert f'data-held="{held.n_answers}"' in pages[name].content.decode()
    steps = {step.number: step for step in pages["change"].context["steps"]}
    review = f"{url(study, 'people')}?show=held"
    assert review in [address for _label, address, _now in steps[6].actions]
    (shown,) = client.get(review).context["rows"]

    places.let_count(annotators=list(study.annotators.filter(pk=shown.pk)))

    assert not held_for_review(study.design, "people")


def test_the_desk_says_that_all_answers_wait_for_review(clock: Clock) -> None:
    study = make_rating_study(pairs=2, ratings_per_item=6, items_per_booklet=2)
    client = signed_in(study.owner)
    before = {step.number: step for step in client.get(url(study, "change")).context["steps"]}
    rate_phase(join(study).assignment)
    PhaseRun.objects.filter(completed_at__isnull=False).update(is_counted=False, is_held=True)

    page = client.get(url(study, "change"))

    review = f"{url(study, 'people')}?show=held"
    steps = {step.number: step for step in page.context["steps"]}
    for number in (7, 8, 9):
        assert review not in [address for _label, address, _now in before[number].actions]
        assert review in [address for _label, address, _now in steps[number].actions]
        assert "2" in steps[number].waits_for
    # What holds while nobody has answered is not said.
    nothing_yet = kind_of(study).studies.download_without_answers
    assert before[8].summary == nothing_yet
    assert steps[8].summary != nothing_yet


def test_excluded_people_are_held_no_more(clock: Clock) -> None:
    study = held_in_the_first_part(clock)
    who = PhaseRun.objects.get(is_held=True).assignment.annotator

    exclusions.exclude(annotator=who, reason="a robot", by=study.owner)

    assert not held_for_review(study.design, "people")
    assert not collected(study, study.design, "people").held


def test_nobody_is_held_where_nobody_was_too_fast() -> None:
    study = make_open_study()

    assert not held_for_review(study.design, "people")
    page = signed_in(study.owner).get(url(study, "results"))
    assert "data-held" not in page.content.decode()


@pytest.mark.slow
def test_the_methods_of_a_release_say_whose_answers_wait_for_review() -> None:
    study = release_studies.ratings()
    before = files_of(write(study, facts()))["METHODS.md"]
    run = PhaseRun.objects.filter(is_counted=True).latest("pk")
    PhaseRun.objects.filter(pk=run.pk).update(is_counted=False, is_held=True)

    after = files_of(write(study, facts()))["METHODS.md"]

    n = run.assignment.judgments.filter(question__block__phase=run.phase).current().count()
    # Their other phase counts: it is not the person who is left out.
    assert f"{n} answers of 1 annotator were ".encode() in after
    assert run.assignment.runs.filter(is_counted=True).exists()
    assert b"minimum time per screen" in after
    assert b"minimum time per screen" not in before


def test_the_shell_says_that_people_are_held(capsys: pytest.CaptureFixture[str]) -> None:
    study = make_open_study(dialogues=1, parameters={"annotations_per_tuple": 1})
    finish_booklet(study)
    PhaseRun.objects.update(is_counted=False, is_held=True)

    with pytest.raises(CommandError, match="1 of them are held for review"):
        call_command("progress", study.slug, "--complete")

    assert "1 held for review" in capsys.readouterr().out
