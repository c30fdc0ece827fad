"""What is compared: contexts with their turns, pools, and the items that receive a score."""

from typing import Any

from django.db import models
from django.db.models import F, Q

from annotation.models.studies import Study


class ContextGroup(models.Model):
    """Contexts that belong together, such as the summary and the reports of one incident."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="context_groups")
    key = models.CharField(max_length=200)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "key"], name="context_group_key_once")
        ]

    def __str__(self) -> str:
        return self.key


class Context(models.Model):
    """A dialogue or a document: ordered turns."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="contexts")
    group = models.ForeignKey(ContextGroup, models.CASCADE, null=True, related_name="contexts")
    key = models.CharField(max_length=200)
    source = models.CharField(max_length=200, blank=True)
    domain = models.CharField(max_length=200, blank=True)
    metadata = models.JSONField(default=dict, blank=True)
    n_turns = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "key"], name="context_key_once")]

    def __str__(self) -> str:
        return self.key


class Turn(models.Model):
    """One utterance or sentence of a context."""

    context = models.ForeignKey(Context, models.CASCADE, related_name="turns")
    position = models.PositiveIntegerField()
    speaker = models.CharField(max_length=200, blank=True)
    text = models.TextField()

    class Meta:
        ordering = ["context", "position"]
        constraints = [
            models.UniqueConstraint(fields=["context", "position"], name="turn_position_once")
        ]

    def __str__(self) -> str:
        return f"turn {self.position} of {self.context}"


class Pool(models.Model):
    """Items that belong together: the candidates of one dialogue, or all items.

    Best-worst questions compare items of one pool. Nobody rates two pairs of one pool, unless all
    items are in one.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="pools")
    context = models.OneToOneField(Context, models.CASCADE, null=True, related_name="pool")
    key = models.CharField(max_length=200)
    number = models.PositiveIntegerField()

    class Meta:
        ordering = ["study", "number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "key"], name="pool_key_once"),
            models.UniqueConstraint(fields=["study", "number"], name="pool_number_once"),
        ]

    def __str__(self) -> str:
        return self.key


# A key that stays, and leads nowhere, where what it names is deleted; few items have one.
_LOOSE: dict[str, Any] = {
    "on_delete": models.DO_NOTHING,
    "db_constraint": False,
    "db_index": False,
    "null": True,
    "related_name": "+",
}


class ItemQuerySet(models.QuerySet["Item"]):
    def without_checks(self) -> "ItemQuerySet":
        """What is studied: a check has a known answer, alone or with all of its pool."""
        return self.filter(known_answer=None, pool__known_answer=None)


class Item(models.Model):
    """What receives a score: a target (text or turn) and a candidate (text or turn)."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="items")
    pool = models.ForeignKey(Pool, models.CASCADE, related_name="items")
    number = models.PositiveIntegerField()
    key = models.CharField(max_length=200)
    target_text = models.TextField(null=True)
    target_turn = models.ForeignKey(Turn, models.CASCADE, null=True, related_name="+")
    candidate_text = models.TextField(null=True)
    candidate_turn = models.ForeignKey(Turn, models.CASCADE, null=True, related_name="+")
    # The known answer, where the item calibrates or checks.
    expected = models.DecimalField(max_digits=8, decimal_places=3, null=True)
    # What an earlier round says of it, such as the rating of whoever proposed the pair.
    earlier_rating = models.DecimalField(max_digits=8, decimal_places=3, null=True)
    # Whose people's score is kept here: an item of an earlier round; of a file's rating none. Each
    # copy keeps it, so that a withdrawal finds them all.
    score_of = models.ForeignKey("self", **_LOOSE)
    # The same of a known answer that was an earlier rating.
    expected_of = models.ForeignKey("self", **_LOOSE)
    # The answer that chose the pair, classed it and rated it.
    chosen_in = models.ForeignKey("annotation.Judgment", **_LOOSE)
    intended_class = models.CharField(max_length=40, blank=True)
    derived_from = models.ForeignKey(
        "self", models.PROTECT, null=True, related_name="derived_items"
    )
    metadata = models.JSONField(default=dict, blank=True)

    objects = ItemQuerySet.as_manager()

    class Meta:
        ordering = ["study", "number"]
        indexes = [
            models.Index(
                fields=[name], name=f"item_{name}", condition=Q(**{f"{name}__isnull": False})
            )
            for name in ("score_of", "expected_of", "chosen_in")
        ]
        constraints = [
            models.UniqueConstraint(fields=["study", "key"], name="item_key_once"),
            models.UniqueConstraint(fields=["study", "number"], name="item_number_once"),
            models.CheckConstraint(
                condition=Q(target_text=None) | Q(target_turn=None), name="item_one_target_at_most"
            ),
            # "Exactly one": is-null differs between the two columns.
            models.CheckConstraint(
                condition=Q(candidate_text__isnull=True, candidate_turn__isnull=False)
                | Q(candidate_text__isnull=False, candidate_turn__isnull=True),
                name="item_one_candidate",
            ),
            models.CheckConstraint(
                condition=Q(derived_from=None) | ~Q(derived_from=F("id")),
                name="item_not_derived_from_itself",
            ),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def candidate(self) -> str:
        if self.candidate_text is not None:
            return self.candidate_text
        assert self.candidate_turn is not None  # constraint item_one_candidate
        return self.candidate_turn.text

    @property
    def target(self) -> str:
        """The target's text; empty for a study of single words."""
        if self.target_text is not None:
            return self.target_text
        return self.target_turn.text if self.target_turn else ""


ONE_POOL = "all"
