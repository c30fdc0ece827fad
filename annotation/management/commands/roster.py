"""`manage.py roster STUDY FILE`: makes personal links for a list of people, printed once.

`manage.py roster STUDY --send new` sends people of the roster their links by e-mail.
"""

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.urls import reverse

from annotation.answering.services import giving_way, rosters
from annotation.basics.errors import ImportProblemsError
from annotation.crowds.forms.rosters import read_roster
from annotation.crowds.queries import link_messages
from annotation.crowds.queries.link_messages import GROUPS
from annotation.crowds.services import link_letters
from annotation.crowds.services import link_messages as sending
from annotation.crowds.stored_personal_data import ROSTER, to_be_added
from annotation.kinds.services.recognition import InDoubtError
from annotation.management.own_jobs import own_job
from annotation.management.studies import StudyCommand, refusals
from annotation.models import LinkMessage, Study


class Command(StudyCommand):
    help = (
        "Add people to a study's roster and print their personal links. Each link is printed only"
        " once, because only its hash is stored. People who are already on the roster keep their"
        " links. With --send, links are instead sent by e-mail to people on the roster who have"
        " not started."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "file",
            type=Path,
            nargs="?",
            help="one id or name per line, or TSV or CSV with the columns id, name, email",
        )
        parser.add_argument(
            "--send",
            choices=GROUPS,
            help="send links by e-mail. new: to people who have not been sent one; failed: to"
            " people whose message failed. Links that they received before stop working",
        )
        parser.add_argument(
            "--subject", help="subject of the message (default: a standard subject)"
        )
        parser.add_argument(
            "--text",
            type=Path,
            help="file with the text of the message, which contains {link} (default: a standard"
            " text)",
        )
        parser.add_argument(
            "--base-url",
            default="",
            help="address of this server, such as https://judge.example.org (with --send, default:"
            " LIKENESS_PUBLIC_URL)",
        )
        parser.add_argument(
            "--in-doubt",
            choices=("ask", "same", "others"),
            default="ask",
            help="what to do if entries may name people of an earlier round. same: they are the"
            " same people; others: they are other people; ask: add nobody and list these entries"
            " (default: ask)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.study_of(options)
        if (options["file"] is None) == (options["send"] is None):
            raise CommandError("Give either a file with people, or --send new or --send failed.")
        if options["send"]:
            self._send(study, options)
            return
        if study.state == Study.State.FINISHED:
            raise CommandError(f"{study.slug} is finished: nobody can answer any more.")
        try:
            with options["file"].open("rb") as file, refusals():
                entries = read_roster(file)
        except OSError as error:
            raise CommandError(f"{options['file']}: {error.strerror}") from error
        except ImportProblemsError as error:
            raise CommandError("\n".join(error.problems)) from error
        try:
            with refusals():
                made = rosters.add_roster(
                    study=study, entries=entries, in_doubt=options["in_doubt"]
                )
        except CommandError as error:
            if isinstance(error.__cause__, InDoubtError):
                advice = "Repeat the command with --in-doubt same, or with --in-doubt others."
                raise CommandError(f"{error} {advice}") from error
            raise
        base = options["base_url"].rstrip("/")
        rows = [
            {
                "id": place.annotator.person.platform_id if place.annotator.person else "",
                "link": base + reverse("annotator:own", args=[place.key]),
                "known_from": place.known_from.slug if place.known_from else None,
            }
            for place in made
        ]
        facts = {"study": study.slug, "links": rows, "known": len(entries) - len(made)}
        text = "\n".join(f"{row['id']}\t{row['link']}" for row in rows)
        if rows or options["json"]:
            self.say(options, facts, text)
        if n_known := len(entries) - len(made):
            self.stderr.write(
                f"Already on the roster: {n_known} of {len(entries)}. Their links stay as they are"
                " and were printed when they were added. You can replace a lost link on the Roster"
                " page."
            )
        for note in filter(None, (_why_shut(study), _what_consent_lacks(study))):
            self.stderr.write(note)
        if n_recognised := sum(place.known_from is not None for place in made):
            self.stderr.write(f"Recognised from an earlier round: {n_recognised}.")
        if not base:
            self.stderr.write("The links lack the address of this server. Add it with --base-url.")

    def _send(self, study: Study, options: Mapping[str, Any]) -> None:
        base = options["base_url"] or settings.PUBLIC_URL
        if not base:
            raise CommandError("Links need the address of this server. Give it with --base-url.")
        preset = link_letters.preset(study)
        text = preset.text
        if options["text"]:
            try:
                text = options["text"].read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise CommandError(f"{options['text']}: {error}") from error
        with refusals():
            letter = link_letters.read(options["subject"] or preset.subject, text)
            recipients = list(link_messages.group(study, options["send"]))
        with own_job(self) as on_start:
            job = sending.send_here(
                study=study,
                annotators=recipients,
                letter=letter,
                base_url=base,
                on_start=on_start,
            )
        messages = list(job.link_messages.select_related("annotator__person").order_by("pk"))
        failed = [
            {
                "email": message.annotator.person.email if message.annotator.person else "",
                "problem": message.problem,
            }
            for message in messages
            if message.state == LinkMessage.State.FAILED
        ]
        n_sent = sum(message.state == LinkMessage.State.SENT for message in messages)
        facts = {"study": study.slug, "job": job.pk, "sent": n_sent, "failed": failed}
        for failure in failed:
            self.stderr.write(f"{failure['email']}: {failure['problem']}")
        self.say(options, facts, f"Sent: {n_sent} of {len(messages)}.")
        if job.problems:
            raise CommandError("\n".join(job.problems))


def _what_consent_lacks(study: Study) -> str:
    """What the consent text does not say of a roster yet; empty if it does."""
    lacking = to_be_added(study, ROSTER)
    return f"{lacking.stored} {lacking.advice} {lacking.sentence}" if lacking else ""


def _why_shut(study: Study) -> str:
    """Why a link leads to no question now; empty if it does, or will when the draft is opened."""
    if study.state == Study.State.CLOSED:
        return f"{study.slug} is closed: the links let nobody in until it is opened again."
    if study.state == Study.State.PAUSED:
        return f"{study.slug} is paused: the links let nobody in until it is opened again."
    if study.state == Study.State.OPEN and not giving_way.has_room(study):
        return (
            f"{study.slug} is full: every place is taken, so the links let nobody new in until"
            " one becomes free or places are added."
        )
    return ""
