"""A study as it was published: numbered, immutable; and what happened later to what it holds."""

from typing import Any, Never

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.basics.errors import FrozenError
from annotation.basics.sentences import sentence
from annotation.models.assignments import Assignment
from annotation.models.designs import Design
from annotation.models.fields import FiguresField
from annotation.models.jobs import Job, WhenDoneManager
from annotation.models.studies import Study


def _refuse() -> Never:
    raise FrozenError(sentence("A release never changes. Make a new one."))


class FrozenQuerySet(models.QuerySet[Any]):
    """Rows that are written once."""

    def update(self, **columns: Any) -> Never:
        _refuse()

    def delete(self) -> Never:
        _refuse()


class Frozen(models.Model):
    """A row that is written once."""

    objects = FrozenQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, **options: Any) -> None:
        if self.pk is not None:
            _refuse()
        super().save(**options)

    def delete(self, using: Any = None, keep_parents: bool = False) -> Never:
        _refuse()


class Release(Frozen):
    """A numbered snapshot of a study: one ZIP, its digest, what changed since the one before."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="releases")
    number = models.PositiveIntegerField()
    design = models.ForeignKey(Design, models.PROTECT, related_name="releases")
    # Also the moment that its files name.
    made_at = models.DateTimeField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    # What changed, in the researcher's words.
    notes = models.TextField(blank=True)
    # As `annotation.releases.release_description.Description.as_json` writes it.
    description = FiguresField()
    # Of rating and label studies: as `ExportOptions` (annotation/kinds/rating) writes them.
    options = models.JSONField(default=dict, blank=True)
    # Lines of the change log, each as `sentences.stored` writes it.
    changes = models.JSONField(default=list)
    # As `queries.released_measures` reads them.
    measures = FiguresField(default=dict)
    # What else its files were made of, in numbers that change with it: see `queries.contents`.
    sources = models.JSONField(default=dict)
    # Of the study, then.
    state = models.CharField(max_length=10, choices=Study.State.choices)
    n_items = models.PositiveIntegerField()
    # Answers that count, and whose they are.
    n_judgments = models.PositiveIntegerField()
    n_people = models.PositiveIntegerField()
    # Null of an imported table, which has values and no answers.
    last_judgment = models.BigIntegerField(null=True)
    digest = models.CharField(_("SHA-256"), max_length=64)
    n_bytes = models.BigIntegerField()
    code_version = models.CharField(max_length=40)
    job = models.OneToOneField(Job, models.PROTECT, related_name="release")

    # Fewer than the manager of frozen rows has.
    objects = WhenDoneManager.from_queryset(FrozenQuerySet)()  # type: ignore[misc, assignment]

    class Meta:
        ordering = ["study", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="release_number_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="release_number_from_one"),
            models.CheckConstraint(
                condition=Q(n_judgments__gte=1, n_people__gte=1, last_judgment__isnull=False)
                | Q(state="imported", n_judgments=0, n_people=0, last_judgment=None),
                name="release_holds_answers_or_an_imported_table",
            ),
            models.CheckConstraint(
                condition=~Q(digest="") & Q(n_bytes__gte=1), name="release_has_a_file"
            ),
        ]

    def __str__(self) -> str:
        return f"release {self.number} of {self.study}"


class ReleaseShare(Frozen):
    """Whose answers a release holds: how many of one assignment, whether or not they count."""

    release = models.ForeignKey(Release, models.PROTECT, related_name="shares")
    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="release_shares")
    n_judgments = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["release", "assignment"], name="release_share_once_per_assignment"
            ),
            models.CheckConstraint(
                condition=Q(n_judgments__gte=1), name="release_share_not_empty"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.n_judgments} answers in {self.release}"


class ReleaseEvent(Frozen):
    """What happened after a release was made to something that it holds."""

    class Kind(models.TextChoices):
        WITHDRAWN = "withdrawn", pgettext_lazy("person", "withdrew")
        EXCLUDED = "excluded", pgettext_lazy("person", "excluded")
        INCLUDED = "included", pgettext_lazy("person", "counts")
        READMITTED = "readmitted", pgettext_lazy("person", "no longer excluded")
        PROMOTED = "promoted", pgettext_lazy("person", "has a place")
        RELABELLED = "relabelled", pgettext_lazy("texts", "relabelled")
        ADJUDICATED = "adjudicated", pgettext_lazy("item", "adjudicated")
        LIFTED = "lifted", pgettext_lazy("adjudication", "taken back")

    OF_PEOPLE = (
        *(Kind.WITHDRAWN, Kind.EXCLUDED, Kind.INCLUDED, Kind.READMITTED),
        Kind.PROMOTED,
    )

    release = models.ForeignKey(Release, models.PROTECT, related_name="events")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    at = models.DateTimeField()
    # As the release names them; nothing else tells who it was. Empty where it is about texts.
    pseudonym = models.CharField(max_length=20, blank=True)
    # Answers of theirs that the release holds.
    n_judgments = models.PositiveIntegerField(default=0)
    # Values that were relabelled.
    n_values = models.PositiveIntegerField(default=0)
    # The key of the item that was adjudicated.
    item = models.CharField(max_length=200, blank=True)
    # The researcher's words; whoever withdraws says none.
    reason = models.TextField(blank=True)
    # Of the study, then: the next one is without it.
    latest_number = models.PositiveIntegerField()

    class Meta:
        ordering = ["release", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    kind__in=("withdrawn", "excluded", "included", "readmitted", "promoted"),
                    n_judgments__gte=1,
                )
                & ~Q(pseudonym="")
                | Q(kind__in=("relabelled", "adjudicated", "lifted"), pseudonym="", n_judgments=0),
                name="release_event_of_people_names_them",
            ),
            models.CheckConstraint(
                condition=~Q(kind="withdrawn") | Q(reason=""),
                name="release_event_withdrawn_without_words",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} after {self.release}"
