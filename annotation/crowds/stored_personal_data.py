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
        ROSTER: "We also store your name or number and your e-mail address, apart from your"
        " answers",
        "platform": "We also store your number on the platform, apart from your answers",
        "until": "; they are deleted {days} days after the study has ended, or later if something,"
        " such as a payment, still has to be settled then.",
        "by_hand": "; ask the person named above when they are deleted.",
    },
    "de": {
        ROSTER: "Außerdem speichern wir Ihren Namen oder Ihre Nummer und Ihre E-Mail-Adresse,"
        " getrennt von Ihren Antworten",
        "platform": "Außerdem speichern wir Ihre Nummer bei der Plattform, getrennt von Ihren"
        " Antworten",
        "until": "; gelöscht werden sie {days} Tage nach dem Ende der Studie, oder später, falls"
        " dann noch etwas abzuwickeln ist, etwa eine Zahlung.",
        "by_hand": "; wann sie gelöscht werden, sagt Ihnen die oben genannte Person.",
    },
    "cs": {
        ROSTER: "Odděleně od odpovědí ukládáme také vaše jméno nebo číslo a e-mailovou adresu",
        "platform": "Odděleně od odpovědí ukládáme také vaše číslo na platformě",
        "until": "; smažeme je {days} dní po skončení studie, nebo později, pokud bude ještě třeba"
        " něco vypořádat, například platbu.",
        "by_hand": "; kdy budou smazány, vám sdělí výše uvedená osoba.",
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
    texts = _SENTENCES.get(language, _SENTENCES["en"])
    days = days_of(study)
    sentence = texts[key] + (texts["until"].format(days=days) if days else texts["by_hand"])
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
            else _("People’s platform ids are stored until you erase them.")
        )
    sentence = (
        _(
            "Names and e-mail addresses on the roster are deleted %(days)s days after the study"
            " ends, or later if something is still open on a platform."
        )
        if key == ROSTER
        else _(
            "People’s platform ids are deleted %(days)s days after the study ends, or later if a"
            " listing or a payment is still open."
        )
    )
    return sentence % {"days": days}
