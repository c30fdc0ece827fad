"""Open a study: let people in, and freeze the design the first time."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import transaction
from django.urls import reverse

from annotation.basics.errors import StateError
from annotation.management.studies import StudyCommand, refusals
from annotation.models import Study
from annotation.studies.presets import placeholders
from annotation.studies.services import contacts, studies


class Command(StudyCommand):
    help = (
        "Open a study so that people can join, also after a pause or after closing it. The first"
        " time, this freezes the design."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--contact",
            metavar="'NAME, E-MAIL'",
            help="person whom annotators can contact; replaces the square brackets in the consent"
            " text of a preset",
        )
        parser.add_argument(
            "--without-consent",
            action="store_true",
            help="confirm that the study needs no consent text",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.study_of(options)
        with refusals(), transaction.atomic():
            if options["contact"] is not None:
                study = contacts.fill_in(study=study, contact=options["contact"])
            try:
                contacts.refuse_unfilled(study)
            except StateError as error:
                remedy = " Or give --contact 'Name, e-mail'." if contacts.unfilled(study) else ""
                raise CommandError(f"{error.message}{remedy}") from error
            study = studies.open_study(study=study, without_consent=options["without_consent"])
        missing = placeholders(studies.current_consent(study).text)
        for gap in missing:
            self.stderr.write(f"The consent text still contains a gap to fill in: {gap}")
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
            self.stderr.write(
                "The link lacks the address of this server: set LIKENESS_PUBLIC_URL, such as"
                " https://likeness.example.org, or copy the link from the Links page."
            )


def open_link(study: Study) -> str | None:
    """The open link; None if it is off."""
    if not study.link_open:
        return None
    return settings.PUBLIC_URL + reverse("annotator:join", args=[study.join_token])
