"""What an export says of the study as a whole, and which result belongs to its answers."""

import platform
from dataclasses import dataclass
from typing import Any

import django
import numpy as np
from django.conf import settings

from annotation.basics import clock
from annotation.basics.cells import iso
from annotation.core.queries import counted_answers, material, relabellings
from annotation.core.queries.counted_answers import Population
from annotation.kinds.best_worst.queries.answers import TupleTable
from annotation.kinds.queries import orders
from annotation.kinds.scoring_options import ScoringOptions
from annotation.models import Design, Job, Place, Question, Result, Study
from annotation.models.kinds import Source


@dataclass(frozen=True)
class Facts:
    """What the tables of an export do not say."""

    study: Study
    design: Design
    population: Population
    table: TupleTable
    by_status: dict[str, int]
    note: str


def study_facts(facts: Facts) -> dict[str, Any]:
    """The study as one JSON object. Nobody's name: not the annotators', not the researcher's."""
    study, design = facts.study, facts.design
    n_pools = len(set(facts.table.item_pools))
    return {
        "exported_at": iso(clock.now()),
        "population": facts.population,
        "note": facts.note or None,
        "study": {
            "slug": study.slug,
            "title": study.title,
            "language": study.language,
            "kind": study.kind,
            "state": study.state,
            "preset": study.preset,
            "opened_at": iso(study.opened_at),
            "most_question": study.most_question,
            "least_question": study.least_question,
            "instructions": study.instructions,
            "worked_example": study.worked_example,
            "comprehension": study.comprehension,
        },
        "design": design_facts(design),
        "shown_order": {
            "definition": " ".join((orders.shown_order.__doc__ or "").split()),
            "seed": design.seed,
        },
        "counts": {
            "items": len(facts.table.item_pks),
            "pools": n_pools,
            "tuples": len(facts.table.tuple_pks),
            "booklets": design.booklets.count(),
            "questions": Question.objects.filter(block__phase__design=design).count(),
            "annotators": n_annotators(design, facts.population),
            "judgments": {
                "by_status": facts.by_status,
                # Their rows are empty, and in no file.
                "withdrawn": counted_answers.judgments_of(design, facts.population)
                .filter(withdrawn_at__isnull=False, superseded_at=None)
                .count(),
            },
        },
        **latest_statistics(design, facts.population),
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """Of what made an export."""
    return {
        "likeness": settings.VERSION,
        "python": platform.python_version(),
        "django": django.get_version(),
        "numpy": np.__version__,
    }


def n_annotators(design: Design, population: Population) -> int:
    """People with at least one answer in `judgments.tsv`."""
    given = counted_answers.judgments_of(design, population).filter(withdrawn_at=None)
    return given.order_by().values("assignment__annotator").distinct().count()


def latest_result(design: Design, population: Population) -> Result | None:
    return (
        Result.objects.filter(design=design, population=population, kind=design.study.kind)
        .order_by("-pk")
        .first()
    )


def current_result(design: Design, population: Population) -> Result | None:
    """The latest result, if it was computed from the answers that count now.

    Its figures of items and annotators are of no label, so that relabelling leaves them as they
    are.
    """
    result = latest_result(design, population)
    return result if result and counted_answers.basis(design, population).is_of(result) else None


def chosen_options(design: Design, population: Population) -> ScoringOptions:
    """How the latest result was computed; the defaults without one.

    A withdrawal deletes results, but not the jobs that computed them.
    """
    if result := latest_result(design, population):
        return ScoringOptions.of(result.parameters)
    done = design.study.jobs.filter(kind=Job.Kind.SCORE, state=Job.State.DONE).order_by("-pk")
    given = done.values_list("parameters", flat=True)
    of_population = (
        parameters for parameters in given if parameters.get("population", "people") == population
    )
    return ScoringOptions.of(next(of_population, {}))


def latest_statistics(design: Design, population: Population) -> dict[str, Any]:
    """The latest stored statistics, and whether they are of the answers in these files."""
    result = latest_result(design, population)
    if result is None:
        return {"result": None, "statistics": None}
    return {
        "result": {
            "kind": result.kind,
            "computed_at": iso(result.computed_at),
            "code_version": result.code_version,
            "parameters": result.parameters,
            "n_judgments": result.n_judgments,
            "is_current": counted_answers.basis(design, population).is_of(result)
            and not relabellings.is_relabelled_since(result),
        },
        "statistics": result.statistics,
    }


def design_facts(design: Design) -> dict[str, Any]:
    """What was asked, and from which numbers it was drawn."""
    return {
        "number": design.number,
        "is_pilot": design.study.pilot_of_id is not None,
        "seed": design.seed,
        "parameters": design.parameters,
        "code_version": design.code_version,
        "made_at": iso(design.made_at),
        "frozen_at": iso(design.frozen_at),
        "certificate": design.certificate,
    }


def study_counts(study: Study) -> dict[str, int]:
    """A study's size and how far it is, for the API."""
    design = study.design
    return {
        "n_items": material.n_items(study),
        "n_checks": study.checks.count(),
        "n_tuples": material.n_tuples(design),
        "n_booklets": design.booklets.count(),
        "n_places": Place.objects.filter(booklet__design=design)
        .exclude(source=Source.SIMULATED)
        .count(),
        "n_people": study.annotators.exclude(source=Source.SIMULATED).count(),
        "n_counted_judgments": counted_answers.basis(design, "people").n_judgments,
        "n_counted_simulated_judgments": counted_answers.basis(design, "simulated").n_judgments,
    }
