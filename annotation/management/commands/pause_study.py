"""`manage.py pause_study STUDY`: nobody new can join for now."""

from typing import Any

from annotation.management.studies import StudyCommand, refusals
from annotation.studies.queries.listings_out import listings_stay
from annotation.studies.services import studies


class Command(StudyCommand):
    help = "Pause a study: nobody new can join for now. People who have joined can continue."

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.study_of(options)
        with refusals():
            study = studies.pause(study=study)
        for line in listings_stay(study):
            self.stderr.write(str(line), style_func=str)
        facts = {"study": study.slug, "state": study.state}
        self.say(options, facts, f"{study.slug} is paused.")
