"""Somebody withdraws from a round whose answers a later round was made of."""

from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.db.models import F
from django.test import TestCase

from annotation.answering.services import rosters, withdrawal
from annotation.answering.services.assignments import Participant
from annotation.basics import clock
from annotation.core.queries.withdrawals import n_withdrawn
from annotation.core.services import jobs
from annotation.designs.services import designs, rounds
from annotation.kinds.services import copied_material
from annotation.models import Item, Job, Judgment, Person, ReleaseEvent, Study
from annotation.releases.queries.releases import change_log
from annotation.releases.services import downloads, releases
from annotation.results.queries import outdated
from annotation.studies.services import copies, studies
from tests.designs.test_rounds import closed_study, rate
from tests.support import selecting
from tests.support.designed_ratings import rating_study
from tests.support.factories import join
from tests.support.researcher_pages import make_release
from tests.support.scored_ratings import score

pytestmark = pytest.mark.django_db


def later_round(earlier: Study) -> Study:
    study = studies.create(
        owner=earlier.owner, title="Later", preset="sts-context", earlier_round=earlier
    )
    rounds.begin(study=study, earlier=earlier)
    study.refresh_from_db()
    return study


def rated_by_one() -> tuple[Study, Participant]:
    """Three pairs, all rated 5 by the only person."""
    study = rating_study(pairs=3, numbers={"ratings_per_item": 1})
    designs.make(design=study.design)
    studies.open_study(study=study)
    somebody = join(study)
    rate(somebody.assignment, "5")
    return studies.close(study=study), somebody


def texts(study: Study) -> list[tuple[str, str]]:
    return sorted((item.target, item.candidate) for item in study.items.all())


def test_pairs_that_somebody_chose_stay_and_do_not_say_who_chose_them_as_what() -> None:
    earlier = selecting.make_selection_study(incidents=1, people_per_incident=2)
    gone, stays = (selecting.join(earlier) for _ in range(2))
    for somebody in (gone, stays):
        selecting.select_all(somebody.assignment)
    studies.close(study=earlier)
    study = later_round(earlier)
    design = study.design
    theirs = study.items.filter(metadata__annotator=gone.annotator.pseudonym)
    design.parameters["calibration"] = [theirs.first().key]
    design.save()
    before = texts(study)
    of_others = list(study.items.exclude(pk__in=theirs).values().order_by("pk"))

    withdrawal.withdraw(annotator=gone.annotator)

    assert texts(study) == before
    for item in Item.objects.filter(study=study).select_related("pool"):
        assert gone.annotator.pseudonym not in item.key + item.pool.key
        if item.pk not in {row["id"] for row in of_others}:
            assert (item.metadata, item.earlier_rating, item.intended_class) == (
                {"annotator": "…"},
                None,
                "",
            )
    untouched = study.items.filter(pk__in=[row["id"] for row in of_others])
    assert list(untouched.values().order_by("pk")) == of_others
    design.refresh_from_db()
    assert study.items.filter(key__in=design.parameters["calibration"]).count() == 1


def test_a_file_of_the_later_round_that_waits_to_be_fetched_goes() -> None:
    earlier = selecting.make_selection_study(incidents=1)
    gone = selecting.join(earlier)
    selecting.select_all(gone.assignment)
    studies.close(study=earlier)
    study = later_round(earlier)
    design = study.design
    design.parameters = {**design.parameters, "n_repeats": 0}
    design.save()
    designs.make(design=design)
    jobs.run_here(study=study, kind=Job.Kind.EXPORT, parameters={"population": "people"})
    assert downloads.prepared(study, "people")

    with TestCase.captureOnCommitCallbacks(execute=True):
        withdrawal.withdraw(annotator=gone.annotator)

    assert not downloads.prepared(study, "people")


def test_releases_of_the_later_round_say_so() -> None:
    earlier = selecting.make_selection_study(incidents=1)
    gone = selecting.join(earlier)
    selecting.select_all(gone.assignment)
    studies.close(study=earlier)
    study = later_round(earlier)
    release = make_release(study)

    withdrawal.withdraw(annotator=gone.annotator)

    [event] = ReleaseEvent.objects.filter(release=release)
    assert (event.kind, event.pseudonym) == (
        ReleaseEvent.Kind.WITHDRAWN,
        gone.annotator.pseudonym,
    )
    assert event.n_judgments == earlier.design.booklets.get().questions.count()
    assert any(
        gone.annotator.pseudonym in line for change in change_log(release) for line in change.lines
    )


