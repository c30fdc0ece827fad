"""A withdrawal finds everything that was made of somebody's answers, and nothing else."""

from decimal import Decimal
from typing import Any

import pytest

from annotation.answering.services import withdrawal
from annotation.answering.services.assignments import Participant
from annotation.baselines.services import baselines, leaderboards
from annotation.baselines.services.report_options import ReportOptions
from annotation.basics import clock
from annotation.basics.errors import StateError
from annotation.basics.reviewed import Reviewed
from annotation.core.services import jobs
from annotation.designs.services import designs
from annotation.models import BaselineReport, Item, Job, Place, Relabelling, ReleaseEvent, Study
from annotation.people.services import exclusions
from annotation.reviews import services as reviews
from annotation.studies.services import copies, studies
from tests.designs.test_rounds import rate
from tests.designs.test_withdrawn_rounds import later_round, rated_by_one
from tests.support import selecting
from tests.support.factories import join, make_open_study, make_user
from tests.support.release_studies import facts, files_of, write
from tests.support.researcher_pages import finish_booklet, make_release, signed_in, url
from tests.support.reviewing import review_of, scored_dialogues, scored_ratings
from tests.support.scored_ratings import score

pytestmark = pytest.mark.django_db


def answered_by_two() -> tuple[Study, list[Participant]]:
    """A selection study of one incident; both chose from all of its sentences."""
    study = selecting.make_selection_study(incidents=1, people_per_incident=2)
    people = [selecting.join(study) for _ in range(2)]
    for somebody in people:
        selecting.select_all(somebody.assignment)
    return studies.close(study=study), people


def rated_again(study: Study, value: str) -> Study:
    """The study with one rating for each pair, closed and scored."""
    design = study.design
    design.parameters = {**design.parameters, "n_repeats": 0, "ratings_per_item": 1}
    design.save()
    designs.make(design=design)
    studies.open_study(study=study)
    for _place in range(Place.objects.filter(booklet__design=design).count()):
        rate(join(study).assignment, value)
    studies.close(study=study)
    study.refresh_from_db()
    score(study)
    return study


@pytest.mark.slow
def test_everybody_can_withdraw_after_experts_looked_at_what_they_chose() -> None:
    earlier, people = answered_by_two()
    review = review_of(rated_again(later_round(earlier), "4"))
    reviews.choose_for_experts(study=review)

    for somebody in people:
        withdrawal.withdraw(annotator=somebody.annotator)
        somebody.annotator.refresh_from_db()
        assert somebody.annotator.withdrawn_at
        for item in Item.objects.filter(study=review):
            assert somebody.annotator.pseudonym not in item.key

    assert {item.intended_class for item in review.items.all()} == {""}
    assert {pool.key for pool in review.pools.all()} == {"all"}


def test_a_study_that_only_names_somebody_is_left_as_it_is() -> None:
    earlier, people = answered_by_two()
    stranger = later_round(earlier)
    # As if somebody had imported the same table: the file names who chose each pair.
    Item.objects.filter(study=stranger).update(chosen_in=None)
    before = list(stranger.items.values().order_by("pk"))

    withdrawal.withdraw(annotator=people[0].annotator)

    assert list(stranger.items.values().order_by("pk")) == before


def test_a_changed_label_hides_nobody_who_withdraws() -> None:
    earlier, people = answered_by_two()
    study = later_round(earlier)
    item = study.items.filter(metadata__annotator=people[0].annotator.pseudonym).first()
    assert item is not None
    relabelling = Relabelling.objects.create(
        study=study,
        item=item,
        field="annotator",
        before=people[0].annotator.pseudonym,
        after="S1",
        reason="Shorter.",
        by=study.owner,
        made_at=clock.now(),
    )
    Item.objects.filter(pk=item.pk).update(metadata={"annotator": "S1"})

    withdrawal.withdraw(annotator=people[0].annotator)

    item.refresh_from_db()
    relabelling.refresh_from_db()
    assert people[0].annotator.pseudonym not in item.key
    assert (item.intended_class, item.earlier_rating) == ("", None)
    assert people[0].annotator.pseudonym not in str(relabelling.before)


def test_a_rating_that_did_not_count_any_more_is_forgotten_too() -> None:
    earlier, gone = rated_by_one()
    study = later_round(earlier)
    exclusions.exclude(
        annotator=gone.annotator, reason="Too fast.", by=earlier.owner, gives_place_back=True
    )

    withdrawal.withdraw(annotator=gone.annotator)

    assert {item.earlier_rating for item in study.items.all()} == {None}


def test_a_copy_by_somebody_who_does_not_know_the_earlier_round_forgets_it_too() -> None:
    earlier, gone = rated_by_one()
    study = later_round(earlier)
    colleague = make_user()
    study.shares.create(user=colleague, role="editor")
    draft = copies.begin(study=study, title="Copy", with_items=True, by=colleague)
    for job in draft.jobs.all():
        jobs.run(job.pk)
    assert {item.earlier_rating for item in draft.items.all()} == {Decimal(5)}

    withdrawal.withdraw(annotator=gone.annotator)

    assert {item.earlier_rating for item in draft.items.all()} == {None}


