"""Sentences for consent texts: what is stored of people beside their answers, and for how long."""

from dataclasses import dataclass

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.queries.retention_days import days_of
from annotation.models import Study
from annotation.studies import presets

ROSTER = "roster"

# In the languages of the default texts: annotators read them. "until" is for a study whose
# personal data have a time, "by_hand" for one whose data are erased by hand. An erasure waits for
# payments and open listings (`annotation.people.queries.retention.obstacles`), so no sentence
# promises a day.
_SENTENCES = {
    "en": {
        ROSTER: {
            "stored": "We also store your name or number and your e-mail address, separately from"
            " your answers.",
            "until": "We delete these data {days} days after the study has ended, or later if a"
            " payment or another matter is still open then.",
            "by_hand": "Ask the person named above when these data are deleted.",
        },
        "platform": {
            "stored": "We also store the id that the platform gave you, separately from your"
            " answers.",
            "until": "We delete it {days} days after the study has ended, or later if a payment or"
            " another matter is still open then.",
            "by_hand": "Ask the person named above when it is deleted.",
        },
    },
    "de": {
        ROSTER: {
            "stored": "Außerdem speichern wir Ihren Namen oder Ihre Nummer und Ihre"
            " E-Mail-Adresse, getrennt von Ihren Antworten.",
            "until": "Diese Angaben löschen wir {days} Tage nach dem Ende der Studie. Falls dann"
            " noch etwas abzuwickeln ist, etwa eine Zahlung, löschen wir sie später.",
            "by_hand": "Wann wir diese Angaben löschen, sagt Ihnen die oben genannte Person.",
        },
        "platform": {
            "stored": "Außerdem speichern wir Ihre Kennung auf der Plattform, getrennt von Ihren"
            " Antworten.",
            "until": "Diese Kennung löschen wir {days} Tage nach dem Ende der Studie. Falls dann"
            " noch etwas abzuwickeln ist, etwa eine Zahlung, löschen wir sie später.",
            "by_hand": "Wann wir diese Kennung löschen, sagt Ihnen die oben genannte Person.",
        },
    },
    "cs": {
        ROSTER: {
            "stored": "Odděleně od odpovědí ukládáme také vaše jméno nebo číslo a e-mailovou"
            " adresu.",
            "until": "Tyto údaje smažeme {days} dní po skončení studie. Pokud bude ještě třeba"
            " něco vypořádat, například platbu, smažeme je později.",
            "by_hand": "Kdy tyto údaje smažeme, vám sdělí výše uvedená osoba.",
        },
        "platform": {
            "stored": "Odděleně od odpovědí ukládáme také vaše ID na platformě.",
            "until": "Toto ID smažeme {days} dní po skončení studie. Pokud bude ještě třeba něco"
            " vypořádat, například platbu, smažeme je později.",
            "by_hand": "Kdy toto ID smažeme, vám sdělí výše uvedená osoba.",
        },
    },
}


@dataclass(frozen=True)
class Lacking:
    """What a consent text may leave out: for the researcher, and a sentence in its language."""

    stored: Said
    sentence: str
    # Else the text was reworded, and may say so in its own words.
    is_certain: bool

    @property
    def advice(self) -> Said:
        if self.is_certain:
            return _("The consent text does not say so yet. Add:")
        return _("Check that the consent text says so, for example:")


def to_be_added(study: Study, by: str) -> Lacking | None:
    """What a consent text may leave out that people coming `by` a roster or platform must know."""
    consent = study.consent_texts.order_by("-version").first()
    if consent is None:
        return None
    key = ROSTER if by == ROSTER else "platform"
    language = study.language.partition("-")[0]
    texts = _SENTENCES.get(language, _SENTENCES["en"])[key]
    days = days_of(study)
    deleted = texts["until"].format(days=days) if days else texts["by_hand"]
    sentence = f"{texts['stored']} {deleted}"
    if sentence in consent.text:
        return None
    return Lacking(
        _stored(key, days), sentence, is_certain=presets.says_only_answers(consent.text)
    )


def _stored(key: str, days: int) -> Said:
    if not days:
        return (
            _("Names and e-mail addresses on the roster are stored until you erase them.")
            if key == ROSTER
            else _("People's platform ids are stored until you erase them.")
        )
    sentence = (
        _(
            "Names and e-mail addresses on the roster are deleted %(days)s days after the study"
            " ends. If people were also recruited on a platform and a listing or payment there is"
            " still open then, the data are deleted later."
        )
        if key == ROSTER
        else _(
            "People's platform ids are deleted %(days)s days after the study ends, or later if a"
            " listing or a payment is still open then."
        )
    )
    return sentence % {"days": days}
