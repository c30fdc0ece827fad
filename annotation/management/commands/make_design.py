"""`manage.py make_design STUDY`: draws tuples, or who rates what, and composes the booklets."""

import json
from argparse import ArgumentParser
from dataclasses import fields, replace
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import in_words
from annotation.core.services import jobs
from annotation.core.services.imported_rules import refuse_asking
from annotation.designs.services import designs
from annotation.kinds.design_parameters import DesignParameters, ImpossibleParametersError
from annotation.kinds.registry import KINDS, kind_of
from annotation.management.own_jobs import own_job
from annotation.management.studies import STUDY_HELP, study_named
from annotation.models import Job


class Command(BaseCommand):
    help = (
        "Make the design of a draft study and print its certificate. Parameters that are not given"
        " keep the values that the study has."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help=STUDY_HELP)
        parser.add_argument(
            "--json", action="store_true", help="print the whole certificate as JSON"
        )
        parser.add_argument(
            "--seed", type=int, help="seed (default: the present seed of the design)"
        )
        _add_options_of_kinds(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        design = study.design
        of_kind = kind_of(study).designs
        names = _names(of_kind.parameters)
        known = {name for kind in KINDS.values() for name in _names(kind.designs.parameters)}
        given = {name for name, value in options.items() if value is not None}
        if unfit := sorted(given & known - names):
            raise CommandError(
                f"{study.slug} has no parameter {unfit[0]}; its parameters are"
                f" {', '.join(sorted(names))}"
            )
        chosen = {name: options[name] for name in given & names}
        parameters = replace(of_kind.parameters.of(design), **chosen)
        try:
            refuse_asking(study)
            if not design.is_frozen:
                # Refused here, where the option to mend is known, rather than by the job.
                of_kind.refuse_impossible(study, parameters)
            design = designs.set_parameters(
                study=study,
                parameters=parameters,
                seed=design.seed if options["seed"] is None else options["seed"],
            )
        except ImpossibleParametersError as error:
            option = f"{of_kind.option_of(error.field)}: " if error.field else ""
            raise CommandError(f"{option}{error.message}") from error
        except AnnotationError as error:
            raise CommandError(error.message) from error
        with own_job(self) as on_start:
            job = jobs.run_here(study=study, kind=Job.Kind.MAKE_DESIGN, on_start=on_start)
        if job.state != Job.State.DONE:
            raise CommandError("\n".join(job.problems) or job.said)
        design = study.design
        if options["json"]:
            self.stdout.write(json.dumps(design.certificate, indent=1))
            return
        assert design.certificate is not None  # a made design has one
        for sentence in (
            *of_kind.certificate(design),
            *map(in_words, design.certificate["booklets"]["notes"]),
            *of_kind.command_notes(study, parameters),
        ):
            self.stdout.write(sentence)
        for warning in of_kind.command_warnings(study, parameters):
            self.stderr.write(warning)


def _add_options_of_kinds(parser: ArgumentParser) -> None:
    """Each option once, under the heading of the first kind that has it."""
    added: set[str] = set()
    for kind in KINDS.values():
        options = {k: v for k, v in kind.designs.options.items() if k not in added}
        title = kind.designs.options_title
        group = parser.add_argument_group(title) if title and options else parser
        for name, arguments in options.items():
            group.add_argument(name, **arguments)
        added |= options.keys()


def _names(parameters: type[DesignParameters]) -> set[str]:
    return {field.name for field in fields(parameters)}
