"""A pilot: a part of a draft tried with a few people, in a study of its own.

Whatever the pilot teaches, such as better instructions, can then be changed in the draft; what its
people answered stays with the wording that they saw, and is never scored with what comes later.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import transaction
from django.utils.functional import Promise

from annotation.basics.errors import StateError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.services.locks import lock_study
from annotation.kinds.design_parameters import (
    BestWorstParameters,
    ImpossibleParametersError,
    RatingParameters,
)
from annotation.kinds.services import copied_material
from annotation.models import Item, Study
from annotation.models.items import ONE_POOL
from annotation.models.kinds import QuestionKind
from annotation.studies import presets
from annotation.studies.services import researchers, studies

# Of the numbers drawn from the draft's seed, those of its pilots.
_STREAM = 2

# What a pilot takes from its draft, and can give back; in the order in which it is shown.
TEXTS: dict[str, str | Promise] = {
    "instructions": _("instructions"),
    "most_question": _("question for the best"),
    "least_question": _("question for the worst"),
    "rating_question": _("question for a rating"),
    "scale": _("scale"),
    "categories": _("categories"),
    "worked_example": _("worked example"),
    "comprehension": _("comprehension question"),
    "thanks": _("thanks"),
}


@dataclass(frozen=True)
class Part:
    """Something that is drawn whole: a dialogue, a group of items, an item, an incident."""

    name: str
    # Of the items, or of the incident's contexts.
    pks: tuple[int, ...]


@dataclass(frozen=True)
class Changed:
    """A text that reads differently in the pilot."""

    field: str
    label: str | Promise
    here: Any
    there: Any


def parts(study: Study) -> list[Part]:
    """What a pilot can be drawn from. What calibrates or checks is in every pilot."""
    if study.kind == QuestionKind.SELECTION:
        incidents: dict[int, list[int]] = {}
        rows = study.contexts.exclude(group=None).order_by("group", "pk")
        for group, context in rows.values_list("group_id", "pk"):
            incidents.setdefault(group, []).append(context)
        names = dict(study.context_groups.values_list("pk", "key"))
        return [Part(names[group], tuple(pks)) for group, pks in incidents.items()]
    calibrates = _calibrates(study)
    found: dict[tuple[str, str], list[int]] = {}
    items = study.items.without_checks().order_by("number")
    for pk, key, pool in items.values_list("pk", "key", "pool__key"):
        if key not in calibrates:
            found.setdefault((pool, key if pool == ONE_POOL else ""), []).append(pk)
    return [Part(key or pool, tuple(pks)) for (pool, key), pks in found.items()]


def fewest(study: Study) -> int:
    """With how few parts there is anything to compare."""
    if study.kind != QuestionKind.BEST_WORST:
        return 1
    if study.pools.filter(key=ONE_POOL).exists():
        return BestWorstParameters.of(study.design).tuple_size
    return 1


def refusal(study: Study) -> Said:
    """Why a study can have no pilot (any more); empty if it can."""
    if study.pilot_of_id is not None:
        return _("This is a pilot itself. Make another pilot of the study that it belongs to.")
    if not study.is_draft:
        return _(
            "The study was opened: a pilot comes before. To try another wording, make a new study."
        )
    if presets.review_of(study.preset):
        return _("This plan looks at scored items again; it needs no pilot.")
    if not study.has_material:
        return _("There are no items yet: import them first.")
    return ""


@transaction.atomic
def begin(*, study: Study, n_parts: int) -> Study:
    """A draft of its own with some of the study's items, its texts and its numbers.

    Which parts is drawn from the seed of the study's design, anew for each of its pilots. Whoever
    sees the study sees the pilot.

    Raises StateError where there can be no pilot, ImpossibleParametersError for a number of parts
    that it cannot have.
    """
    study = lock_study(study.pk)
    if said := refusal(study):
        raise StateError(said)
    number = study.pilots.count() + 1
    chosen = _draw(study, n_parts, number=number)
    pilot = _copy_study(study, number=number)
    if study.kind == QuestionKind.SELECTION:
        copied = copied_material.contexts(pilot, study, only=chosen)
        copied_material.turns(study, copied)
    else:
        _copy_items(study, pilot, chosen)
    return pilot


def changed_texts(study: Study, pilot: Study) -> list[Changed]:
    """What was worded differently in the pilot than it stands in its study now."""
    return [
        Changed(name, label, getattr(study, name), getattr(pilot, name))
        for name, label in TEXTS.items()
        if getattr(study, name) != getattr(pilot, name)
    ]


@transaction.atomic
def take_texts(*, study: Study, pilot: Study, names: Collection[str]) -> list[Changed]:
    """Word these texts of a draft as its pilot does; what was taken."""
    study = lock_study(study.pk)
    pilot = Study.objects.get(pk=pilot.pk)
    if pilot.pilot_of_id != study.pk:
        raise StateError(_("%(pilot)s is no pilot of this study.") % {"pilot": pilot.title})
    if not study.is_draft:
        raise StateError(_("The texts are frozen since the study was opened."))
    taken = [one for one in changed_texts(study, pilot) if one.field in names]
    if not taken:
        raise StateError(_("Choose what is to be taken from the pilot."))
    studies.edit(study=study, changes={one.field: one.there for one in taken})
    return taken


def _calibrates(study: Study) -> set[str]:
    if study.kind != QuestionKind.RATING:
        return set()
    return {*RatingParameters.of(study.design).calibration}


def _draw(study: Study, n_parts: int, *, number: int) -> set[int]:
    """The keys of what is in the pilot, and would not be in every one."""
    there = parts(study)
    least = fewest(study)
    if n_parts < least:
        raise ImpossibleParametersError(
            _("Choose at least %(n)s: fewer cannot be compared.") % {"n": least}, "n_parts"
        )
    if n_parts > len(there):
        raise ImpossibleParametersError(
            _("There are only %(n)s: choose at most as many.") % {"n": len(there)}, "n_parts"
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


def _copy_items(study: Study, pilot: Study, chosen: set[int]) -> None:
    data = {pk for part in parts(study) for pk in part.pks}
    items = [
        item
        for item in study.items.select_related(
            "pool", "target_turn__context", "candidate_turn__context"
        ).order_by("number")
        # What is not to be drawn is taken as it is: what calibrates, and what checks.
        if item.pk in chosen or item.pk not in data
    ]
    contexts = copied_material.contexts(pilot, study, only=_contexts(items))
    turns = copied_material.turns(study, contexts)
    pools = copied_material.pools(pilot, items, contexts)
    copies = copied_material.items(
        pilot,
        items,
        turns=turns,
        pools=pools,
        # What an earlier round asked about; a pilot is none.
        columns=lambda item: {
            "earlier_rating": item.earlier_rating,
            "derived_from_id": item.derived_from_id,
        },
    )
    copied_material.checks(pilot, study, items=copies, pools=pools)


def _contexts(items: Iterable[Item]) -> set[int]:
    """Those that the items are compared in, or stand in."""
    found = {item.pool.context_id for item in items if item.pool.context_id is not None}
    for item in items:
        found |= {turn.context_id for turn in (item.target_turn, item.candidate_turn) if turn}
    return found
