"""Which answers count: scores, pages and exports all ask here."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, get_args

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.core.queries import imported_totals, run_sums
from annotation.models import (
    Block,
    Design,
    Exclusion,
    Item,
    Judgment,
    Member,
    PhaseRun,
    Question,
    Result,
    Study,
)
from annotation.models.judgments import JudgmentQuerySet
from annotation.models.kinds import Source

Population = Literal["people", "simulated"]

POPULATIONS: tuple[Population, ...] = get_args(Population)
SOURCES: dict[Population, tuple[Source, ...]] = {
    "people": (Source.REAL, Source.IMPORTED),
    "simulated": (Source.SIMULATED,),
}


def judgments_of(
    scope: Study | Design, population: Population, *, with_checks: bool = False
) -> JudgmentQuerySet:
    """Every stored answer of one population to a design; of a study: to its design.

    Answers to checks say something of people and nothing of texts, so they are asked for by name.
    """
    design = scope.design if isinstance(scope, Study) else scope
    judgments = Judgment.objects.filter(
        question__block__phase__design=design,
        assignment__annotator__source__in=SOURCES[population],
    )
    return (
        judgments
        if with_checks
        else judgments.exclude(question__block__purpose=Block.Purpose.CHECK)
    )


def counted_judgments(
    scope: Study | Design, population: Population, *, also: Collection[int] = ()
) -> JudgmentQuerySet:
    """The answers that are scored, each question of a place once, in the order of their storing.

    Current ones (no later revision, not withdrawn) of the run that counts for its place and
    phase, by people who are not excluded. `also`: annotators to whom an exclusion does nothing.
    """
    left_out = is_excluded()
    if also:
        left_out &= ~Q(assignment__annotator__in=also)
    return (
        judgments_of(scope, population)
        .current()
        .filter(is_in_counted_run())
        .exclude(left_out)
        .order_by("pk")
    )


def runs_of(design: Design, population: Population) -> QuerySet[PhaseRun]:
    """Everybody's parts of a design."""
    return PhaseRun.objects.filter(
        phase__design=design, assignment__annotator__source__in=SOURCES[population]
    )


def counted_runs(design: Design, population: Population) -> QuerySet[PhaseRun]:
    """The parts whose answers are scored."""
    return runs_of(design, population).filter(is_counted=True).exclude(is_excluded())


def items_of(judgments: QuerySet[Judgment]) -> QuerySet[Item]:
    """What answers are about: items that were rated or labelled, and those of tuples."""
    questions = Question.objects.filter(pk__in=judgments.order_by().values("question"))
    members = Member.objects.filter(tuple__questions__in=questions)
    return Item.objects.filter(
        Q(pk__in=questions.values("item")) | Q(pk__in=members.values("item"))
    )


def unanswered(study: Study, items: Collection[int]) -> set[int]:
    """Those of these items, by their keys, about which no answer of people counts any more."""
    tuples = Member.objects.filter(item__in=items).values("tuple")
    questions = Question.objects.filter(Q(item__in=items) | Q(tuple__in=tuples))
    answers = counted_judgments(study, "people").filter(question__in=questions)
    return set(items) - set(items_of(answers).values_list("pk", flat=True))


def is_in_counted_run() -> Exists:
    """Of a judgment: whether its assignment's run of that phase is the one that is scored."""
    return Exists(
        PhaseRun.objects.filter(
            assignment=OuterRef("assignment"),
            phase=OuterRef("question__block__phase"),
            is_counted=True,
        )
    )


def is_excluded() -> Q:
    """Of a judgment or a run: whether its annotator or its assignment is excluded now."""
    standing = Exclusion.objects.in_force()
    # Two conditions, each with an index, where one with OR would be tried row by row.
    return Q(Exists(standing.filter(annotator=OuterRef("assignment__annotator")))) | Q(
        Exists(standing.filter(assignment=OuterRef("assignment")))
    )


@dataclass(frozen=True)
class Basis:
    """Which answers something was computed from, in three numbers.

    Judgments are never edited, so equal numbers mean the same judgments, but for one chance in
    a thousand million.
    """

    n_judgments: int
    last_judgment: int | None
    # As `key_sums.key_sum` makes it: it tells apart two sets of one size with the same last one.
    sum_of_keys: int

    def is_of(self, result: Result) -> bool:
        """Whether a stored result was computed from these answers.

        `sum_of_keys` is compared where the result's parameters have it.
        """
        return (self.n_judgments, self.last_judgment, self.sum_of_keys) == (
            result.n_judgments,
            result.last_judgment,
            result.parameters.get("sum_of_keys", self.sum_of_keys),
        )


NO_ANSWERS = Basis(0, None, 0)


def basis(scope: Study | Design, population: Population) -> Basis:
    """What a result stored now would be computed from."""
    design = scope.design if isinstance(scope, Study) else scope
    if totals := imported_totals.of_design(design):
        # Nobody else has answered.
        return Basis(*imported_totals.counted(totals)) if population == "people" else NO_ANSWERS
    return Basis(*run_sums.basis(counted_runs(design, population)))


def n_answers_by_person(design: Design, population: Population) -> dict[int, int]:
    """The answers that are scored, of each annotator who has any."""
    return run_sums.n_answers_by("assignment__annotator", counted_runs(design, population))


def n_standing(design: Design, population: Population) -> int:
    """How many answers stand, whether or not they count; checks are left out."""
    if totals := imported_totals.of_design(design):
        gone = imported_totals.withdrawn([totals])[design.pk]
        return totals.n_answers - gone.n_answers if population == "people" else 0
    return run_sums.basis(runs_of(design, population))[0]


# Of an imported study, in every file that describes it.
NOT_COLLECTED_HERE = (
    "This study was imported: its values were collected elsewhere, not with Likeness."
)


def note_of(study: Study, population: Population) -> str:
    """What should be known first of an export: that it is imported, or of other answers."""
    notes = (
        NOT_COLLECTED_HERE if study.is_imported else "",
        other_population_only(study, population),
    )
    return " ".join(filter(None, notes))


def other_population_only(study: Study, population: Population) -> str:
    """A sentence that says which answers there are, if there are none of those asked for."""
    if judgments_of(study, population).exists():
        return ""
    for other in POPULATIONS:
        if judgments_of(study, other).exists():
            kind = "simulated answers" if other == "simulated" else "answers of people"
            return f"This study has only {kind}; choose --source {other} (?source={other})."
    return ""
