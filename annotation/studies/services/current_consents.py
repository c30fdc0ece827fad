"""The consent text that newcomers of a study are shown."""

from annotation.models import ConsentText, Study


def current_consent(study: Study) -> ConsentText:
    consent = study.consent_texts.order_by("-version").first()
    if consent is None:
        consent = ConsentText.objects.create(study=study, version=1)
    return consent
