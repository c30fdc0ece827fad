"""Scored studies, and studies in which people look at their items again."""

from collections.abc import Mapping, Sequence

from annotation.answering.services import assignments, phases
from annotation.core.services import jobs
from annotation.designs.services import designs
from annotation.models import Annotator, Item, ItemScore, Job, Result, Study
from annotation.studies.services import studies
from tests.support.answering import answer_all
from tests.support.factories import join as join_best_worst
from tests.support.factories import make_open_study, name_contact
from tests.support.labelling import label
from tests.support.rating import join, make_rating_study, rate_phase


def score(study: Study) -> Result:
    job = jobs.run_here(study=study, kind=Job.Kind.SCORE, parameters={"n_splits": 2})
    assert job.state == Job.State.DONE, job.error
    return job.result


def scored_dialogues(scores: Mapping[str, float] | None = None, **arguments) -> Study:
    """A closed best-worst study of dialogues with some scores, from -1 to 1, by item's key.

    One person has answered; what the job computed of that stands where no score is given.
    """
    study = make_open_study(parameters={"annotations_per_tuple": 1}, **arguments)
    answer_all(assignment := join_best_worst(study).assignment)
    assignments.submit(assignment=assignment)
    study = studies.close(study=study)
    result = score(study)
    for key, value in (scores or {}).items():
        changed = ItemScore.objects.filter(result=result, item__key=key).update(score=value)
        assert changed == 1, key
    return study


def scored_ratings(ratings: Mapping[str, Sequence[str]], **numbers) -> Study:
    """A closed rating study from 0 to 6, each pair rated so by so many people, and scored.

    With several phases people rate the later ones with 3.
    """
    n_people = len(next(iter(ratings.values())))
    study = make_rating_study(pairs=len(ratings), ratings_per_item=n_people, **numbers)
    for person in range(n_people):
        assignment = join(study).assignment
        rate_phase(
            assignment,
            ratings=lambda question, person=person: ratings[question.item.key][person],
        )
    study = studies.close(study=study)
    score(study)
    return study


def review_of(earlier: Study, preset: str = "expert-check", **columns) -> Study:
    """A draft that looks at the items of another study, which it has still to choose."""
    study = studies.create(
        owner=earlier.owner, title="Again", preset=preset, seed=1, earlier_round=earlier
    )
    for name, value in columns.items():
        setattr(study, name, value)
    study.save()
    name_contact(study)
    return study


def open_review(study: Study) -> Study:
    designs.make(design=study.design)
    return studies.open_study(study=study)


def label_all(study: Study, labels: Mapping[str, Sequence[str]]) -> Annotator:
    """Somebody gives each item these categories, and sends the booklet."""
    joined = join(study)
    run = phases.latest(joined.assignment)
    for question in run.questions.select_related("item").order_by("screen", "position"):
        item = question.item
        assert isinstance(item, Item)
        label(joined.assignment, question, *labels[item.key])
    assignments.submit(assignment=joined.assignment, run=run.pk)
    return joined.annotator
