"""`manage.py release STUDY`: makes the next numbered snapshot of a study in this process."""

import json
from argparse import ArgumentParser, BooleanOptionalAction
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from annotation.kinds.exports.options import ExportOptions
from annotation.management.own_jobs import own_job
from annotation.management.studies import STUDY_HELP, ExplainedCommand, study_named
from annotation.models import Job, Study
from annotation.releases.queries import releases as queries
from annotation.releases.release_description import Description, DescriptionError
from annotation.releases.services import releases
from scoring.ratings.context_effects import ChosenTest

FIELDS = """\
fields of the description, an object in JSON:
  authors      a list of objects with name, affiliation and orcid; required
  title        of the data set (default: the study's title)
  summary, url, doi, funding, contact
               texts
  licence      an SPDX identifier, such as CC-BY-4.0
  keywords     a list of texts
  datasheet    an object with your answers by the keys of the questions
  exact_times  true: times to the millisecond; false (default): dates. There is no
               option for this
  comments     true: as with --comments (default: false)
  metadata     true or false: as with --metadata or --no-metadata, which override it"""


class Command(ExplainedCommand):
    help = (
        "Make the next release of a study: a numbered copy with a change log, which never changes."
    )
    epilog = FIELDS

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help=STUDY_HELP)
        parser.add_argument("--notes", default="", help="what changed, in your own words")
        parser.add_argument(
            "--description",
            type=Path,
            metavar="FILE.json",
            help="description of the release, with the fields below (default: that of the last"
            " release, with dates instead of exact times and without comments; for the first one,"
            " the study's title and its owner's name)",
        )
        parser.add_argument(
            "--comments",
            action="store_true",
            help="publish the annotators' comments word for word (default: as in the file of the"
            " description, otherwise the column is empty)",
        )
        parser.add_argument(
            "--metadata",
            action=BooleanOptionalAction,
            help="publish the columns of the imported file that annotators did not see (default:"
            " as in the file of the description, otherwise as in the last release; the first one"
            " leaves them out)",
        )
        parser.add_argument(
            "--by", help="user name of the person who makes it (default: the study's owner)"
        )
        parser.add_argument(
            "--context-sentences",
            type=int,
            metavar="N",
            help="for rating and label studies: turns to show before and after the item in the"
            " test files (default: as in the last release)",
        )
        parser.add_argument(
            "--test",
            choices=get_args(ChosenTest),
            help="for rating studies: t-test of the effect of context (default: as in the last"
            " release; for the first one, auto, the test of the latest result)",
        )
        parser.add_argument(
            "--level",
            type=float,
            help="for rating studies: significance level (default: as in the last release)",
        )
        parser.add_argument(
            "--corrected",
            action=BooleanOptionalAction,
            help="for rating studies: use p-values with the Benjamini-Hochberg correction"
            " (default: as in the last release)",
        )
        parser.add_argument("--json", action="store_true", help="print the release as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        by = study.owner
        if options["by"]:
            named = User.objects.filter(username=options["by"]).first()
            if named is None:
                raise CommandError(f"There is no user {options['by']!r}.")
            by = named
        last = queries.latest(study)
        of_files = dict(last.options) if last else {}
        chosen = {name: options[name] for name in ExportOptions().as_dict()}
        of_files |= {name: value for name, value in chosen.items() if value is not None}
        with own_job(self) as on_start:
            job = releases.make_here(
                study=study,
                description=_description(study, options),
                notes=options["notes"],
                options=ExportOptions.of(of_files),
                by=by,
                on_start=on_start,
            )
        if job.state != Job.State.DONE:
            raise CommandError("\n".join(job.problems) or job.said)
        made = job.release
        if options["json"]:
            self.stdout.write(json.dumps(queries.described(made), ensure_ascii=False))
            return
        self.stdout.write(f"release {made.number}: {releases.path(made)}")
        for line in queries.change_log(made)[0].lines:
            self.stdout.write(f"- {line}")


def _description(study: Study, options: dict[str, Any]) -> Description:
    file, metadata = options["description"], options["metadata"]
    described = _usual(study) if file is None else _described_in(study, file)
    return replace(
        described,
        comments=options["comments"] or described.comments,
        metadata=described.metadata if metadata is None else metadata,
    )


def _usual(study: Study) -> Description:
    try:
        return queries.usual_description(study)
    except DescriptionError as error:
        raise CommandError(
            f"{error.message} Describe the release in a file (--description FILE.json), or give"
            f" {study.owner.username} a first and a last name on the page of accounts."
        ) from error


def _described_in(study: Study, file: Path) -> Description:
    try:
        given = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror}") from error
    except ValueError as error:
        raise CommandError(f"{file} is not valid JSON: {error}") from error
    if not isinstance(given, dict):
        raise CommandError(f'{file}: write an object, such as {{"title": "…", "authors": […]}}')
    last = queries.latest(study)
    metadata = last is not None and Description.of_release(last).metadata
    return Description.of({"title": study.title, "metadata": metadata, **given})
