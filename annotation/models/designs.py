"""A frozen plan of a study: tuples, phases, blocks, booklets with their places, questions."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.fields import FiguresField
from annotation.models.items import Item, Pool, Turn
from annotation.models.kinds import QuestionKind, Source
from annotation.models.studies import Study


class Design(models.Model):
    """A numbered plan; once frozen, its rows are what the study is, whatever a file says."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="designs")
    number = models.PositiveIntegerField(default=1)
    made_at = models.DateTimeField(null=True)
    frozen_at = models.DateTimeField(null=True)
    # When a researcher walked through it to the end; older than `made_at`: through another one.
    walked_at = models.DateTimeField(null=True)
    seed = models.BigIntegerField()
    code_version = models.CharField(max_length=40, blank=True)
    # The parameters of `annotation.kinds.design_parameters`, as they were when the rows were made.
    parameters = models.JSONField(default=dict)
    certificate = FiguresField(null=True)

    class Meta:
        ordering = ["study", "number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="design_number_once"),
            models.CheckConstraint(
                condition=Q(frozen_at=None) | Q(made_at__isnull=False),
                name="design_made_before_frozen",
            ),
            models.CheckConstraint(condition=Q(seed__gte=0), name="design_seed_not_negative"),
        ]

    def __str__(self) -> str:
        return f"design {self.number} of {self.study}"

    @property
    def edition(self) -> str:
        """Names the design as it was made: it is another one once it was made again."""
        return f"{self.number}-{self.made_at:%Y%m%dT%H%M%S.%f}" if self.made_at else ""

    @property
    def is_made(self) -> bool:
        return self.made_at is not None

    @property
    def is_walked(self) -> bool:
        return bool(self.made_at and self.walked_at and self.walked_at >= self.made_at)

    @property
    def is_frozen(self) -> bool:
        return self.frozen_at is not None


class ImportedTotals(models.Model):
    """What the answers of an imported design add up to, counted once when they are stored.

    Nobody answers such a design. Its answers change by withdrawal alone, and exclusions leave some
    out: `queries.imported_totals` subtracts both, so that no page reads a million rows.
    """

    design = models.OneToOneField(Design, models.CASCADE, related_name="imported_totals")
    n_answers = models.PositiveIntegerField()
    n_people = models.PositiveIntegerField()
    n_places = models.PositiveIntegerField()
    # Primary keys of judgments.
    first_judgment = models.BigIntegerField()
    last_judgment = models.BigIntegerField()
    sum_of_keys = models.BigIntegerField()
    # Null where the file said no times.
    last_answer_at = models.DateTimeField(null=True)
    last_active_at = models.DateTimeField()
    completed_at = models.DateTimeField()
    # Medians of the active time; null where the file said none.
    n_timed_answers = models.PositiveIntegerField(default=0)
    n_timed_booklets = models.PositiveIntegerField(default=0)
    seconds_per_question = models.FloatField(null=True)
    minutes_per_booklet = models.FloatField(null=True)
    # The active time of all timed answers together.
    hours = models.FloatField(null=True)
    # How many answers of the file were left out, by the reason: `rejected` by a requester, of
    # `people` who answered nothing, `unanswered`, `skipped`, by a `machine`.
    left_out = models.JSONField(default=dict)
    # Somebody else was given places, too: then everything is counted from the rows.
    has_other_places = models.BooleanField(default=False)

    class Meta:
        verbose_name_plural = "imported totals"

    def __str__(self) -> str:
        return f"{self.n_answers} imported answers of {self.design}"


class ItemTuple(models.Model):
    """The k items of a pool shown together."""

    design = models.ForeignKey(Design, models.CASCADE, related_name="tuples")
    pool = models.ForeignKey(Pool, models.PROTECT, related_name="tuples")
    number = models.PositiveIntegerField()

    class Meta:
        ordering = ["design", "number"]
        constraints = [
            models.UniqueConstraint(fields=["design", "number"], name="tuple_number_once")
        ]

    def __str__(self) -> str:
        return f"tuple {self.number}"


class Member(models.Model):
    """One item of a tuple, at its stored place, which was drawn from the design's seed."""

    tuple = models.ForeignKey(ItemTuple, models.CASCADE, related_name="members")
    item = models.ForeignKey(Item, models.PROTECT, related_name="memberships")
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["tuple", "position"]
        constraints = [
            models.UniqueConstraint(fields=["tuple", "item"], name="member_item_once"),
            models.UniqueConstraint(fields=["tuple", "position"], name="member_position_once"),
        ]

    def __str__(self) -> str:
        return f"{self.item} in {self.tuple}"


