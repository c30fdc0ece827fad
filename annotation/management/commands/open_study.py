"""Open a study: let people in, and freeze the design the first time."""

from typing import Any

from django.conf import settings
from django.urls import reverse

from annotation.forms.studies import placeholders
from annotation.management.studies import StudyCommand, refusals
from annotation.models import Study
from annotation.services import studies


class Command(StudyCommand):
    help = "Open a study, or let people in again. The first time, this freezes its design."

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.study_of(options)
        with refusals():
            study = studies.open_study(study=study)
        missing = placeholders(studies.current_consent(study).text)
        for one in missing:
            self.stderr.write(f"Still to be filled in, in the consent text: {one}")
        link = open_link(study)
        facts = {
            "study": study.slug,
            "state": study.state,
            "link": link,
            "to_be_filled_in": missing,
        }
        where = f" Open link: {link}" if link else ""
        self.say(options, facts, f"{study.slug} is open.{where}")
        if link and not settings.PUBLIC_URL:
            self.stderr.write("The link lacks the address of this server.")


def open_link(study: Study) -> str | None:
    """Where anybody may come in; None if the open link is off."""
    if not study.link_open:
        return None
    return settings.PUBLIC_URL + reverse("annotator:join", args=[study.join_token])
