"""Rating studies that go on with the items of an earlier one."""

from decimal import Decimal
from uuid import uuid4

import pytest
from django.urls import reverse

from annotation.basics import clock
from annotation.basics.errors import StateError
from annotation.core.services import jobs
from annotation.designs.services import designs, rounds
from annotation.kinds.design_parameters import PhaseParameters, RatingParameters
from annotation.models import (
    Assignment,
    Context,
    ContextGroup,
    Item,
    Judgment,
    PhaseRun,
    Study,
    Turn,
)
from annotation.studies.services import researchers, studies
from tests.support.designed_ratings import rating_study
from tests.support.factories import join, make_study, make_user
from tests.support.researcher_pages import signed_in, text

pytestmark = pytest.mark.django_db


def rate(assignment: Assignment, value: str) -> None:
    """Everything in the first phase gets one rating, and its run is complete."""
    for question in assignment.booklet.questions.filter(block__phase__number=1):
        Judgment.objects.create(
            assignment=assignment,
            question=question,
            kind="rating",
            rating=Decimal(value),
            idempotency_key=uuid4(),
        )
    assignment.runs.update(completed_at=clock.now(), place=assignment.place_id, is_counted=True)


def closed_study(**arguments) -> Study:
    """Three pairs, each rated by three people: with 1, 2 and 5."""
    study = rating_study(pairs=3, numbers={"ratings_per_item": 3}, **arguments)
    designs.make(design=study.design)
    studies.open_study(study=study)
    for value in ("1", "2", "5"):
        rate(join(study).assignment, value)
    return studies.close(study=study)


def test_items_come_along_with_what_they_stem_from_and_their_mean() -> None:
    earlier = closed_study()
    Item.objects.filter(study=earlier, key="p2").update(intended_class="near", metadata={"a": 1})
    study = rating_study(pairs=7)

    done = rounds.begin(study=study, earlier=earlier)

    study.refresh_from_db()
    assert (done.n_items, done.n_rated) == (3, 3)
    assert study.earlier_round == earlier
    copied = study.items.get(key="p2")
    assert copied.derived_from == earlier.items.get(key="p2")
    assert copied.earlier_rating == Decimal("2.667")
    assert (copied.intended_class, copied.metadata) == ("near", {"a": 1})
    assert copied.target_text == "First text of p2."
    assert list(study.items.values_list("key", flat=True)) == ["p1", "p2", "p3"]
    assert not study.design.is_made


def test_known_answers_calibrate_again_and_have_no_mean() -> None:
    earlier = closed_study(calibration=(0, 6))
    study = studies.create(
        owner=make_user(), title="Later", preset="sts-context", earlier_round=earlier
    )

    rounds.begin(study=study, earlier=earlier)

    assert RatingParameters.of(study.design).calibration == ["c1", "c2"]
    assert study.items.get(key="c2").expected == 6
    assert study.items.get(key="c2").earlier_rating is None


def test_groups_and_contexts_are_copied_not_shared() -> None:
    earlier = rating_study(pairs=4, groups=2)
    incident = ContextGroup.objects.create(study=earlier, key="fire")
    report = Context.objects.create(
        study=earlier, group=incident, key="r1", domain="news", n_turns=2
    )
    turns = [Turn.objects.create(context=report, position=n, text=f"S{n}") for n in (1, 2)]
    Item.objects.filter(study=earlier, key="p3").update(
        candidate_text=None, candidate_turn=turns[1]
    )
    Study.objects.filter(pk=earlier.pk).update(state="closed", opened_at=clock.now())
    earlier.refresh_from_db()
    study = rating_study(pairs=1)

    rounds.begin(study=study, earlier=earlier)

    item = study.items.get(key="p3")
    assert item.candidate == "S2"
    assert item.candidate_turn is not None
    assert item.candidate_turn.context.study == study
    assert item.candidate_turn.context.group is not None
    assert item.candidate_turn.context.group.study == study
    assert [pool.items.count() for pool in study.pools.order_by("number")] == [2, 2]
    assert earlier.items.get(key="p3").candidate_turn == turns[1]


def test_continuing_again_replaces_what_was_copied() -> None:
    earlier = closed_study()
    study = rating_study(pairs=1)

    rounds.begin(study=study, earlier=earlier)
    rounds.begin(study=study, earlier=earlier)

    assert study.items.count() == 3
    assert earlier.items.count() == 3


def test_ratings_of_a_second_phase_are_not_in_the_mean() -> None:
    earlier = rating_study(
        pairs=2,
        numbers={
            "ratings_per_item": 1,
            "phases": [PhaseParameters(), PhaseParameters("context_dependent")],
        },
    )
    designs.make(design=earlier.design)
    studies.open_study(study=earlier)
    rate(assignment := join(earlier).assignment, "2")
    second = PhaseRun.objects.create(
        assignment=assignment,
        phase=earlier.design.phases.get(number=2),
        opens_at=clock.now(),
        completed_at=clock.now(),
        place=assignment.place,
        is_counted=True,
    )
    for question in assignment.booklet.questions.filter(block__phase=second.phase):
        Judgment.objects.create(
            assignment=assignment,
            question=question,
            kind="rating",
            rating=6,
            idempotency_key=uuid4(),
        )
    studies.close(study=earlier)
    study = rating_study(pairs=1)

    rounds.begin(study=study, earlier=earlier)

    assert {*study.items.values_list("earlier_rating", flat=True)} == {Decimal("2.000")}


def test_a_draft_that_continues_another_can_be_deleted() -> None:
    earlier = closed_study()
    study = rating_study(pairs=1)
    rounds.begin(study=study, earlier=earlier)
    study.refresh_from_db()
    designs.make(design=study.design)

    researchers.delete_draft(study=study)

    assert Study.objects.get() == earlier
    assert Item.objects.count() == 3


def test_what_cannot_be_continued_is_said() -> None:
    earlier, study = closed_study(), rating_study(pairs=1)
    still_open = rating_study(pairs=2)

    with pytest.raises(StateError, match="Close it first"):
        rounds.begin(study=study, earlier=still_open)
    with pytest.raises(StateError, match="cannot continue itself"):
        rounds.begin(study=study, earlier=study)
    with pytest.raises(StateError, match="Only a rating study"):
        rounds.begin(study=make_study(), earlier=earlier)
    with pytest.raises(StateError, match="frozen"):
        rounds.begin(study=earlier, earlier=study)


# -- The page of a new study --------------------------------------------------------------------


def test_a_new_study_continues_one_that_is_closed() -> None:
    earlier = closed_study()
    form = {
        "title": "Next",
        "preset": "sts-context",
        "language": "en",
        "earlier_round": earlier.pk,
    }

    client = signed_in(earlier.owner)
    client.post(reverse("admin:annotation_study_add"), form)

    study = Study.objects.get(title="Next")
    jobs.run(study.jobs.get().pk)
    assert study.earlier_round == earlier
    assert study.items.count() == 3
    assert study.design.parameters["repeat_from"] == "earlier_round"


def test_only_what_one_may_see_can_be_continued_and_only_by_ratings() -> None:
    earlier = closed_study()
    address = reverse("admin:annotation_study_add")
    form = {"title": "Next", "preset": "training", "language": "en", "earlier_round": earlier.pk}

    assert "Earlier study" not in text(signed_in().get(address))
    assert "Earlier study" in text(signed_in(earlier.owner).get(address))
    refused = signed_in(earlier.owner).post(address, {**form, "preset": "giccs"})

    assert refused.status_code == 400
    assert "Choose a preset with ratings" in text(refused)
    assert not Study.objects.filter(title="Next").exists()
