"""`manage.py lexical STUDY`: computes lengths and diversity of its texts in this process."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.basics.errors import AnnotationError
from annotation.items.exports import lexical as files
from annotation.items.exports.lexical_methods import lexical_tex
from annotation.items.queries import lexical as queries
from annotation.items.services import lexical as services
from annotation.management.studies import STUDY_HELP, study_named
from annotation.management.written import write_file
from annotation.models import Job


class Command(BaseCommand):
    help = (
        "Compute lexical statistics of a study's texts by source and number of turns: turns,"
        " tokens, lemmas, RTTR, MTLD. They are stored for the Items page and for releases. The"
        " table is printed as TSV unless --tsv or --latex is given."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help=STUDY_HELP)
        parser.add_argument("--tsv", metavar="FILE", help="write the table to this file")
        parser.add_argument(
            "--latex", metavar="FILE", help="write its tables for a paper to this file"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        figures = queries.current(study)
        if figures is None:
            try:
                job = services.compute_here(study=study)
            except AnnotationError as error:
                raise CommandError(error.message) from error
            if job.state != Job.State.DONE:
                raise CommandError("\n".join(job.problems) or job.said)
            figures = queries.stored(job)
        if options["latex"]:
            write_file(options["latex"], lexical_tex(figures))
        if options["tsv"]:
            write_file(options["tsv"], files.tsv(figures))
        elif not options["latex"]:
            self.stdout.write(files.tsv(figures), ending="")
        if not figures["lemma_source"]:
            self.stderr.write(
                "There are no lemmas, because simplemma has no dictionary for"
                f" {study.language!r}.",
                style_func=str,
            )
