"""`manage.py finish_study STUDY`: nobody can answer any more."""

from typing import Any

from annotation.management.studies import StudyCommand, refusals
from annotation.studies.services import studies


class Command(StudyCommand):
    help = "Finish a study for good: nobody can answer any more. This cannot be undone."

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.study_of(options)
        with refusals():
            study = studies.finish(study=study)
        facts = {"study": study.slug, "state": study.state}
        self.say(options, facts, f"{study.slug} is finished.")
