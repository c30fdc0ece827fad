"""Whose key it is, and what they work on: the first thing that every page with a key asks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.core.queries.statements import Statement, columns
from annotation.models import (
    Annotator,
    Assignment,
    Booklet,
    Design,
    Listing,
    Person,
    Phase,
    PhaseRun,
    Study,
    Visit,
)

_WORK: dict[str, Any] = {
    "run": PhaseRun,
    "assignment": Assignment,
    "phase": Phase,
    "booklet": Booklet,
    # The certificate of a large design is long, and no annotator's page reads it.
    "design": columns(Design, but=("certificate", "parameters")),
    "of_work": """
    LEFT JOIN annotation_phase AS phase ON phase.id = run.phase_id
    LEFT JOIN annotation_booklet AS booklet ON booklet.id = assignment.booklet_id
    LEFT JOIN annotation_design AS design ON design.id = booklet.design_id
    """,
    "facts": """
    EXISTS (
        SELECT 1 FROM annotation_check
        WHERE study_id = study.id AND style IN ('tutorial', 'loud')
    ),
    (SELECT count(*) FROM annotation_phase WHERE design_id = design.id)
    """,
}
# The latest phase of the latest assignment; none before they agreed. Whoever has an assignment has
# a run of it: they are made together.
_OF_KEY = Statement(
    """
    SELECT {annotator}, {study}, {run}, {assignment}, {phase}, {booklet}, {design}, {facts}
    FROM annotation_annotator AS annotator
    JOIN annotation_study AS study ON study.id = annotator.study_id
    LEFT JOIN annotation_assignment AS assignment ON assignment.annotator_id = annotator.id
    LEFT JOIN annotation_phaserun AS run ON run.assignment_id = assignment.id
    {of_work}
    WHERE annotator.key_hash = %s
    ORDER BY assignment.id DESC, phase.number DESC
    LIMIT 1
    """,
    annotator=Annotator,
    study=Study,
    **_WORK,
)
# The key of a sitting on a platform leads to that sitting alone.
_VISIT_OF_KEY = Statement(
    """
    SELECT {visit}, {listing}, {study}, {person}, {annotator},
        {run}, {assignment}, {phase}, {booklet}, {design}, {facts}
    FROM annotation_visit AS visit
    JOIN annotation_listing AS listing ON listing.id = visit.listing_id
    JOIN annotation_study AS study ON study.id = listing.study_id
    LEFT JOIN annotation_person AS person ON person.id = visit.person_id
    LEFT JOIN annotation_phaserun AS run ON run.id = visit.run_id
    LEFT JOIN annotation_assignment AS assignment ON assignment.id = run.assignment_id
    LEFT JOIN annotation_annotator AS annotator ON annotator.id = assignment.annotator_id
    {of_work}
    WHERE visit.key_hash = %s
    """,
    visit=Visit,
    listing=Listing,
    study=Study,
    person=Person,
    annotator=Annotator,
    **_WORK,
)


@dataclass(frozen=True)
class KeyHolder:
    """Whose key it is: who claimed nothing in a sitting is an annotator without a row."""

    annotator: Annotator
    # The phase they are in of the assignment they work on; in a sitting, what it is for.
    run: PhaseRun | None
    visit: Visit | None = None
    # Whether the study has checks of whose answers people are told.
    has_told_checks: bool = False
    n_phases: int = 0


def of_key(key_hash: str) -> KeyHolder | None:
    return _annotator_of(key_hash) or _visit_of(key_hash)


def _annotator_of(key_hash: str) -> KeyHolder | None:
    row = _OF_KEY.first(key_hash)
    if row is None:
        return None
    annotator, study, *work, has_told_checks, n_phases = row
    annotator.study = study
    run = _joined(annotator, work)
    return KeyHolder(annotator, run, has_told_checks=bool(has_told_checks), n_phases=n_phases)


def _visit_of(key_hash: str) -> KeyHolder | None:
    row = _VISIT_OF_KEY.first(key_hash)
    if row is None:
        return None
    visit, listing, study, person, annotator, *work, has_told_checks, n_phases = row
    listing.study = study
    visit.listing, visit.person = listing, person
    annotator = annotator or Annotator(study=study)
    annotator.study = study
    visit.run = _joined(annotator, work)
    return KeyHolder(annotator, visit.run, visit, bool(has_told_checks), n_phases)


def _joined(annotator: Annotator, work: Sequence[Any]) -> PhaseRun | None:
    """The run with all that it refers to; a row without a run has nothing of it."""
    run: PhaseRun | None
    run, assignment, phase, booklet, design = work
    if run is not None:
        design.study = annotator.study
        booklet.design = phase.design = design
        assignment.annotator, assignment.booklet = annotator, booklet
        run.assignment, run.phase = assignment, phase
    return run