def test_a_rating_of_one_person_is_forgotten_and_a_mean_is_that_of_the_others() -> None:
    earlier, gone = rated_by_one()
    of_three = closed_study()
    study, other = later_round(earlier), later_round(of_three)
    assert {item.earlier_rating for item in study.items.all()} == {Decimal(5)}

    withdrawal.withdraw(annotator=gone.annotator)
    withdrawal.withdraw(annotator=of_three.annotators.order_by("pk")[0])

    assert {item.earlier_rating for item in study.items.all()} == {None}
    # Of 1, 2 and 5 without one of them.
    assert {item.earlier_rating for item in other.items.all()} == {Decimal("3.5")}


@pytest.mark.slow
def test_scores_of_the_later_round_are_outdated() -> None:
    earlier = closed_study()
    study = later_round(earlier)
    design = study.design
    design.parameters = {**design.parameters, "n_repeats": 0, "ratings_per_item": 1}
    design.save()
    designs.make(design=design)
    studies.open_study(study=study)
    rate(join(study).assignment, "4")
    result = score(study)
    assert not outdated.since(result, "people")

    withdrawal.withdraw(annotator=earlier.annotators.order_by("pk")[0])

    assert "earlier round" in str(outdated.since(result, "people"))
    assert not releases.is_up_to_date(study)
    assert not outdated.since(score(study), "people")


def test_withdrawals_from_rounds_before_are_counted_too() -> None:
    earlier, gone = rated_by_one()
    study = later_round(earlier)

    withdrawal.withdraw(annotator=gone.annotator)

    assert (n_withdrawn(earlier.pk), n_withdrawn(study.pk)) == (1, 1)
    assert n_withdrawn(later_round(closed_study()).pk) == 0


def test_somebody_who_was_invited_and_has_not_begun_can_withdraw() -> None:
    study = selecting.make_selection_study(incidents=1)
    [invited] = rosters.add_roster(
        study=study, entries=[rosters.RosterEntry("s1", "Ada Lovelace", "ada@example.org")]
    )

    withdrawal.withdraw(annotator=invited.annotator)

    assert not Person.objects.exists()


def test_what_an_imported_file_said_stays_and_so_does_what_several_said_later() -> None:
    earlier = rating_study(pairs=3, numbers={"ratings_per_item": 1})
    designs.make(design=earlier.design)
    Item.objects.filter(study=earlier).update(earlier_rating=3)
    studies.open_study(study=earlier)
    # Nobody has sent anything, so the file's ratings are handed on.
    unsent = join(earlier)
    answer = earlier.design.booklets.first().questions.first()
    Judgment.objects.create(
        assignment=unsent.assignment,
        question=answer,
        kind="rating",
        rating=1,
        idempotency_key=uuid4(),
    )
    studies.close(study=earlier)
    study = later_round(earlier)

    withdrawal.withdraw(annotator=unsent.annotator)

    assert {item.earlier_rating for item in study.items.all()} == {Decimal(3)}


def test_a_copy_of_the_later_round_and_a_known_answer_forget_it_too() -> None:
    earlier, gone = rated_by_one()
    second = later_round(earlier)
    second.items.filter(key="p1").update(expected=5, expected_of=F("score_of"))
    Study.objects.filter(pk=second.pk).update(state="closed", opened_at=clock.now())
    second.refresh_from_db()
    third = later_round(second)
    # What people said in the second round is not theirs.
    third.items.filter(key="p2").update(earlier_rating=2, score_of=second.items.get(key="p2"))

    withdrawal.withdraw(annotator=gone.annotator)

    assert second.items.get(key="p1").expected is None
    assert {item.earlier_rating for item in second.items.all()} == {None}
    ratings = dict(third.items.values_list("key", "earlier_rating"))
    assert ratings == {"p1": None, "p2": Decimal(2), "p3": None}


def test_who_withdraws_while_a_later_round_is_copied_is_not_in_the_copy(monkeypatch) -> None:
    earlier, gone = rated_by_one()
    study = later_round(earlier)
    monkeypatch.setattr("annotation.core.services.jobs.run_job.delay", lambda job_id: None)
    draft = copies.begin(study=study, title="Copy", with_items=True, by=study.owner)
    checks = copied_material.checks

    def withdraw_and_copy(*args: Any, **options: Any) -> None:
        withdrawal.withdraw(annotator=gone.annotator)
        checks(*args, **options)

    monkeypatch.setattr(copied_material, "checks", withdraw_and_copy)
    job = draft.jobs.get()
    jobs.run(job.pk)

    job.refresh_from_db()
    assert job.state == Job.State.FAILED
    assert not Study.objects.get(pk=draft.pk).has_material


def test_a_later_round_has_the_scale_of_its_earlier_ratings() -> None:
    earlier = closed_study()
    earlier.scale = {**earlier.scale, "high": 4}
    earlier.save()

    assert later_round(earlier).scale == earlier.scale