class Phase(models.Model):
    """One pass under one condition."""

    class Condition(models.TextChoices):
        FREE = "context_free", _("context-free")
        DEPENDENT = "context_dependent", _("context-dependent")

    design = models.ForeignKey(Design, models.CASCADE, related_name="phases")
    number = models.PositiveSmallIntegerField()
    condition = models.CharField(max_length=20, choices=Condition.choices)
    delay = models.DurationField(null=True)
    closes_after = models.DurationField(null=True)

    class Meta:
        ordering = ["design", "number"]
        constraints = [
            models.UniqueConstraint(fields=["design", "number"], name="phase_number_once")
        ]

    def __str__(self) -> str:
        return f"phase {self.number} of {self.design}"


class Block(models.Model):
    """Consecutive questions with one purpose."""

    class Purpose(models.TextChoices):
        CALIBRATION = "calibration", _("calibration")
        MAIN = "main", _("main")
        REPEAT = "repeat", _("repeat")
        CHECK = "check", _("check")

    phase = models.ForeignKey(Phase, models.CASCADE, related_name="blocks")
    number = models.PositiveSmallIntegerField()
    purpose = models.CharField(max_length=12, choices=Purpose.choices)

    class Meta:
        ordering = ["phase", "number"]
        constraints = [
            models.UniqueConstraint(fields=["phase", "number"], name="block_number_once")
        ]

    def __str__(self) -> str:
        return f"{self.purpose} block {self.number} of {self.phase}"


class Booklet(models.Model):
    """What one annotator answers over all phases."""

    design = models.ForeignKey(Design, models.CASCADE, related_name="booklets")
    number = models.PositiveIntegerField()
    group = models.PositiveIntegerField(null=True)
    n_screens = models.PositiveIntegerField()

    class Meta:
        ordering = ["design", "number"]
        constraints = [
            models.UniqueConstraint(fields=["design", "number"], name="booklet_number_once")
        ]

    def __str__(self) -> str:
        return f"booklet {self.number}"


class Place(models.Model):
    """One of the people who shall answer a booklet. Simulated people have places of their own."""

    booklet = models.ForeignKey(Booklet, models.CASCADE, related_name="places")
    number = models.PositiveIntegerField()
    source = models.CharField(max_length=10, choices=Source.choices, default=Source.REAL)

    class Meta:
        ordering = ["booklet", "source", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["booklet", "source", "number"], name="place_number_once"
            )
        ]

    def __str__(self) -> str:
        return f"place {self.number} of {self.booklet}"


class Question(models.Model):
    """One occurrence of something asked, with its screen and its position there."""

    block = models.ForeignKey(Block, models.CASCADE, related_name="questions")
    booklet = models.ForeignKey(Booklet, models.CASCADE, null=True, related_name="questions")
    # Drawn for one person at the claim (repeats); frozen from then on.
    assignment = models.ForeignKey(
        "annotation.Assignment", models.PROTECT, null=True, related_name="own_questions"
    )
    screen = models.PositiveIntegerField()
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=12, choices=QuestionKind.choices)
    tuple = models.ForeignKey(ItemTuple, models.CASCADE, null=True, related_name="questions")
    item = models.ForeignKey(Item, models.PROTECT, null=True, related_name="questions")
    turn = models.ForeignKey(Turn, models.PROTECT, null=True, related_name="questions")

    class Meta:
        ordering = ["block", "booklet", "screen", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["block", "booklet", "screen", "position"],
                condition=Q(booklet__isnull=False),
                name="question_position_once_in_booklet",
            ),
            models.UniqueConstraint(
                fields=["block", "assignment", "screen", "position"],
                condition=Q(assignment__isnull=False),
                name="question_position_once_in_assignment",
            ),
            models.CheckConstraint(
                condition=Q(booklet__isnull=True, assignment__isnull=False)
                | Q(booklet__isnull=False, assignment__isnull=True),
                name="question_of_booklet_or_assignment",
            ),
            models.CheckConstraint(
                condition=Q(tuple__isnull=False, item__isnull=True, turn__isnull=True)
                | Q(tuple__isnull=True, item__isnull=False, turn__isnull=True)
                | Q(tuple__isnull=True, item__isnull=True, turn__isnull=False),
                name="question_asks_one_thing",
            ),
            models.CheckConstraint(
                condition=~Q(kind__in=("best_worst", "ranking")) | Q(tuple__isnull=False),
                name="question_best_worst_or_ranking_has_tuple",
            ),
            models.CheckConstraint(
                condition=~Q(kind__in=("rating", "label")) | Q(item__isnull=False),
                name="question_rating_or_label_has_item",
            ),
            models.CheckConstraint(
                condition=~Q(kind="selection") | Q(turn__isnull=False),
                name="question_selection_has_turn",
            ),
        ]

    def __str__(self) -> str:
        return f"question {self.position} on screen {self.screen}"
