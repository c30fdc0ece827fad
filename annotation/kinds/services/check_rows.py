"""Which checks a booklet has and where they stand: drawn from the design's seed, then rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.basics.scale import Scale
from annotation.basics.sentences import Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.services.bounded_writes import Rows
from annotation.kinds.design_parameters import ImpossibleParametersError
from annotation.models import (
    Block,
    Booklet,
    Check,
    Design,
    ItemTuple,
    Member,
    Phase,
    Question,
    Study,
)
from annotation.models.kinds import QuestionKind

# Checks have their own random generators, so that a design without checks stays the same.
_OF_BOOKLETS, _OF_ORDERS = 0x636865636B, 0x636865636C


@dataclass(frozen=True)
class Place:
    """Where a question stands among the main ones; both count from 0."""

    screen: int
    position: int


@dataclass(frozen=True)
class Spread:
    """The checks of one booklet among its main questions: all of these in their order."""

    checks: list[Check]
    of_checks: list[Place]
    of_main: list[Place]

    @property
    def n_screens(self) -> int:
        # An odd booklet may be left without items.
        return max((place.screen for place in (*self.of_checks, *self.of_main)), default=-1) + 1


@dataclass(frozen=True)
class StudyChecks:
    """The checks of a study in the order of import, and how many of them everybody has."""

    tutorials: list[Check]
    others: list[Check]
    n_each: int

    @property
    def n_in_booklet(self) -> int:
        """Questions of a booklet in each phase that are checks."""
        return len(self.tutorials) + self.n_each

    def as_json(self) -> dict[str, Any]:
        """For the certificate."""
        n_loud = sum(check.style == Check.Style.LOUD for check in self.others)
        return {
            "n_tutorials": len(self.tutorials),
            "n_loud": n_loud,
            "n_silent": len(self.others) - n_loud,
            "n_each": self.n_each,
        }


def checks_of(study: Study, n_each: int | None) -> StudyChecks:
    """What a design of the study has for checks; `n_each` None: all that are no tutorials.

    Raises ImpossibleParametersError if there are fewer, and if nobody can be right.
    """
    checks = list(
        study.checks.select_related("item", "pool").order_by("item__number", "pool__number", "pk")
    )
    for check in checks:
        if check.item and (problem := _problem(study, check)):
            raise ImpossibleParametersError(problem % {"key": check.item.key})
    tutorials = [check for check in checks if check.style == Check.Style.TUTORIAL]
    others = [check for check in checks if check.style != Check.Style.TUTORIAL]
    if n_each is not None and not 0 <= n_each <= len(others):
        raise ImpossibleParametersError(
            ngettext(
                "There is only %(n)s loud or silent check. Choose at most %(n)s per booklet, or "
                "leave the number empty for all.",
                "There are only %(n)s loud and silent checks. Choose at most %(n)s per booklet, "
                "or leave the number empty for all.",
                "n",
            )
            % {"n": len(others)},
            "n_checks",
        )
    return StudyChecks(tutorials, others, len(others) if n_each is None else n_each)


def _problem(study: Study, check: Check) -> Said:
    """Why no answer to it could be right."""
    assert check.item is not None  # asked of checks of single items
    if study.kind == QuestionKind.RATING and study.scale:
        expected = check.item.expected
        if expected is None:
            return _("The check %(key)s has no known answer. Import it again with one.")
        scale = Scale.of(study.scale)
        is_near = any(abs(point - expected) <= check.tolerance for point in scale.points)
        if not (is_near and scale.low <= expected <= scale.high):
            return _(
                "No point of the scale is a correct answer to the check %(key)s; the expected "
                "answer is %(value)s. Change the scale, or import the check with another answer "
                "or a larger tolerance."
            ) % {"value": f"{expected.normalize():f}"}
        if all(abs(point - expected) <= check.tolerance for point in scale.points):
            return _(
                "Every point of the scale is a correct answer to the check %(key)s, because its "
                "tolerance is %(tolerance)s. Import it with a smaller tolerance."
            ) % {"tolerance": f"{check.tolerance.normalize():f}"}
    if study.kind == QuestionKind.LABEL and (names := study.categories.get("names", [])):
        if unknown := [name for name in check.categories if name not in names]:
            return _(
                "The check %(key)s expects the category %(name)s, which the study does not have."
                " Change the categories, or import the check with another answer."
            ) % {"name": unknown[0]}
        if len(check.categories) > 1 and not study.categories.get("several"):
            return _(
                "The check %(key)s expects several categories, but people choose one. Let them"
                " choose several, or import the check with one answer."
            )
    return ""


def spread(checks: StudyChecks, seed: int, n_main: Sequence[int], per_screen: int) -> list[Spread]:
    """Draw for each booklet its checks and their places among its main questions.

    Never first or last of these; if there is one only, they follow it. The whole is cut into
    screens, so that none shows by its size that a check is on it.
    """
    return [
        _cut(checks, _generator(seed, _OF_BOOKLETS, number), n, per_screen)
        for number, n in enumerate(n_main)
    ]


def spread_over_screens(
    checks: StudyChecks, seed: int, sizes: Sequence[Sequence[int]]
) -> list[Spread]:
    """The same where the main questions of a screen belong together, as they mix strata or pools.

    Checks join the screens anywhere; `sizes` has the questions of each, booklet after booklet.
    Where each screen has one question there is no mixture, and each check has its own screen.
    """
    if all(size == 1 for of_booklet in sizes for size in of_booklet):
        return spread(checks, seed, [len(of_booklet) for of_booklet in sizes], 1)
    return [
        _join(checks, _generator(seed, _OF_BOOKLETS, number), of_booklet)
        for number, of_booklet in enumerate(sizes)
    ]


def _chosen(checks: StudyChecks, rng: np.random.Generator) -> list[Check]:
    places = rng.permutation(len(checks.others))[: checks.n_each].tolist()
    return [checks.others[place] for place in places]


def _cut(checks: StudyChecks, rng: np.random.Generator, n_main: int, per_screen: int) -> Spread:
    chosen = _chosen(checks, rng)
    gaps: list[int] = []
    # Each gap has one check before any has two.
    while len(gaps) < len(chosen):
        gaps += rng.permutation(np.arange(1, n_main)).tolist() if n_main > 1 else [n_main]
    after = sorted(gaps[: len(chosen)])
    of_checks = [gap + n for n, gap in enumerate(after)]
    taken = {*of_checks}
    of_main = [n for n in range(n_main + len(chosen)) if n not in taken]

    def cut(numbers: list[int]) -> list[Place]:
        return [Place(*divmod(number, per_screen)) for number in numbers]

    return Spread(chosen, cut(of_checks), cut(of_main))


def _join(checks: StudyChecks, rng: np.random.Generator, sizes: Sequence[int]) -> Spread:
    chosen = _chosen(checks, rng)
    screens: list[int] = []
    # Each screen has one check before any has two.
    while len(screens) < len(chosen):
        screens += rng.permutation(len(sizes)).tolist()
    screens = sorted(screens[: len(chosen)])
    of_checks: list[Place] = []
    of_main: list[Place] = []
    for screen, size in enumerate(sizes):
        n = screens.count(screen)
        places = sorted(rng.permutation(size + n)[:n].tolist())
        of_checks += [Place(screen, place) for place in places]
        of_main += [Place(screen, p) for p in range(size + n) if p not in places]
    return Spread(chosen, of_checks, of_main)


def _generator(seed: int, *spawn_key: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=spawn_key)))


# -- Rows ---------------------------------------------------------------------------------------


def tuples_of(
    design: Design, checks: StudyChecks, rows: Rows, *, first_number: int
) -> dict[int, ItemTuple]:
    """One tuple for each pool that is a check, by the check's key: all its items, shuffled."""
    of_pools = [check for check in (*checks.tutorials, *checks.others) if check.pool]
    stored = rows.insert(
        ItemTuple,
        (
            ItemTuple(design=design, pool=check.pool, number=number)
            for number, check in enumerate(of_pools, start=first_number)
        ),
    )
    items: dict[int, list[int]] = {}
    for pk, pool in design.study.items.order_by("number").values_list("pk", "pool_id"):
        items.setdefault(pool, []).append(pk)
    rows.add(
        Member,
        (
            Member(tuple=row, item_id=of_pool[place], position=position)
            for n, (row, check) in enumerate(zip(stored, of_pools, strict=True))
            if check.pool
            for of_pool in [items[check.pool.pk]]
            for position, place in enumerate(
                _generator(design.seed, _OF_ORDERS, n).permutation(len(of_pool)).tolist()
            )
        ),
    )
    return {check.pk: row for check, row in zip(of_pools, stored, strict=True)}


