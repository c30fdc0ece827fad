"""Completed parts store what their answers add up to: pages read these sums, and stay right."""

import pytest
from django.db.models import Count, Max

from annotation.answering.services import phases, withdrawal
from annotation.core.queries import counted_answers, run_sums
from annotation.core.queries.counted_answers import Basis, Population
from annotation.core.queries.held_for_review import Held, held_for_review
from annotation.core.queries.key_sums import key_sum
from annotation.core.services import run_sums as services
from annotation.models import Exclusion, ImportedTotals, Judgment, PhaseRun, Study
from annotation.models.kinds import Source
from annotation.monitoring.services import live
from annotation.people.queries import signs
from annotation.releases.queries import releases
from tests.support import rating
from tests.support.answering import answer_all, answer_one
from tests.support.checking import make_checked_comparisons
from tests.support.clock import Clock
from tests.support.factories import join, make_open_study
from tests.support.researcher_pages import finish_booklet, simulate

pytestmark = pytest.mark.django_db


def counted(study: Study, population: Population) -> Basis:
    """From the answers themselves."""
    numbers = counted_answers.counted_judgments(study, population).aggregate(
        n=Count("pk"), last=Max("pk"), total=key_sum()
    )
    return Basis(numbers["n"], numbers["last"], int(numbers["total"] or 0))


def said(study: Study) -> dict[str, object]:
    """What pages say, by name."""
    return {
        "people": counted_answers.basis(study, "people"),
        "simulated": counted_answers.basis(study, "simulated"),
        "standing": run_sums.standing([study]),
        "held": held_for_review(study.design, "people"),
        "shares": releases.contents(study).shares,
        "signs": signs.of_study(study, list(Source)),
    }


@pytest.fixture
def study() -> Study:
    """Six people: complete, excluded, held, simulated, at work, and of another study."""
    study = make_open_study(dialogues=4)
    people = [finish_booklet(study) for _ in range(3)]
    Exclusion.objects.create(annotator=people[1], reason="of the test", by=study.owner)
    PhaseRun.objects.filter(assignment__annotator=people[2]).update(is_counted=False, is_held=True)
    simulate(study)
    at_work = join(study).assignment
    answer_one(at_work, at_work.booklet.questions.earliest("pk"))
    finish_booklet(make_open_study())
    Judgment.objects.update(n_away=0, n_pasted=1)
    return study


def store(study: Study) -> None:
    for population in counted_answers.POPULATIONS:
        services.store(study.design, population)


def test_pages_say_the_same_before_and_after_the_sums_are_stored(study: Study) -> None:
    before = said(study)
    assert before["people"] == counted(study, "people")
    assert before["simulated"] == counted(study, "simulated")
    assert isinstance(before["held"], Held)
    assert before["held"].n_answers > 0

    store(study)

    assert PhaseRun.objects.filter(phase__design=study.design, n_answers=None).count() == 1
    assert said(study) == before


@pytest.mark.parametrize("name", ["people", "standing", "held", "shares", "signs"])
def test_what_is_stored_is_read_and_the_answers_are_not(study: Study, name: str) -> None:
    """So that no page reads a million answers: it says a wrong sum where one is stored."""
    before = said(study)
    store(study)

    PhaseRun.objects.filter(n_answers__gt=0).update(n_answers=900, n_watched=900)

    assert said(study)[name] != before[name]


def test_a_paste_counts_where_the_focus_was_watched(study: Study) -> None:
    Judgment.objects.update(n_away=None, n_pasted=1)

    rows = run_sums.sums(PhaseRun.objects.all(), ["assignment"], ["n_watched", "n_with_paste"])

    assert {tuple(numbers) for _assignment, *numbers in rows} == {(0, 0)}


def test_answers_that_come_after_are_counted_with_what_is_stored(study: Study) -> None:
    store(study)
    n_before = counted_answers.basis(study, "people").n_judgments

    someone = finish_booklet(study)

    own = Judgment.objects.filter(assignment__annotator=someone).count()
    assert counted_answers.basis(study, "people") == counted(study, "people")
    assert counted_answers.basis(study, "people").n_judgments == n_before + own
    assert run_sums.standing([study])[study.pk, Source.REAL] == (
        Judgment.objects.filter(
            assignment__annotator__study=study, assignment__annotator__source=Source.REAL
        ).count()
    )


def test_a_withdrawal_takes_the_sums_back(study: Study) -> None:
    store(study)
    (someone,) = study.annotators.filter(
        assignments__runs__is_counted=True, exclusions=None, source=Source.REAL
    ).distinct()

    withdrawal.withdraw(annotator=someone)

    for _again in range(2):
        assert counted_answers.basis(study, "people") == counted(study, "people")
        assert someone.pk not in {each.annotator for each in signs.of_study(study, list(Source))}
        assert run_sums.standing([study])[study.pk, Source.REAL] == (
            Judgment.objects.current()
            .filter(assignment__annotator__study=study, assignment__annotator__source=Source.REAL)
            .count()
        )
        store(study)


def test_checks_are_no_answers() -> None:
    study = make_checked_comparisons()
    answer_all(join(study).assignment)
    PhaseRun.objects.update(completed_at="2026-01-01T00:00:00Z")
    n_of_all = Judgment.objects.count()
    Judgment.objects.update(n_away=0)

    before = run_sums.standing([study]), signs.of_study(study, list(Source))
    store(study)

    assert (run_sums.standing([study]), signs.of_study(study, list(Source))) == before
    assert before[0].total() == counted_answers.judgments_of(study, "people").count() < n_of_all
    assert before[1][0].n == n_of_all


def test_answers_are_counted_with_the_phase_that_they_belong_to(clock: Clock) -> None:
    study = rating.make_rating_study(pairs=4, phases=rating.TWICE)
    person = rating.join(study).assignment
    rating.rate_phase(person)
    clock.move(hours=73)
    rating.rate(person, phases.latest(person).questions.earliest("pk"))

    n_before = run_sums.standing([study])
    store(study)

    assert n_before == run_sums.standing([study]) == {(study.pk, Source.REAL): 5}


def test_the_worker_stores_them_while_it_watches(study: Study) -> None:
    live.watch()

    waiting = PhaseRun.objects.filter(completed_at__isnull=False, n_answers=None)
    assert not waiting.exists()
    assert services.store(study.design, "people") == 0


def test_what_an_import_adds_up_to_is_left_to_its_totals(study: Study) -> None:
    study.annotators.update(source=Source.IMPORTED)

    assert services.store(study.design, "people") == 0
    assert not ImportedTotals.objects.exists()
    assert counted_answers.basis(study, "people") == counted(study, "people")
