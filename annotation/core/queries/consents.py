"""Consent texts by version, who agreed to which, and who was asked anew."""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.queries.counted_answers import SOURCES, Population
from annotation.core.queries.withdrawals import of_whom_nothing_is_left
from annotation.models import (
    Annotator,
    Assignment,
    Consent,
    ConsentRefusal,
    ConsentText,
    Study,
)
from annotation.models.kinds import Source


def texts(study: Study) -> QuerySet[ConsentText]:
    """The versions, the latest first, each with how many people agreed to it or not, and when.

    Simulated annotators agree to nothing: nobody is there.
    """
    agreed = Q(consents__annotator__source=Source.REAL)
    refused = Q(refusals__annotator__source=Source.REAL)
    return study.consent_texts.annotate(
        n_agreed=Count("consents", filter=agreed, distinct=True),
        n_refused=Count("refusals", filter=refused, distinct=True),
        first_at=Min("consents__given_at", filter=agreed),
        last_at=Max("consents__given_at", filter=agreed),
    ).order_by("-version")


def since(annotator: Annotator) -> tuple[ConsentText | None, list[ConsentText]]:
    """The text that somebody agreed to last, if they did, and those that came after it."""
    texts = list(
        annotator.study.consent_texts.filter(version__gte=annotator.consent_version).order_by(
            "version"
        )
    )
    if texts and texts[0].version == annotator.consent_version:
        return texts[0], texts[1:]
    return None, texts


def was_refused(annotator: Annotator) -> bool:
    """Whether they did not agree to what they are asked about now."""
    return annotator.consent_refusals.filter(
        text__version__gte=annotator.study.consent_asked
    ).exists()


def unanswered(study: Study) -> QuerySet[Annotator]:
    """Who is asked anew, has questions left, and has said neither yes nor no."""
    return _not_agreed(study).exclude(_refused(study)).order_by("pseudonym")


def stopped(study: Study) -> QuerySet[Annotator]:
    """Who did not agree to what is asked about now."""
    return _not_agreed(study).filter(_refused(study)).order_by("pseudonym")


def asked_anew(study: Study, people: Collection[Annotator]) -> Mapping[int, Said]:
    """Of those who must agree to a later text: what they said to it, by primary key."""
    if not study.consent_asked:
        return {}
    of_page = Q(pk__in=[person.pk for person in people])
    unanswered_people = {
        person.pk: _("asked again") for person in unanswered(study).filter(of_page)
    }
    return unanswered_people | {
        person.pk: _("did not agree") for person in stopped(study).filter(of_page)
    }


def _not_agreed(study: Study) -> QuerySet[Annotator]:
    in_the_middle = Assignment.objects.filter(
        annotator=OuterRef("pk"),
        state__in=(
            Assignment.State.ACTIVE,
            Assignment.State.WAITING,
            Assignment.State.LAPSED,
        ),
    )
    return study.annotators.filter(
        Exists(in_the_middle),
        consent_version__lt=study.consent_asked,
        source=Source.REAL,
        withdrawn_at=None,
    )


def _refused(study: Study) -> Exists:
    return Exists(
        ConsentRefusal.objects.filter(
            annotator=OuterRef("pk"), text__version__gte=study.consent_asked
        )
    )


class ConsentRecord(NamedTuple):
    """What somebody said to one version, and when."""

    pseudonym: str
    version: int
    agreed_at: datetime | None
    declined_at: datetime | None


def records(study: Study, population: Population) -> Iterator[ConsentRecord]:
    """What everybody said to each version, by pseudonym, but not of people who withdrew."""
    annotators = study.annotators.filter(source__in=SOURCES[population]).order_by()
    of_whom = Q(annotator__in=annotators) & ~Q(annotator__in=of_whom_nothing_is_left(annotators))
    by_version = ("annotator__pseudonym", "text__version")
    refused = {
        (pseudonym, version): at
        for pseudonym, version, at in ConsentRefusal.objects.filter(of_whom).values_list(
            *by_version, "at"
        )
    }
    given = Consent.objects.filter(of_whom).order_by(*by_version)
    agreed = {
        (pseudonym, version): at
        for pseudonym, version, at in given.values_list(*by_version, "given_at").iterator()
    }
    for key in sorted({*agreed, *refused}):
        yield ConsentRecord(*key, agreed_at=agreed.get(key), declined_at=refused.get(key))


def lacks_consent(study: Study) -> bool:
    """Whether there is no consent text, so that people are only asked to start."""
    latest = study.consent_texts.order_by("-version").first()
    return latest is None or not latest.text.strip()
