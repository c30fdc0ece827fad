"""Offering a phase of a study on a platform: made, described, removed; published elsewhere."""

import secrets
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from annotation.basics.errors import AnnotationError, FrozenError, StateError
from annotation.basics.sentences import sentence as _
from annotation.core.platforms import platform_of
from annotation.core.services.imported_rules import refuse_asking
from annotation.core.services.locks import lock_study
from annotation.crowds.queries.listings import PEOPLE_OPTIONS, naming_people
from annotation.models import Design, Listing, Place, Study
from annotation.models.kinds import CrowdPlatform, Outcome, Source

# Without I, L, O and U: nobody confuses them, and no rude words come up.
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_CODE_LENGTH = 12
CURRENCIES = {
    CrowdPlatform.PANEL: "EUR",
    CrowdPlatform.PROLIFIC: "GBP",
    CrowdPlatform.MTURK: "USD",
    CrowdPlatform.CONNECT: "USD",
}
# What may still be changed once people can see it: it decides nothing that was promised to them.
_LATER = frozenset({"minutes"})
_COLUMNS = frozenset({"phase_number", "n_places", "reward", "currency", "minutes", "options"})


@transaction.atomic
def create(
    *, study: Study, platform: str, environment: str, phase_number: int = 1, by: User | None = None
) -> Listing:
    """A listing in draft, with codes of its own for each outcome.

    `by` is the person who asked for it, for the study's history.
    """
    key = CrowdPlatform(platform)
    study = lock_study(study.pk)
    refuse_asking(study)
    known = {environment.name for environment in platform_of(key).environments()}
    if environment not in known:
        raise AnnotationError(
            _("This server has no environment %(name)s of that platform.") % {"name": environment}
        )
    _refuse_phase(study, phase_number)
    number = study.listings.aggregate(last=Max("number"))["last"] or 0
    return Listing.objects.create(
        study=study,
        number=number + 1,
        platform=key,
        environment=environment,
        phase_number=phase_number,
        n_places=_n_places(study),
        currency=CURRENCIES[key],
        codes=new_codes(),
    )


def new_codes() -> dict[str, str]:
    """A code for each outcome: drawn, so that nobody works one out, and easily typed."""
    return {
        outcome.value: "".join(secrets.choice(_ALPHABET) for _n in range(_CODE_LENGTH))
        for outcome in Outcome
    }


@transaction.atomic
def edit(*, listing: Listing, values: Mapping[str, Any]) -> Listing:
    """Change what a listing offers; after it was published, nothing that was promised.

    Raises FrozenError, and AnnotationError with the obstacle where a value cannot stand.
    """
    lock_study(listing.study_id)
    listing = Listing.objects.get(pk=listing.pk)
    changed = {name: value for name, value in values.items() if getattr(listing, name) != value}
    if unknown := changed.keys() - _COLUMNS:
        raise ValueError(f"a listing has no {', '.join(sorted(unknown))} to be edited")
    if listing.state != Listing.State.DRAFT and changed.keys() - _LATER:
        raise FrozenError(
            _(
                "This listing is published, and people rely on what it offers. Make "
                "another listing instead."
            )
        )
    if "phase_number" in changed:
        _refuse_phase(listing.study, changed["phase_number"])
    if changed.get("reward", Decimal(0)) < 0:
        raise AnnotationError(_("The reward must not be negative."))
    for name, value in changed.items():
        setattr(listing, name, value)
    listing.save(update_fields=list(changed))
    return listing


@transaction.atomic
def remove(*, listing: Listing) -> None:
    """Delete a draft; what was published stays on record."""
    lock_study(listing.study_id)
    listing = Listing.objects.get(pk=listing.pk)
    if listing.state != Listing.State.DRAFT or listing.intents.exists() or listing.visits.exists():
        raise StateError(_("This listing was published and stays on record. Close it instead."))
    listing.delete()


@transaction.atomic
def forget_people(*, study: Study) -> None:
    """Erase the ids of people whom listings keep out or let in."""
    study = lock_study(study.pk)
    for listing in naming_people(study):
        for name in PEOPLE_OPTIONS:
            listing.options.pop(name, None)
        listing.save(update_fields=["options"])


def _refuse_phase(study: Study, number: int) -> None:
    phases = _design_phases(study)
    if phases and number not in phases:
        raise AnnotationError(
            _("The design has no part %(n)s, only %(parts)s.")
            % {"parts": ", ".join(map(str, phases)), "n": number}
        )


def _design_phases(study: Study) -> list[int]:
    design = _design(study)
    return (
        list(design.phases.values_list("number", flat=True).order_by("number")) if design else []
    )


def _n_places(study: Study) -> int:
    """Places of the design, which is what a listing usually asks for."""
    design = _design(study)
    if design is None:
        return 0
    return Place.objects.filter(booklet__design=design, source=Source.REAL).count()


def _design(study: Study) -> Design | None:
    return study.designs.order_by("-number").first()
