"""The versions of a study's consent text: which is current, what it must have, a new one."""

from annotation.basics import clock
from annotation.basics.errors import StateError
from annotation.basics.sentences import sentence as _
from annotation.models import ConsentText, Study
from annotation.studies import presets
from annotation.studies.services.current_consents import current_consent


def refuse_emptied(study: Study, text: str) -> None:
    """Refuse an empty text: newcomers of an opened study would agree to nothing."""
    if not text.strip() and current_consent(study).text.strip():
        raise StateError(
            _(
                "You can change the consent text but not remove it, because the study "
                "was opened with one."
            )
        )


def refuse_new_placeholders(study: Study, text: str) -> None:
    """Refuse new placeholders: newcomers read the text at once."""
    known = presets.placeholders(current_consent(study).text)
    for what in presets.placeholders(text):
        if what not in known:
            raise StateError(
                _(
                    "New people would read “%(what)s”. Replace it with the actual text. If it is "
                    "not a placeholder, use round brackets."
                )
                % {"what": what}
            )


def publish(study: Study, text: str | None, news: str, *, is_for_all: bool) -> None:
    """A new version of the consent text, or the latest one asked about after all."""
    latest = current_consent(study)
    if text is not None and text != latest.text:
        latest = ConsentText(study=study, version=latest.version + 1, text=text)
    elif latest.version == 1 or not is_for_all:
        if is_for_all or news:
            raise StateError(
                _("The consent text has not changed. Change it first, then say what is new.")
            )
        return
    latest.changes = news or latest.changes
    if is_for_all:
        latest.asked_at = latest.asked_at or clock.now()
        study.consent_asked = latest.version
        study.save(update_fields=["consent_asked"])
    latest.save()
