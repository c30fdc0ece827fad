"""Ready-made studies: the plans of all kinds, and the default texts per language."""

import re
from functools import cache
from typing import Any

from annotation.basics.reviewed import Review
from annotation.kinds.default_texts import LANGUAGES, language_of_texts
from annotation.kinds.presets import Preset
from annotation.kinds.registry import KINDS

PRESETS = {
    preset.key: preset
    for preset in sorted(
        (preset for kind in KINDS.values() for preset in kind.studies.presets),
        key=lambda preset: preset.order,
    )
}


def review_of(preset: str) -> Review | None:
    """Why a study that was made from a preset looks at scored items again; None if it does not."""
    chosen = PRESETS.get(preset)
    return chosen.review if chosen else None


def continued_kinds(preset: Preset) -> tuple[str, ...]:
    """Which kinds of studies one of this preset can go on with."""
    if preset.review:
        return tuple(slug for slug, kind in KINDS.items() if kind.studies.can_be_reviewed)
    if not KINDS[preset.kind].designs.continues_rounds:
        return ()
    return tuple(slug for slug, kind in KINDS.items() if kind.designs.earlier_round)


@cache
def texts(language: str, name: str = "dialogues") -> dict[str, Any]:
    """The default texts in a language, or the English ones where there are none.

    `name`: as presets say which texts they have.
    """
    kind = next(preset.kind for preset in PRESETS.values() if preset.texts == name)
    return KINDS[kind].studies.texts(name, language_of_texts(language))


def placeholders(text: str) -> list[str]:
    """Things in square brackets that are no links: what the default texts leave to be filled."""
    return re.findall(r"\[[^\]\[\n]{3,}\](?!\()", text)


def unfilled_contact(consent: str) -> str:
    """The place for the researcher's name that a plan's text left; empty where it was filled."""
    return next((one for one in placeholders(consent) if one in _places_for_a_contact()), "")


def without_contact(consent: str, language: str) -> str:
    """A consent text with the place for a contact left open again.

    Where the text has not the words of a default one, a paragraph asks for the contact.
    """
    if not consent.strip() or unfilled_contact(consent):
        return consent
    paragraphs = _paragraphs(consent)
    for n, paragraph in enumerate(paragraphs):
        for before, place, after in _contact_paragraphs():
            if paragraph.startswith(before) and paragraph.endswith(after):
                paragraphs[n] = f"{before}{place}{after}"
                return "\n\n".join(paragraphs)
    asking = next(one for one in _paragraphs(texts(language)["consent"]) if unfilled_contact(one))
    return "\n\n".join([*paragraphs, asking])


@cache
def _contact_paragraphs() -> frozenset[tuple[str, str, str]]:
    """Of every default text the paragraph with the contact: before the place, it, and after."""
    return frozenset(
        (before, place, after)
        for language in LANGUAGES
        for name in {preset.texts for preset in PRESETS.values()}
        for paragraph in _paragraphs(texts(language, name)["consent"])
        if (place := unfilled_contact(paragraph))
        for before, _place, after in [paragraph.partition(place)]
        if before
    )


def says_only_answers(consent: str) -> bool:
    """Whether a text says of what is stored exactly what the default texts say."""
    return any(one in _paragraphs(consent) for one in _default_paragraphs_of_storing())


def _paragraphs(text: str) -> list[str]:
    return [one.strip() for one in text.replace("\r\n", "\n").split("\n\n")]


@cache
def _default_paragraphs_of_storing() -> frozenset[str]:
    # The one of what is stored names the IP address in every language.
    return frozenset(
        one
        for language in LANGUAGES
        for one in _paragraphs(texts(language)["consent"])
        if "IP" in one
    )


@cache
def _places_for_a_contact() -> frozenset[str]:
    return frozenset(
        one for language in LANGUAGES for one in placeholders(texts(language)["consent"])
    )
