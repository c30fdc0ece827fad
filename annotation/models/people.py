"""People, kept apart from what they answered: a person, the annotator they are in one study."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.kinds import Source
from annotation.models.studies import Study

# Crockford's base 32 leaves out I, L, O and U: nobody confuses them, and no rude words come up.
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def new_pseudonym() -> str:
    return "P" + "".join(secrets.choice(_ALPHABET) for _ in range(9))


class Person(models.Model):
    """A human being as a platform or a roster names them. Never exported."""

    platform = models.CharField(max_length=20)
    # Of a crowd platform: ids of its production and of its sandbox are ids of different people.
    environment = models.CharField(max_length=60, blank=True)
    platform_id = models.CharField(max_length=200, blank=True)
    email = models.EmailField(blank=True)
    name = models.CharField(max_length=200, blank=True)

    class Meta:
        verbose_name_plural = "people"
        constraints = [
            models.UniqueConstraint(
                fields=["platform", "environment", "platform_id"],
                condition=~Q(environment=""),
                name="person_once_per_environment",
            )
        ]

    def __str__(self) -> str:
        return f"person {self.pk}"


class Annotator(models.Model):
    """A person in one study, known by a random pseudonym, holder of a key."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="annotators")
    person = models.ForeignKey(Person, models.SET_NULL, null=True, related_name="annotators")
    # Who they were in the round before, once their name was erased in one of the two: what they
    # rated again stays beside what they rated first.
    earlier_self = models.ForeignKey(
        "self", models.SET_NULL, null=True, related_name="later_selves"
    )
    pseudonym = models.CharField(max_length=20, default=new_pseudonym)
    key_hash = models.CharField(max_length=64, unique=True, null=True)
    # Once the link was renewed: the key that the consent form leads to, so that sending that form
    # again makes no second person. It opens no page.
    first_key_hash = models.CharField(max_length=64, unique=True, null=True)
    source = models.CharField(max_length=10, choices=Source.choices, default=Source.REAL)
    created_at = models.DateTimeField(auto_now_add=True)
    # When they went on from the instructions; until then the instructions are what they see.
    instructed_at = models.DateTimeField(null=True)
    comprehension_tries = models.PositiveSmallIntegerField(default=0)
    withdrawn_at = models.DateTimeField(null=True)
    # The latest version of the consent text that they agreed to (0: none yet): `Consent` has all.
    consent_version = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "pseudonym"], name="annotator_pseudonym_once"
            ),
            models.UniqueConstraint(fields=["study", "person"], name="annotator_person_once"),
            # Whoever withdrew is nobody in particular any more.
            models.CheckConstraint(
                condition=Q(withdrawn_at=None) | Q(person=None),
                name="annotator_withdrawn_nameless",
            ),
        ]
        # Of a million imported people these find the few of another source, and the withdrawn.
        indexes = [
            models.Index(fields=["study", "source"], name="annotator_source"),
            models.Index(
                fields=["study"],
                condition=Q(withdrawn_at__isnull=False),
                name="annotator_withdrawn",
            ),
        ]

    def __str__(self) -> str:
        return self.pseudonym

    @property
    def must_agree_anew(self) -> bool:
        """Whether the study asks for their consent to a text that came after theirs."""
        # Nobody is there to ask of the simulated.
        return self.source == Source.REAL and self.consent_version < self.study.consent_asked


class ConsentText(models.Model):
    """One version of a study's consent text; a new text is a new version."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="consent_texts")
    version = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    # What is other than in the version before, in the researcher's words.
    changes = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    # Since when those who agreed to an earlier version are asked anew; null: they are not.
    asked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["study", "version"]
        constraints = [
            models.UniqueConstraint(fields=["study", "version"], name="consent_version_once")
        ]

    def __str__(self) -> str:
        return f"consent text {self.version} of {self.study}"


class Consent(models.Model):
    """Somebody agreed to one version of the text."""

    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="consents")
    text = models.ForeignKey(ConsentText, models.PROTECT, related_name="consents")
    given_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["annotator", "text"], name="consent_once_per_version")
        ]

    def __str__(self) -> str:
        return f"consent of {self.annotator}"


class ConsentRefusal(models.Model):
    """Somebody who had agreed to an earlier version did not agree to this one, and stopped."""

    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="consent_refusals")
    text = models.ForeignKey(ConsentText, models.PROTECT, related_name="refusals")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["annotator", "text"], name="refusal_once_per_version")
        ]

    def __str__(self) -> str:
        return f"refusal of {self.annotator}"


class ExclusionQuerySet(models.QuerySet["Exclusion"]):
    def in_force(self) -> "ExclusionQuerySet":
        return self.filter(lifted_at=None)

    def giving_back(self) -> "ExclusionQuerySet":
        """Those whose people gave their place to others, and get none again."""
        return self.in_force().filter(gives_place_back=True)


class Exclusion(models.Model):
    """Judgments left out of the scores, with the reason; lifted, never deleted."""

    annotator = models.ForeignKey(Annotator, models.PROTECT, null=True, related_name="exclusions")
    assignment = models.ForeignKey(
        "annotation.Assignment", models.PROTECT, null=True, related_name="exclusions"
    )
    reason = models.TextField()
    # Whether somebody else may have the place.
    gives_place_back = models.BooleanField(default=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    lifted_at = models.DateTimeField(null=True)
    # Of what was lifted before reasons were asked for, nobody knows either.
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    lifted_reason = models.TextField(blank=True)

    objects = ExclusionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(annotator__isnull=True, assignment__isnull=False)
                | Q(annotator__isnull=False, assignment__isnull=True),
                name="exclusion_of_annotator_or_assignment",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="exclusion_has_reason"),
            models.UniqueConstraint(
                fields=["annotator"],
                condition=Q(lifted_at=None, annotator__isnull=False),
                name="exclusion_one_in_force_per_annotator",
            ),
        ]

    def __str__(self) -> str:
        return f"exclusion of {self.annotator or self.assignment}"


class Erasure(models.Model):
    """Personal data of a study were erased: when, by whom, and how much; nobody's name."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="erasures")
    began_at = models.DateTimeField()
    # Null while it goes on, also where a worker was killed: the next one goes on with it.
    ended_at = models.DateTimeField(null=True)
    # Null: its time had come.
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    n_people = models.PositiveIntegerField(default=0)
    n_visits = models.PositiveIntegerField(default=0)
    n_messages = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-began_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["study"], condition=Q(ended_at=None), name="erasure_one_at_a_time"
            )
        ]

    def __str__(self) -> str:
        return f"erasure in {self.study}"


class WipeRequest(models.Model):
    """Something was erased: it shall leave the database's files, too (services/wiping.py)."""

    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.created_at:%Y-%m-%d %H:%M}"


class Throttle(models.Model):
    """How often something was tried in one window of time; old windows are swept away."""

    bucket = models.CharField(max_length=120)
    window = models.DateTimeField()
    count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["bucket", "window"], name="throttle_bucket_once")
        ]

    def __str__(self) -> str:
        return f"{self.bucket} {self.window:%H:%M}: {self.count}"
