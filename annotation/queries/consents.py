"""Consent texts by version, and who agreed to which, by pseudonym."""

from collections.abc import Iterator, Sequence

from django.db.models import Count, Max, Min, QuerySet

from annotation.models import Consent, ConsentText, Study
from annotation.queries.answers import SOURCES, Population
from annotation.queries.exporting import Cell, iso


def texts(study: Study) -> QuerySet[ConsentText]:
    """The versions, the latest first, each with how many agreed to it, and when."""
    return study.consent_texts.annotate(
        n_agreed=Count("consents"),
        first_at=Min("consents__given_at"),
        last_at=Max("consents__given_at"),
    ).order_by("-version")


def rows(study: Study, population: Population) -> Iterator[Sequence[Cell]]:
    """Everybody's agreement, by pseudonym and version, but that of people who withdrew."""
    given = (
        Consent.objects.filter(
            annotator__study=study,
            annotator__source__in=SOURCES[population],
            annotator__withdrawn_at=None,
        )
        .order_by("annotator__pseudonym", "text__version")
        .values_list("annotator__pseudonym", "text__version", "given_at")
    )
    for pseudonym, version, given_at in given.iterator(chunk_size=1000):
        yield pseudonym, version, iso(given_at)
