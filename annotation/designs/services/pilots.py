"""A pilot: a part of a draft tried with a few people, in a study of its own.

Whatever the pilot teaches, such as better instructions, can then be changed in the draft; what its
people answered stays with the wording that they saw, and is never scored with what comes later.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import transaction
from django.utils.functional import Promise

from annotation.basics.errors import StateError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.services.locks import lock_study
from annotation.kinds.design_parameters import ImpossibleParametersError
from annotation.kinds.registry import kind_of
from annotation.models import Study
from annotation.studies import presets
from annotation.studies.services import researchers, studies

# The numbers drawn from the draft's seed that are for its pilots.
_STREAM = 2

# What a pilot takes from its draft, and can give back; in the order in which it is shown.
TEXTS: dict[str, str | Promise] = {
    "instructions": _("instructions"),
    "most_question": _("question for the best item"),
    "least_question": _("question for the worst item"),
    "rating_question": _("question for a rating"),
    "scale": _("scale"),
    "categories": _("categories"),
    "worked_example": _("worked example"),
    "comprehension": _("comprehension question"),
    "thanks": _("thanks"),
}


@dataclass(frozen=True)
class ChangedText:
    """A text that reads differently in the pilot."""

    field: str
    label: str | Promise
    here: Any
    there: Any


def refusal(study: Study) -> Said:
    """Why a study can have no pilot (any more); empty if it can."""
    if study.pilot_of_id is not None:
        return _("This study is a pilot. Make another pilot of the original study.")
    if not study.is_draft:
        return _(
            "You can run a pilot only before the study opens. To test another wording, create a"
            " new study."
        )
    if presets.review_of(study.preset):
        return _("This preset uses items of a scored study. It needs no pilot.")
    if not study.has_material:
        return _("There are no items yet. Import them first.")
    return ""


@transaction.atomic
def begin(*, study: Study, n_parts: int) -> Study:
    """A draft of its own with some of the study's items, its texts and its numbers.

    The parts are drawn with the seed of the study's design, differently for each pilot. People
    who see the study see the pilot.

    Raises StateError if there can be no pilot, ImpossibleParametersError for a number of parts
    that it cannot have.
    """
    study = lock_study(study.pk)
    if refused := refusal(study):
        raise StateError(refused)
    number = study.pilots.count() + 1
    chosen = _draw(study, n_parts, number=number)
    pilot = _copy_study(study, number=number)
    kind_of(study).designs.copy_to_pilot(study, pilot, chosen)
    return pilot


def changed_texts(study: Study, pilot: Study) -> list[ChangedText]:
    """The texts that the pilot words differently than its study does now."""
    return [
        ChangedText(name, label, getattr(study, name), getattr(pilot, name))
        for name, label in TEXTS.items()
        if getattr(study, name) != getattr(pilot, name)
    ]


@transaction.atomic
def take_texts(*, study: Study, pilot: Study, names: Collection[str]) -> list[ChangedText]:
    """Take these texts of a pilot into its draft; return those that were taken."""
    study = lock_study(study.pk)
    pilot = Study.objects.get(pk=pilot.pk)
    if pilot.pilot_of_id != study.pk:
        raise StateError(_("%(pilot)s is not a pilot of this study.") % {"pilot": pilot.title})
    if not study.is_draft:
        raise StateError(_("The texts have been frozen since the study was opened."))
    taken = [text for text in changed_texts(study, pilot) if text.field in names]
    if not taken:
        raise StateError(_("Choose what to copy from the pilot."))
    studies.edit(study=study, changes={text.field: text.there for text in taken})
    return taken


def _draw(study: Study, n_parts: int, *, number: int) -> set[int]:
    """The keys of the parts that were drawn for this pilot."""
    of_kind = kind_of(study).designs
    there = of_kind.pilot_parts(study)
    least = of_kind.fewest_pilot_parts(study)
    if n_parts < least:
        raise ImpossibleParametersError(
            _("Choose at least %(n)s. Fewer cannot be compared.") % {"n": least}, "n_parts"
        )
    if n_parts > len(there):
        raise ImpossibleParametersError(
            _("There are only %(n)s. Do not choose more.") % {"n": len(there)}, "n_parts"
        )
    seeds = np.random.SeedSequence([study.design.seed, _STREAM, number])
    rng = np.random.Generator(np.random.PCG64(seeds))
    drawn = rng.choice(len(there), size=n_parts, replace=False)
    return {pk for place in drawn.tolist() for pk in there[place].pks}


def _copy_study(study: Study, *, number: int) -> Study:
    title = _("Pilot %(n)s of %(study)s") % {"n": number, "study": study.title}
    pilot = studies.create_like(
        study,
        owner_id=study.owner_id,
        slug=studies.new_slug(f"{study.slug[:40]}-pilot-{number}"),
        title=str(title),
        parameters=study.design.parameters,
        pilot_of=study,
        earlier_round_id=study.earlier_round_id,
    )
    researchers.share_pilot(study=study, pilot=pilot)
    return pilot
