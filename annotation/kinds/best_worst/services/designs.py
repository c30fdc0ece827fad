"""Making the design of a best-worst study: the tuples of each pool, and their booklets."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.basics.errors import StateError
from annotation.basics.sentences import Said, translated
from annotation.basics.sentences import sentence as _
from annotation.basics.strata import STRATA, stratum_name
from annotation.core.services.bounded_writes import Rows
from annotation.kinds.design_parameters import BestWorstParameters, ImpossibleParametersError
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
    Pool,
    Question,
    Study,
)
from annotation.models.kinds import QuestionKind
from shell.messages import Message
from tuples import (
    ImpossibleDesignError,
    certify,
    combine,
    compose_booklets,
    make_tuples,
    pool_seed,
)
from tuples.arrays import IntArray


def draw_design(design: Design, progress: Callable[[float, Said], None]) -> Drawn:
    parameters = BestWorstParameters.of(design)
    parameters.check()
    seed = design.seed
    pools = _pools(design.study)
    if not pools:
        raise StateError(_("There are no items yet: import them first."))
    checks = checks_of(design.study, parameters.n_checks)
    drawn = []
    certificates = []
    for number, pool in enumerate(pools):
        if number % 50 == 0:
            progress(
                0.4 * number / len(pools),
                _("tuples of pool %(n)s of %(total)s") % {"n": number + 1, "total": len(pools)},
            )
        tuples = _draw(pool, parameters, seed=seed, is_only=len(pools) == 1)
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
    said = {
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
        said["checks"] = checks.as_json()

    def store(design: Design, rows: Rows) -> None:
        _store(design, parameters, pools, drawn, booklets=booklets, checks=checks, rows=rows)

    return Drawn(
        parameters=parameters,
        writing=_("writing %(n)s tuples") % {"n": sum(sizes)},
        # Of each tuple itself, its items and its question.
        n_rows=sum(sizes) * (2 + parameters.tuple_size)
        + n_booklets * (1 + parameters.annotations_per_tuple),
        store=store,
        certificate=said,
    )


def drawn_tuples(
    study: Study, parameters: BestWorstParameters, *, seed: int
) -> tuple[IntArray, int]:
    """The tuples that a design of these numbers would have, shape (t, k), and how many items.

    Items are numbered from 0, pool after pool. Raises ImpossibleParametersError.
    """
    pools = _pools(study)
    drawn = []
    n_items = 0
    for pool in pools:
        drawn.append(n_items + _draw(pool, parameters, seed=seed, is_only=len(pools) == 1))
        n_items += len(pool.items)
    return np.concatenate(drawn), n_items


def _draw(
    pool: "_PoolItems", parameters: BestWorstParameters, *, seed: int, is_only: bool
) -> IntArray:
    try:
        return make_tuples(
            len(pool.items),
            size=parameters.tuple_size,
            factor=parameters.factor,
            seed=pool_seed(seed, pool.key),
        )
    except ImpossibleDesignError as error:
        said = translated(error.message)
        raise ImpossibleParametersError(
            said
            if is_only
            else _("pool %(pool)s: %(problem)s") % {"pool": pool.key, "problem": said}
        ) from error


@dataclass(frozen=True)
class _PoolItems:
    pk: int
    key: str
    items: list[int]
    turns: str
    domain: str
    source: str

    def stratum(self, names: Iterable[str]) -> str:
        return " / ".join(getattr(self, name) for name in names)

    def stratum_name(self, names: Iterable[str]) -> Message:
        return stratum_name({name: getattr(self, name) for name in names})


def _readable(strata: list[str], pools: list[_PoolItems], names: list[str]) -> list[Message]:
    by_stratum = {pool.stratum(names): pool.stratum_name(names) for pool in pools}
    return [by_stratum[stratum] for stratum in strata]


def _pools(study: Study) -> list[_PoolItems]:
    """What is compared, without the pools that are checks."""
    items: dict[int, list[int]] = {}
    for pk, pool_id in (
        study.items.without_checks().order_by("number").values_list("pk", "pool_id")
    ):
        items.setdefault(pool_id, []).append(pk)
    rows = Pool.objects.filter(study=study).order_by("number").select_related("context")
    return [
        _PoolItems(
            pk=pool.pk,
            key=pool.key,
            items=items[pool.pk],
            turns=str(pool.context.n_turns) if pool.context else "",
            domain=pool.context.domain if pool.context else "",
            source=pool.context.source if pool.context else "",
        )
        for pool in rows
        if pool.pk in items
    ]


def _store(
    design: Design,
    parameters: BestWorstParameters,
    pools: list[_PoolItems],
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
            kind=QuestionKind.BEST_WORST,
            tuple=row,
        )
        for t, row in enumerate(stored)
    ]
    of_pools = tuples_of(design, checks, rows, first_number=len(stored) + 1)
    questions += [
        question
        for booklet, places in zip(made, spreads, strict=True)
        for question in check_questions(
            of_checks, booklet, checks, places, kind=QuestionKind.BEST_WORST, tuples=of_pools
        )
    ]
    if of_pools:
        # Stored as they are asked: their keys, which pages hold, show no check.
        questions.sort(key=lambda one: (one.booklet_id, one.screen, one.position))
    rows.add(Question, questions)
    rows.add(Place, places_of(made, parameters.annotations_per_tuple))
