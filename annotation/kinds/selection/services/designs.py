"""Making the design of a selection study: which incidents somebody reads, and in which order."""

from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.services.bounded_writes import Rows
from annotation.kinds.design_parameters import SelectionParameters
from annotation.kinds.selection.queries.layouts import Incident, Layout, lay_out
from annotation.kinds.services.design_rows import Drawn, places_of
from annotation.models import (
    Block,
    Booklet,
    Design,
    Phase,
    Place,
    Question,
)
from annotation.models.kinds import QuestionKind


def draw_design(
    design: Design, progress: Callable[[float, Said], None] = lambda share, message: None
) -> Drawn:
    """Draw the order of the incidents.

    Raises ImpossibleParametersError with the reason.
    """
    parameters = SelectionParameters.of(design)
    layout = lay_out(design.study, parameters)
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(design.seed)))
    order = [layout.incidents[n] for n in rng.permutation(len(layout.incidents))]
    rest = iter(order)
    booklets = [list(islice(rest, size)) for size in layout.sizes]

    def store(design: Design, rows: Rows) -> None:
        _store(design, parameters, booklets, rows)

    return Drawn(
        parameters=parameters,
        writing=_("writing %(n)s booklets") % {"n": len(booklets)},
        n_rows=layout.n_questions + len(booklets) * (1 + parameters.people_per_incident),
        store=store,
        certificate=_certificate(parameters, layout, booklets),
    )


def _store(
    design: Design, parameters: SelectionParameters, incidents: list[list[Incident]], rows: Rows
) -> None:
    # The reports are the context: nothing is shown without it.
    condition = Phase.Condition.DEPENDENT
    (phase,) = rows.insert(Phase, [Phase(design=design, number=1, condition=condition)])
    (block,) = rows.insert(Block, [Block(phase=phase, number=1, purpose=Block.Purpose.MAIN)])
    booklets = rows.insert(
        Booklet,
        (
            Booklet(design=design, number=number, n_screens=sum(len(i.summary) for i in some))
            for number, some in enumerate(incidents, start=1)
        ),
    )
    rows.add(Place, places_of(booklets, parameters.people_per_incident))
    rows.add(
        Question,
        (
            question
            for booklet, some in zip(booklets, incidents, strict=True)
            for question in _questions(block, booklet, some)
        ),
    )


def _questions(block: Block, booklet: Booklet, incidents: list[Incident]) -> Iterator[Question]:
    """One question a screen: the sentences of a summary follow one another."""
    turns = (turn for incident in incidents for turn in incident.summary)
    for screen, turn in enumerate(turns, start=1):
        yield Question(
            block=block,
            booklet=booklet,
            screen=screen,
            position=1,
            kind=QuestionKind.SELECTION,
            turn_id=turn,
        )


def _certificate(
    parameters: SelectionParameters, layout: Layout, booklets: list[list[Incident]]
) -> dict[str, object]:
    loads = [sum(len(incident.summary) for incident in some) for some in booklets]
    numbers = {
        "n_incidents": len(layout.incidents),
        "n_questions": layout.n_questions,
        "n_report_sentences": sum(incident.n_report_sentences for incident in layout.incidents),
        "people_per_incident": parameters.people_per_incident,
        "incidents_min": min(layout.sizes),
        "incidents_max": max(layout.sizes),
        "questions_min": min(loads),
        "questions_max": max(loads),
    }
    return {
        "kind": "selection",
        **numbers,
        # The certificate is in English; pages make their own sentences of its numbers.
        "sentences": _in_english(numbers, len(booklets)),
        "booklets": {"n_booklets": len(booklets), "notes": []},
    }


def _in_english(numbers: dict[str, int], n_booklets: int) -> list[str]:
    low, high = numbers["incidents_min"], numbers["incidents_max"]
    few, many = numbers["questions_min"], numbers["questions_max"]
    return [
        f"Incidents: {numbers['n_incidents']}. Sentences of their summaries, each of which is"
        f" asked about: {numbers['n_questions']}.",
        f"Booklets: {n_booklets}, with {_span(low, high)} incidents and {_span(few, many)}"
        " questions each. Incidents stand in an order drawn from the seed; the sentences of a"
        " summary follow one another.",
        f"People for each incident: {numbers['people_per_incident']}. Each of them chooses three"
        " sentences for every sentence of the summary, and rates them.",
    ]


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"
