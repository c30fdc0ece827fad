"""Answers: complete ones are judgments, partial ones drafts."""

from uuid import uuid4

from django.db import models
from django.db.models import F, Q

from annotation.models.assignments import Assignment
from annotation.models.designs import Question
from annotation.models.items import Item, Turn
from annotation.models.kinds import QuestionKind


class JudgmentQuerySet(models.QuerySet["Judgment"]):
    def current(self) -> "JudgmentQuerySet":
        return self.filter(superseded_at=None, withdrawn_at=None)


class Judgment(models.Model):
    """One complete answer to one question; a later one supersedes it, none is overwritten."""

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="judgments")
    question = models.ForeignKey(Question, models.PROTECT, related_name="judgments")
    kind = models.CharField(max_length=12, choices=QuestionKind.choices)
    best = models.ForeignKey(Item, models.PROTECT, null=True, related_name="+")
    worst = models.ForeignKey(Item, models.PROTECT, null=True, related_name="+")
    rating = models.DecimalField(max_digits=8, decimal_places=3, null=True)
    # The primary keys of the items, in the order in which the screen showed them.
    shown_order = models.JSONField(null=True)
    shown_at = models.DateTimeField(null=True)
    answered_at = models.DateTimeField(null=True)
    active_ms = models.PositiveIntegerField(null=True)
    # How often the page lost the focus meanwhile, and something was pasted into the comment.
    n_away = models.PositiveSmallIntegerField(null=True)
    n_pasted = models.PositiveSmallIntegerField(null=True)
    idempotency_key = models.UUIDField()
    comment = models.TextField(blank=True)
    superseded_at = models.DateTimeField(null=True, editable=False)
    withdrawn_at = models.DateTimeField(null=True, editable=False)

    objects = JudgmentQuerySet.as_manager()

    class Meta:
        # Few answers have a comment; pages and files ask for those.
        indexes = [
            models.Index(
                fields=["assignment"], condition=~Q(comment=""), name="judgment_commented"
            )
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "question"],
                condition=Q(superseded_at=None),
                name="judgment_one_current_per_question",
            ),
            models.UniqueConstraint(
                fields=["assignment", "idempotency_key"], name="judgment_idempotency_key_once"
            ),
            models.CheckConstraint(
                condition=~Q(kind="best_worst", withdrawn_at__isnull=True)
                | Q(best__isnull=False, worst__isnull=False, rating=None) & ~Q(best=F("worst")),
                name="judgment_best_not_worst",
            ),
            models.CheckConstraint(
                condition=~Q(kind="rating", withdrawn_at__isnull=True)
                | Q(best=None, worst=None, rating__isnull=False),
                name="judgment_rating_has_rating",
            ),
            models.CheckConstraint(
                condition=~Q(kind__in=("label", "selection", "ranking"))
                | Q(best=None, worst=None, rating=None),
                name="judgment_of_rows_has_no_columns",
            ),
            # Withdrawal keeps the row and nothing of what it said.
            models.CheckConstraint(
                condition=Q(withdrawn_at=None)
                | Q(best=None, worst=None, rating=None, shown_order__isnull=True, comment=""),
                name="judgment_withdrawn_is_empty",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} judgment of {self.question}"


class Pick(models.Model):
    """One turn chosen in a selection judgment, for one role."""

    judgment = models.ForeignKey(Judgment, models.PROTECT, related_name="picks")
    role = models.CharField(max_length=20)
    turn = models.ForeignKey(Turn, models.PROTECT, related_name="+")
    rating = models.DecimalField(max_digits=8, decimal_places=3, null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judgment", "role"], name="pick_role_once"),
            models.UniqueConstraint(fields=["judgment", "turn"], name="pick_turn_once"),
        ]

    def __str__(self) -> str:
        return f"{self.role} of {self.judgment}"


class Choice(models.Model):
    """One category chosen in a label judgment."""

    judgment = models.ForeignKey(Judgment, models.PROTECT, related_name="choices")
    category = models.CharField(max_length=100)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judgment", "category"], name="choice_category_once")
        ]

    def __str__(self) -> str:
        return f"{self.category} in {self.judgment}"


class Placement(models.Model):
    """The place of one item in a ranking judgment, from 1."""

    judgment = models.ForeignKey(Judgment, models.PROTECT, related_name="placements")
    item = models.ForeignKey(Item, models.PROTECT, related_name="+")
    place = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judgment", "item"], name="placement_item_once"),
            models.UniqueConstraint(fields=["judgment", "place"], name="placement_place_once"),
            models.CheckConstraint(condition=Q(place__gte=1), name="placement_from_one"),
        ]

    def __str__(self) -> str:
        return f"place {self.place} in {self.judgment}"


# The rows that hold what a judgment says, beside its columns.
ANSWER_ROWS: tuple[type[models.Model], ...] = (Pick, Choice, Placement)


class Draft(models.Model):
    """A partial answer: restored anywhere, never scored."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="drafts")
    question = models.ForeignKey(Question, models.PROTECT, related_name="drafts")
    # {"best": item, "worst": item, "comment": text}; what is missing is absent.
    payload = models.JSONField(default=dict)
    # Names this state of the draft; a page that sends the name has seen it.
    idempotency_key = models.UUIDField(default=uuid4)
    # Which showing of the page sent it, and its number there: a late, older one changes nothing.
    page = models.CharField(max_length=64, blank=True)
    sequence = models.BigIntegerField(default=0)
    saved_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "question"], name="draft_one_per_question"
            )
        ]

    def __str__(self) -> str:
        return f"draft for {self.question}"
