"""`manage.py roster STUDY FILE`: personal links for the people of a list, shown this once."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.urls import reverse

from annotation.errors import ImportProblemsError
from annotation.forms.rosters import read_roster
from annotation.management.studies import StudyCommand, refusals
from annotation.models import Study
from annotation.services import assignments, people
from annotation.services.recognition import InDoubtError


class Command(StudyCommand):
    help = (
        "Put people on a study's roster and print their personal links. Each link is shown this"
        " once: only its hash is kept. Who is on the roster already keeps theirs."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "file", type=Path, help="one id or name a line; or TSV or CSV with id, name, email"
        )
        parser.add_argument(
            "--base-url", default="", help="of this Likeness, such as https://judge.example.org"
        )

        parser.add_argument(
            "--in-doubt",
            choices=("ask", "same", "others"),
            default="ask",
            help="whoever may be a person of an earlier round: the same person, or somebody else;"
            " default: nobody is added, and they are named",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.study_of(options)
        if study.state == Study.State.FINISHED:
            raise CommandError(f"{study.slug} is finished: nobody may answer any more.")
        try:
            with options["file"].open("rb") as file, refusals():
                entries = read_roster(file)
        except OSError as error:
            raise CommandError(f"{options['file']}: {error.strerror}") from error
        except ImportProblemsError as error:
            raise CommandError("\n".join(error.problems)) from error
        try:
            with refusals():
                made = people.add_roster(
                    study=study, entries=entries, in_doubt=options["in_doubt"]
                )
        except CommandError as error:
            if isinstance(error.__cause__, InDoubtError):
                said = "Repeat the command with --in-doubt same, or with --in-doubt others."
                raise CommandError(f"{error} {said}") from error
            raise
        base = options["base_url"].rstrip("/")
        rows = [
            {
                "id": one.annotator.person.platform_id if one.annotator.person else "",
                "link": base + reverse("annotator:own", args=[one.key]),
                "known_from": one.known_from.slug if one.known_from else None,
            }
            for one in made
        ]
        facts = {"study": study.slug, "links": rows, "known": len(entries) - len(made)}
        text = "\n".join(f"{row['id']}\t{row['link']}" for row in rows)
        if rows or options["json"]:
            self.say(options, facts, text)
        if n_known := len(entries) - len(made):
            self.stderr.write(
                f"On the roster already: {n_known} of {len(entries)}. Their links were shown when"
                " they were put on it, and stay as they are; a lost one is replaced on the page"
                " of the roster."
            )
        if why := _why_shut(study):
            self.stderr.write(why)
        if n_recognised := sum(one.known_from is not None for one in made):
            self.stderr.write(f"Recognised from an earlier round: {n_recognised}.")
        if not base:
            self.stderr.write("The links lack the address of this server: --base-url adds it.")


def _why_shut(study: Study) -> str:
    """Why a link leads to no question now; empty if it does, or will when the draft is opened."""
    if study.state == Study.State.CLOSED:
        return f"{study.slug} is closed: the links let nobody in until it is opened again."
    if study.state == Study.State.PAUSED:
        return f"{study.slug} is paused: the links let nobody in until it is opened again."
    if study.state == Study.State.OPEN and not assignments.has_room(study):
        return (
            f"{study.slug} is full: every place is taken, so the links let nobody new in until"
            " one becomes free or places are added."
        )
    return ""