def test_what_others_said_stays_where_it_is_the_same_by_chance() -> None:
    earlier, gone = rated_by_one()
    third = later_round(rated_again(later_round(earlier), "5"))

    withdrawal.withdraw(annotator=gone.annotator)

    assert {item.earlier_rating for item in third.items.all()} == {Decimal(5)}


def test_a_review_forgets_the_scores_of_which_no_answer_is_left() -> None:
    earlier = scored_ratings({"p1": ["1", "5"], "p2": ["5", "3"]})
    review = review_of(earlier)
    reviews.choose_for_experts(study=review)
    one, other = earlier.annotators.order_by("pk")

    withdrawal.withdraw(annotator=one)
    assert all(Reviewed.of(item.metadata) for item in review.items.all())
    withdrawal.withdraw(annotator=other)

    assert not any(Reviewed.of(item.metadata) for item in review.items.all())


def test_a_review_of_best_worst_scores_forgets_them_too() -> None:
    earlier = scored_dialogues()
    review = review_of(earlier)
    reviews.choose_for_experts(study=review)
    release = make_release(review)

    withdrawal.withdraw(annotator=earlier.annotators.get())

    assert not any(Reviewed.of(item.metadata) for item in review.items.all())
    assert release.events.get().kind == ReleaseEvent.Kind.WITHDRAWN


def test_what_was_computed_with_answers_that_are_withdrawn_goes() -> None:
    earlier = scored_ratings({"p1": ["1", "5"], "p2": ["5", "3"]})
    one, _other = earlier.annotators.order_by("pk")
    # Somebody who came later is in no result.
    assert earlier.results.count() == 1

    withdrawal.withdraw(annotator=one)

    assert not earlier.results.exists()
    page = signed_in(earlier.owner).get(url(earlier, "results"))
    assert page.context["is_forgotten"]


def test_scores_without_the_answers_of_whoever_withdraws_stay() -> None:
    study = make_open_study(dialogues=1, parameters={"annotations_per_tuple": 3})
    finish_booklet(study)
    score(study)
    unfinished = join(study)
    later = finish_booklet(study)

    withdrawal.withdraw(annotator=unfinished.annotator)
    assert study.results.count() == 1
    withdrawal.withdraw(annotator=later)

    assert study.results.count() == 1


def test_comparisons_and_leaderboards_with_answers_that_are_withdrawn_go() -> None:
    study = scored_ratings({f"p{n}": [str(n), str(6 - n), "3"] for n in range(1, 6)})
    going, other, _third = study.annotators.order_by("pk")
    compared = jobs.run_here(
        study=study,
        kind=Job.Kind.COMPARE,
        parameters={"population": "people", "without": [other.pk]},
    )
    assert compared.figures
    result = study.results.get()
    BaselineReport.objects.create(
        study=study,
        job=compared,
        parameters={"result": result.pk},
        figures={},
        computed_at=clock.now(),
    )
    of_a_column = BaselineReport.objects.create(
        study=study, job=compared, parameters={"result": None}, figures={}, computed_at=clock.now()
    )

    withdrawal.withdraw(annotator=going)

    compared.refresh_from_db()
    assert compared.figures is None
    assert list(study.baseline_reports.all()) == [of_a_column]


@pytest.mark.slow
def test_the_methods_name_the_round_that_the_pairs_come_from() -> None:
    earlier, _people = answered_by_two()
    second = rated_again(later_round(earlier), "4")
    third = rated_again(later_round(second), "4")

    for study, origin, what in (
        (second, earlier, "where people chose them."),
        (third, second, "where people rated them before."),
    ):
        methods = files_of(write(study, facts()))["METHODS.md"].decode()
        [sentence] = [part for part in methods.split(". ") if "earlier round" in part][:1]
        assert origin.title in sentence
        assert what in methods


def test_scores_of_a_later_round_that_name_choices_go_with_them() -> None:
    earlier, people = answered_by_two()
    study = rated_again(later_round(earlier), "4")
    assert study.results.exists()

    withdrawal.withdraw(annotator=people[0].annotator)

    assert not study.results.exists()


def test_who_withdraws_while_items_are_chosen_is_in_no_review(monkeypatch) -> None:
    earlier = scored_ratings({"p1": ["1"], "p2": ["5"]})
    review = review_of(earlier)
    rows = reviews._rows

    def withdraw_and_read(*args: Any) -> list[Item]:
        withdrawal.withdraw(annotator=earlier.annotators.get())
        return rows(*args)

    monkeypatch.setattr(reviews, "_rows", withdraw_and_read)
    with pytest.raises(StateError, match="withdrew"):
        reviews.choose_for_experts(study=review)

    assert not review.items.exists()


def test_who_withdraws_while_a_leaderboard_is_computed_is_in_none(monkeypatch) -> None:
    study = scored_ratings({f"p{n}": [str(n), str(6 - n)] for n in range(1, 6)})
    going = study.annotators.earliest("pk")
    compute = leaderboards.baseline_report

    def withdraw_and_compute(*args: Any, **options: Any) -> Any:
        withdrawal.withdraw(annotator=going)
        return compute(*args, **options)

    monkeypatch.setattr(leaderboards, "baseline_report", withdraw_and_compute)
    job = baselines.request(study=study, options=ReportOptions())
    jobs.run(job.pk)

    job.refresh_from_db()
    assert (job.state, "withdrew" in str(job.problems)) == (Job.State.FAILED, True)
    assert not study.baseline_reports.exists()
