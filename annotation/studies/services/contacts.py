"""What a consent text leaves to be filled in, above all whom annotators can ask."""

from django.db import transaction

from annotation.basics.errors import StateError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.models import Study
from annotation.studies import presets
from annotation.studies.services import studies


def unfilled(study: Study) -> str:
    """What still stands in that place; empty once it names somebody."""
    consent = study.consent_texts.order_by("-version").first()
    return presets.unfilled_contact(consent.text) if consent else ""


def refuse_unfilled(study: Study) -> None:
    """Raise StateError if a draft's consent text still has a placeholder."""
    if study.is_draft and (reason := refusal(study)):
        raise StateError(reason)


def refusal(study: Study) -> Said:
    """Why a draft with this consent text cannot be opened; empty if it can."""
    if what := unfilled(study):
        return _UNFILLED % {"what": what}
    consent = study.consent_texts.order_by("-version").first()
    left = presets.placeholders(consent.text) if consent else []
    return _UNFILLED_PLACE % {"what": left[0]} if left else ""


_UNFILLED = _(
    "The consent text still says “%(what)s”. On the Describe page, replace this with "
    "the name and e-mail address of somebody whom annotators can contact."
)
_UNFILLED_PLACE = _(
    "The consent text still says “%(what)s”. On the Describe page, replace it with "
    "the actual text. If it is not a placeholder, use round brackets."
)


@transaction.atomic
def fill_in(*, study: Study, contact: str) -> Study:
    """Name somebody in that place, as a new version of the consent text.

    Raises StateError if the text has no such place, or nobody is named.
    """
    contact = " ".join(contact.split())
    if not contact:
        raise StateError(
            _(
                "Give the name and e-mail address of a person whom annotators can contact, such "
                "as: Ada Example, ada@example.org"
            )
        )
    if not (what := unfilled(study)):
        raise StateError(_("The consent text has no square brackets left to put a name in."))
    text = studies.current_consent(study).text.replace(what, contact)
    return studies.edit(study=study, changes={"consent": text})
