"""Open a study: let people in, and freeze the design the first time."""

from typing import Any

from annotation.forms.studies import placeholders
from annotation.management.studies import StudyCommand, refusals
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
        facts = {"study": study.slug, "state": study.state, "to_be_filled_in": missing}
        self.say(options, facts, f"{study.slug} is open.")
