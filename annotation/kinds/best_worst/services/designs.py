"""Making the design of a best-worst study: the tuples of each pool, and their booklets."""

from collections.abc import Callable
from typing import Any

import numpy as np

from annotation.basics.errors import StateError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.basics.strata import STRATA
from annotation.core.services.bounded_writes import Rows
from annotation.kinds.best_worst.queries.drawing import PoolItems, draw, pools_of
from annotation.kinds.design_parameters import BestWorstParameters
from annotation.kinds.services.check_rows import (
    StudyChecks,
    add_blocks,
    check_questions,
    checks_of,
    spread_over_screens,
    tuples_of,
)
from annotation.kinds.services.design_rows import Drawn, places_of
from annotation.models import (
    Block,
    Booklet,
    Design,
    ItemTuple,
    Member,
    Phase,
    Place,
    Question,
)
from annotation.models.kinds import QuestionKind
from shell.messages import Message
from tuples import (
    certify,
    combine,
    compose_booklets,
)


def draw_design(design: Design, progress: Callable[[float, Said], None]) -> Drawn:
    parameters = BestWorstParameters.of(design)
    parameters.check()
    seed = design.seed
    pools = pools_of(design.study)
    if not pools:
        raise StateError(_("There are no items yet. Import them first."))
    checks = checks_of(design.study, parameters.n_checks)
    drawn = []
    certificates = []
    for number, pool in enumerate(pools):
        if number % 50 == 0:
            progress(
                0.4 * number / len(pools),
                _("drawing tuples: pool %(n)s of %(total)s")
                % {"n": number + 1, "total": len(pools)},
            )
        tuples = draw(pool, parameters, seed=seed)
        drawn.append(tuples)
        certificates.append(certify(tuples, n_items=len(pool.items)))
    progress(0.45, _("certificate"))
    certificate = combine(certificates)
    stratum_names = [pool.stratum(parameters.strata) for pool in pools]
    strata = sorted(set(stratum_names))
    sizes = [len(tuples) for tuples in drawn]
    booklets = compose_booklets(
        np.repeat(np.arange(len(pools)), sizes),
        np.repeat([strata.index(name) for name in stratum_names], sizes),
        questions_per_screen=parameters.questions_per_screen,
        screens_per_booklet=parameters.screens_per_booklet,
        seed=seed,
        stratum_names=_readable(strata, pools, parameters.strata),
    )
    n_booklets = int(booklets.booklet.max()) + 1
    stored = {
        **certificate.as_dict(),
        "sentences": list(certificate.sentences()),
        "booklets": {
            "n_booklets": n_booklets,
            "questions_per_screen": parameters.questions_per_screen,
            "screens_per_booklet": parameters.screens_per_booklet,
            "strata": [STRATA[name] for name in parameters.strata],
            "notes": list(booklets.notes),
        },
    }
    if checks.n_in_booklet:
        stored["checks"] = checks.as_json()

    def store(design: Design, rows: Rows) -> None:
        _store(design, parameters, pools, drawn, booklets=booklets, checks=checks, rows=rows)

    return Drawn(
        parameters=parameters,
        writing=_("writing %(n)s tuples") % {"n": sum(sizes)},
        # The rows of each tuple: the tuple itself, its items and its question.
        n_rows=sum(sizes) * (2 + parameters.tuple_size)
        + n_booklets * (1 + parameters.annotations_per_tuple),
        store=store,
        certificate=stored,
    )


def _readable(strata: list[str], pools: list[PoolItems], names: list[str]) -> list[Message]:
    by_stratum = {pool.stratum(names): pool.stratum_name(names) for pool in pools}
    return [by_stratum[stratum] for stratum in strata]


def _store(
    design: Design,
    parameters: BestWorstParameters,
    pools: list[PoolItems],
    drawn: list[Any],
    *,
    booklets: Any,
    checks: StudyChecks,
    rows: Rows,
) -> None:
    condition = Phase.Condition.DEPENDENT
    (phase,) = rows.insert(Phase, [Phase(design=design, number=1, condition=condition)])
    blocks, of_checks = add_blocks(phase, [Block.Purpose.MAIN], checks, rows)
    block = blocks[Block.Purpose.MAIN]

    numbered = [
        (pool, tuple_) for pool, tuples in zip(pools, drawn, strict=True) for tuple_ in tuples
    ]
    stored = rows.insert(
        ItemTuple,
        (
            ItemTuple(design=design, pool_id=pool.pk, number=number)
            for number, (pool, _tuple) in enumerate(numbered, start=1)
        ),
    )
    rows.add(
        Member,
        (
            Member(tuple=row, item_id=pool.items[item], position=position)
            for row, (pool, tuple_) in zip(stored, numbered, strict=True)
            for position, item in enumerate(tuple_.tolist())
        ),
    )
    # Booklet after booklet, screen after screen: the questions in their order.
    in_order = np.lexsort((booklets.position, booklets.screen, booklets.booklet)).tolist()
    sizes = [
        np.bincount(booklets.screen[booklets.booklet == booklet]).tolist()
        for booklet in range(int(booklets.booklet.max()) + 1)
    ]
    n_tutorials, spreads = len(checks.tutorials), spread_over_screens(checks, design.seed, sizes)
    of_main = (place for places in spreads for place in places.of_main)
    place_of = dict(zip(in_order, of_main, strict=True))
    made = rows.insert(
        Booklet,
        (
            Booklet(design=design, number=number, n_screens=n_tutorials + places.n_screens)
            for number, places in enumerate(spreads, start=1)
        ),
    )
    questions = [
        Question(
            block=block,
            booklet=made[booklets.booklet[t]],
            screen=n_tutorials + place_of[t].screen + 1,
            position=place_of[t].position + 1,
            kind=design.study.kind,
            tuple=row,
        )
        for t, row in enumerate(stored)
    ]
    of_pools = tuples_of(design, checks, rows, first_number=len(stored) + 1)
    questions += [
        question
        for booklet, places in zip(made, spreads, strict=True)
        for question in check_questions(
            of_checks,
            booklet,
            checks,
            places,
            kind=QuestionKind(design.study.kind),
            tuples=of_pools,
        )
    ]
    if of_pools:
        # Stored as they are asked: their keys, which pages hold, show no check.
        questions.sort(
            key=lambda question: (question.booklet_id, question.screen, question.position)
        )
    rows.add(Question, questions)
    rows.add(Place, places_of(made, parameters.annotations_per_tuple))
