"""`manage.py progress STUDY`: prints the progress of a study."""

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError

from annotation.core.queries import counted_answers, progress
from annotation.management.studies import StudyCommand
from annotation.models import Job
from annotation.models.kinds import Source


class Command(StudyCommand):
    help = (
        "Print how many places are completed, in progress and free. With --json, also print how"
        " many answers count and which jobs are unfinished. With --complete, the exit status is 1"
        " until every place is completed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--complete",
            action="store_true",
            help="for scripts: fail until all places are completed",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.study_of(options)
        places = progress.places(study).get(Source.REAL, progress.Places())
        facts = {
            "study": study.slug,
            "state": study.state,
            "places": {**asdict(places), "free": places.free},
            "counted_judgments": counted_answers.basis(study, "people").n_judgments,
            "jobs": [
                {"kind": job.kind, "state": job.state, "progress": job.progress}
                for job in study.jobs.filter(state__in=Job.UNFINISHED)
            ],
        }
        sentence = (
            f"{study.slug} is {study.state}: {places.done} of {places.total} places completed,"
            f" {places.in_work + places.waiting} in progress, {places.free} free."
        )
        if places.held:
            sentence += f" {places.held} held for review: look at them on the People page."
        if places.unverified:
            sentence += f" {places.unverified} not confirmed by their platform yet."
        self.say(options, facts, sentence)
        if options["complete"] and (not places.total or places.done < places.total):
            held = f" {places.held} of them are held for review." if places.held else ""
            raise CommandError(f"{places.total - places.done} places are not completed yet.{held}")
