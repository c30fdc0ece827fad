"""What the right answer to a check is, and how right somebody's answer is."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Exists, OuterRef, Q

from annotation.basics.scale import Scale
from annotation.kinds.answer import Answer
from annotation.kinds.question_rows import AskedQuestion
from annotation.models import Block, Check, Item, Judgment, PhaseRun, Question, Study


@dataclass(frozen=True)
class KnownAnswer:
    """A check with its right answer: two items, a rating, or the names of categories."""

    check: Check
    best: Item | None = None
    worst: Item | None = None
    scale: Scale | None = None

    @property
    def style(self) -> str:
        return self.check.style

    @property
    def key(self) -> str:
        """The id of the item, or of the pool."""
        return str(self.check.item or self.check.pool)

    @property
    def rating(self) -> Decimal | None:
        return self.check.item.expected if self.check.item else None

    @property
    def categories(self) -> list[str]:
        return list(self.check.categories)

    def credit(self, judgment: Judgment) -> float:
        """From 0 to 1: see `scoring.checks`."""
        return Answer.of_kind(judgment.kind).of_judgment(judgment).credit(self)


def of_study(study: Study) -> list[KnownAnswer]:
    """The checks of a study in the order of import."""
    checks = study.checks.select_related("item", "pool")
    return _known(checks.order_by("item__number", "pool__number"), study)


def of_questions(questions: Iterable[AskedQuestion], study: Study) -> dict[int, KnownAnswer]:
    """By question: those of a screen that are checks; no query if none is."""
    check_questions = [q for q in questions if q.purpose == Block.Purpose.CHECK]
    if not check_questions:
        return {}
    checks = Check.objects.filter(
        Q(item__in=[q.item_id for q in check_questions if q.item_id])
        | Q(pool__in=[q.pool_id for q in check_questions if q.pool_id])
    ).select_related("item", "pool")
    by_question = by_asked(_known(checks, study))
    return {q.pk: by_question[asked_by(q)] for q in check_questions}


def untold(run: PhaseRun) -> list[tuple[Question, KnownAnswer]]:
    """Tutorials and loud checks with an answer of which nobody was told anything, by screen."""
    of_it = run.assignment.judgments.filter(question=OuterRef("pk"))
    questions = list(
        run.questions.filter(
            Exists(of_it.current()),
            ~Exists(of_it.filter(telling__isnull=False)),
            block__purpose=Block.Purpose.CHECK,
        )
        .select_related("block", "tuple")
        .order_by("screen", "position")
    )
    known = of_questions(map(AskedQuestion.of, questions), run.assignment.annotator.study)
    return [
        (question, known[question.pk])
        for question in questions
        if known[question.pk].style != Check.Style.SILENT
    ]


def by_asked(known: Iterable[KnownAnswer]) -> dict[tuple[str, int], KnownAnswer]:
    """The checks by the subject of their question: ("item", key) or ("pool", key)."""
    return {
        ("item", answer.check.item_id)
        if answer.check.item_id
        else ("pool", answer.check.pool_id or 0): answer
        for answer in known
    }


def asked_by(question: AskedQuestion) -> tuple[str, int]:
    """What a question asks, as `by_asked` names it."""
    if question.item_id:
        return "item", question.item_id
    assert question.pool_id  # constraint question_asks_one_thing; nothing is selected as a check
    return "pool", question.pool_id


def _known(checks: Iterable[Check], study: Study) -> list[KnownAnswer]:
    rows = list(checks)
    pools = [check.pool_id for check in rows if check.pool_id]
    items: Mapping[int, list[Item]] = defaultdict(list)
    if pools:
        members = Item.objects.filter(pool__in=pools, expected__isnull=False)
        for item in members.select_related("candidate_turn").order_by("expected"):
            items[item.pool_id].append(item)
    scale = Scale.of(study.scale) if study.scale else None
    return [
        KnownAnswer(check, items[check.pool_id][-1], items[check.pool_id][0])
        if check.pool_id
        else KnownAnswer(check, scale=scale)
        for check in rows
    ]