@dataclass(frozen=True)
class CheckBlocks:
    """The check blocks of one phase; None if it has no such checks."""

    tutorials: Block | None
    others: Block | None


def add_blocks(
    phase: Phase, purposes: Sequence[Block.Purpose], checks: StudyChecks, rows: Rows
) -> tuple[dict[Block.Purpose, Block], CheckBlocks]:
    """Store the blocks of a phase: tutorials before all of them, checks after the main block."""
    wanted: list[tuple[Block.Purpose, str]] = [(purpose, "") for purpose in purposes]
    if checks.tutorials:
        wanted.insert(0, (Block.Purpose.CHECK, "tutorials"))
    if checks.n_each:
        after = wanted.index((Block.Purpose.MAIN, "")) + 1
        wanted.insert(after, (Block.Purpose.CHECK, "others"))
    blocks = [
        Block(phase=phase, number=number, purpose=purpose)
        for number, (purpose, _which) in enumerate(wanted, start=1)
    ]
    stored = dict(zip(wanted, rows.insert(Block, blocks), strict=True))
    of_checks = CheckBlocks(
        stored.get((Block.Purpose.CHECK, "tutorials")), stored.get((Block.Purpose.CHECK, "others"))
    )
    return {purpose: stored[purpose, ""] for purpose in purposes}, of_checks


def check_questions(
    blocks: CheckBlocks,
    booklet: Booklet,
    checks: StudyChecks,
    spread: Spread,
    *,
    kind: str,
    n_first: int = 0,
    tuples: Mapping[int, ItemTuple] | None = None,
) -> list[Question]:
    """The checks of a booklet: tutorials on screens of their own, others among the main questions.

    `n_first`: screens before the main block that are no tutorials.
    """

    def asked(block: Block, check: Check, screen: int, position: int = 1) -> Question:
        return Question(
            block=block,
            booklet=booklet,
            screen=screen,
            position=position,
            kind=kind,
            item_id=check.item_id,
            tuple=(tuples or {}).get(check.pk),
        )

    questions = []
    if blocks.tutorials:
        questions += [
            asked(blocks.tutorials, c, n) for n, c in enumerate(checks.tutorials, start=1)
        ]
    if blocks.others:
        before = len(checks.tutorials) + n_first + 1
        questions += [
            asked(blocks.others, check, before + place.screen, place.position + 1)
            for check, place in zip(spread.checks, spread.of_checks, strict=True)
        ]
    return questions
