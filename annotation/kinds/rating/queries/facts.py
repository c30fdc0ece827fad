"""What an export says of a study of pairs as a whole."""

from statistics import median
from typing import Any

from annotation.basics import clock
from annotation.basics.cells import iso
from annotation.core.queries import counted_answers
from annotation.kinds.queries import adjudications
from annotation.kinds.queries.answer_records import AnsweredStudy
from annotation.kinds.queries.study_facts import (
    design_facts,
    latest_statistics,
    n_annotators,
    versions,
)
from annotation.kinds.rating.queries import phases as rating_phases
from annotation.kinds.rating.queries.exporting import RatedStudy
from annotation.models import Phase, Question
from annotation.models.kinds import QuestionKind


def rating_facts(
    rated: RatedStudy, options: dict[str, Any], by_status: dict[str, int], note: str
) -> dict[str, Any]:
    """A rating study as one JSON object."""
    return pair_facts(
        rated,
        {"scale": rated.study.scale},
        {"export": options},
        n_asked=int(rated.figures.is_asked.sum()),
        by_status=by_status,
        note=note,
    )


def pair_facts(
    answered: AnsweredStudy,
    answers_are: dict[str, Any],
    export: dict[str, Any],
    *,
    n_asked: int,
    by_status: dict[str, int],
    note: str,
) -> dict[str, Any]:
    """The study as one JSON object. Nobody's name: not the annotators', not the researcher's.

    `answers_are`: the scale, or the categories; `export`: the options chosen for this export.
    """
    design = answered.design
    study = design.study
    questions = Question.objects.filter(block__phase__design=design)
    pauses = rating_phases.counted_pauses(design, answered.population)
    return {
        "exported_at": iso(clock.now()),
        "population": answered.population,
        "note": note or None,
        **export,
        "study": {
            "slug": study.slug,
            "title": study.title,
            "language": study.language,
            "kind": study.kind,
            "state": study.state,
            "preset": study.preset,
            "earlier_round": study.earlier_round.slug if study.earlier_round else None,
            "earlier_round_title": study.earlier_round.title if study.earlier_round else None,
            "pairs_were_chosen": study.earlier_round is not None
            and study.earlier_round.kind == QuestionKind.SELECTION,
            "opened_at": iso(study.opened_at),
            "rating_question": study.rating_question,
            **answers_are,
            "instructions": study.instructions,
            "comprehension": study.comprehension,
        },
        "design": {
            **design_facts(design),
            "phases": [_phase(phase, pauses) for phase in design.phases.order_by("number")],
        },
        "counts": {
            "items": len(answered.read.items.pks),
            "items_of_the_main_block": n_asked,
            "items_adjudicated": adjudications.count(study, answered.population),
            "booklets": design.booklets.count(),
            "questions": questions.filter(assignment=None).count(),
            # Questions of a single person, such as repeats; each belongs to one population.
            "own_questions": questions.filter(
                assignment__annotator__source__in=counted_answers.SOURCES[answered.population]
            ).count(),
            "annotators": n_annotators(design, answered.population),
            "judgments": {
                "by_status": by_status,
                # Their rows are empty, and in no file.
                "withdrawn": counted_answers.judgments_of(design, answered.population)
                .filter(withdrawn_at__isnull=False, superseded_at=None)
                .count(),
            },
        },
        **latest_statistics(design, answered.population),
        "versions": versions(),
    }


def _phase(phase: Phase, pauses: dict[int, rating_phases.Pauses]) -> dict[str, Any]:
    """A phase, with how long people really waited for it."""
    waited = pauses.get(phase.number, rating_phases.Pauses())
    hours = waited.hours
    return {
        "number": phase.number,
        "condition": phase.condition,
        "delay_hours": None if phase.delay is None else phase.delay.total_seconds() / 3600,
        "closes_after_hours": (
            None if phase.closes_after is None else phase.closes_after.total_seconds() / 3600
        ),
        "pauses": {
            "n": waited.n,
            "n_opened_early": waited.n_opened_early,
            "n_known": len(hours),
            "median_hours": median(hours) if hours else None,
            "min_hours": min(hours, default=None),
            "max_hours": max(hours, default=None),
        },
    }
