"""Making a design: tuples, booklets, questions and places, all from the seed."""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from annotation.basics import clock
from annotation.basics.errors import StateError
from annotation.basics.sentences import Said, translated
from annotation.basics.sentences import sentence as _
from annotation.basics.strata import STRATA, stratum_name
from annotation.core.services import jobs
from annotation.core.services.bounded_writes import Rows
from annotation.core.services.imported_rules import refuse_asking
from annotation.core.services.locks import lock_study
from annotation.kinds.design_parameters import (
    AnyParameters,
    BestWorstParameters,
    ImpossibleParametersError,
)
from annotation.kinds.rating.services import designs as rating_designs
from annotation.kinds.selection.services import designs as selection_designs
from annotation.kinds.services.check_rows import (
    StudyChecks,
    add_blocks,
    check_questions,
    checks_of,
    spread_over_screens,
    tuples_of,
)
from annotation.kinds.services.design_rows import (
    Drawn,
    add_places,
    drop_rows,
    places_of,
    refuse_frozen,
)
from annotation.models import (
    Block,
    Booklet,
    Design,
    ItemTuple,
    Job,
    Member,
    Phase,
    Place,
    Pool,
    Question,
    Study,
)
from annotation.models.kinds import QuestionKind
from annotation.studies.services import studies
from annotation.studies.services.filling import delete_unmade, filling, last_keys, take_up_again
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

__all__ = [
    "add_places",
    "drawn_tuples",
    "drop_rows",
    "make",
    "make_job",
    "note_walk",
    "request",
    "set_parameters",
]


def set_parameters(*, study: Study, parameters: AnyParameters, seed: int) -> Design:
    """Choose the numbers of a draft design; rows made from other numbers are dropped."""
    parameters.check()
    design, is_changed = _set(study, parameters, seed)
    if is_changed:
        delete_unmade(study)
    return design


@transaction.atomic
def _set(study: Study, parameters: AnyParameters, seed: int) -> tuple[Design, bool]:
    study = lock_study(study.pk)
    refuse_asking(study)
    design = study.design
    refuse_frozen(design)
    is_changed = design.parameters != asdict(parameters) or design.seed != seed
    if is_changed:
        studies.refuse_filling(study)
        if study.jobs.filter(kind=Job.Kind.MAKE_DESIGN, state__in=Job.UNFINISHED).exists():
            raise StateError(
                _(
                    "The design is just being made from other numbers. Wait until that is done,"
                    " then change them."
                )
            )
        # From now on its rows count no more.
        design.made_at = design.certificate = None
        design.parameters = asdict(parameters)
        design.seed = seed
        design.save(update_fields=["made_at", "certificate", "parameters", "seed"])
    return design, is_changed


def request(*, study: Study, by: AbstractBaseUser) -> Job:
    """Queue the making of a draft's design from its saved numbers, again if need be."""
    refuse_asking(study)
    if not study.is_draft:
        raise StateError(_("The design is frozen since the study was opened."))
    studies.refuse_filling(study)
    if not study.has_material:
        raise StateError(_("There are no items yet: import them first."))
    return jobs.start(study=study, kind=Job.Kind.MAKE_DESIGN, by=by)


@jobs.does(Job.Kind.MAKE_DESIGN)
def make_job(run: jobs.Run) -> None:
    take_up_again(run)
    make(design=run.job.study.design, progress=run.progress, run=run)


def make(
    *,
    design: Design,
    progress: Callable[[float, Said], None] = lambda share, message: None,
    run: jobs.Run | None = None,
) -> Design:
    """Draw tuples and compose booklets, then store all of it or nothing.

    A job, with its `run`, stores it in short transactions; else it is done in one. Raises
    ImpossibleParametersError, with the nearest numbers that work.
    """
    study = design.study
    refuse_asking(study)
    studies.refuse_filling(study)
    there = last_keys(study)
    if study.asks_about_pairs:
        drawn = rating_designs.draw_design(design, progress)
    elif study.kind == QuestionKind.SELECTION:
        drawn = selection_designs.draw_design(design, progress)
    else:
        drawn = _draw_design(design, progress)
    progress(0.5, drawn.writing)
    n_written = 0

    def begin(study: Study) -> None:
        now = study.design
        if (now.pk, now.seed) != (design.pk, design.seed) or (
            type(drawn.parameters).of(now) != drawn.parameters
        ):
            raise StateError(_("The numbers were changed meanwhile: make the design again."))
        if last_keys(study) != there:
            raise StateError(_("The items were changed meanwhile: make the design again."))

    def on_rows(n: int) -> None:
        nonlocal n_written
        n_written += n
        progress(0.5 + 0.5 * min(n_written / drawn.n_rows, 1.0), drawn.writing)

    with filling(study, run, begin=begin, keeps_material=True, on_rows=on_rows) as draft:
        draft.delete_design()
        drawn.store(draft.study.design, draft)
        with draft.finish() as study:
            design = study.design
            design.certificate = drawn.certificate
            design.made_at = clock.now()
            design.code_version = settings.VERSION
            design.parameters = asdict(drawn.parameters)
            design.save(update_fields=["certificate", "made_at", "code_version", "parameters"])
    return design


def _draw_design(design: Design, progress: Callable[[float, Said], None]) -> Drawn:
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


def note_walk(*, design: Design) -> None:
    """A researcher walked through this design to the end."""
    Design.objects.filter(pk=design.pk, made_at__isnull=False).update(walked_at=clock.now())
