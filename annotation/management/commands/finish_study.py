"""`manage.py finish_study STUDY`."""

from typing import Any

from annotation.management.studies import StudyCommand, refusals
from annotation.studies.services import studies


class Command(StudyCommand):
    help = "End the collection for good: nobody may answer any more."

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.study_of(options)
        with refusals():
            study = studies.finish(study=study)
        facts = {"study": study.slug, "state": study.state}
        self.say(options, facts, f"{study.slug} is finished.")
