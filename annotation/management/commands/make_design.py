"""Draw a draft study's tuples, or who rates what, and compose its booklets."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from dataclasses import fields, replace
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import in_words
from annotation.core.services import jobs
from annotation.core.services.imported_rules import refuse_asking
from annotation.designs.queries import any_plan
from annotation.designs.services import designs
from annotation.kinds.best_worst.queries import certificates
from annotation.kinds.design_parameters import (
    ARRANGEMENTS,
    REPEATS_FROM,
    AnyParameters,
    BestWorstParameters,
    ImpossibleParametersError,
    PhaseParameters,
    RatingParameters,
    SelectionParameters,
)
from annotation.kinds.rating.queries import plans as rating_plans
from annotation.kinds.services import recognition
from annotation.management.own_jobs import own_job
from annotation.management.studies import study_named
from annotation.models import Job, Phase
from annotation.models.kinds import QuestionKind

_KINDS: dict[QuestionKind, type[AnyParameters]] = {
    QuestionKind.BEST_WORST: BestWorstParameters,
    QuestionKind.RATING: RatingParameters,
    QuestionKind.LABEL: RatingParameters,
    QuestionKind.SELECTION: SelectionParameters,
}


class Command(BaseCommand):
    help = "Make the design of a draft study and print its certificate."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's short name (slug)")
        parser.add_argument("--json", action="store_true", help="the whole certificate as JSON")
        parser.add_argument("--seed", type=int, help="default: the one the study has")
        parser.add_argument("--tuple-size", type=int)
        parser.add_argument("--factor", type=float)
        parser.add_argument("--annotations-per-tuple", type=int)
        parser.add_argument("--questions-per-screen", type=int)
        parser.add_argument("--screens-per-booklet", type=int)
        parser.add_argument(
            "--checks",
            type=int,
            dest="n_checks",
            metavar="N",
            help="loud and silent checks in each booklet; default: all",
        )
        ratings = parser.add_argument_group("of a rating study, or of one with labels")
        ratings.add_argument("--ratings-per-item", type=int)
        ratings.add_argument("--items-per-booklet", type=int)
        ratings.add_argument("--arrangement", choices=sorted(ARRANGEMENTS))
        ratings.add_argument("--teams", type=int, dest="n_teams")
        ratings.add_argument(
            "--calibration", nargs="*", metavar="ID", help="asked first; ratings only"
        )
        ratings.add_argument("--repeats", type=int, dest="n_repeats")
        ratings.add_argument("--repeat-from", choices=sorted(REPEATS_FROM))
        ratings.add_argument("--repeat-distance", type=int)
        ratings.add_argument(
            "--phase",
            action="append",
            type=_phase,
            dest="phases",
            metavar="CONDITION[:HOURS[:DAYS]]",
            help="once for each phase: context_free or context_dependent, the hours after the"
            " earlier one before it opens, and the days after which it closes",
        )

        selections = parser.add_argument_group("of a selection study")
        selections.add_argument("--incidents-per-booklet", type=int)
        selections.add_argument("--people-per-incident", type=int)

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        design = study.design
        kind = _KINDS[QuestionKind(study.kind)]
        known = {name for each in _KINDS.values() for name in _names(each)}
        given = {name for name, value in options.items() if value is not None}
        if unfit := sorted(given & known - _names(kind)):
            raise CommandError(
                f"{study.slug} is no study that has {unfit[0]}: its numbers are"
                f" {', '.join(sorted(_names(kind)))}"
            )
        chosen = {name: options[name] for name in given & _names(kind)}
        parameters = replace(kind.of(design), **chosen)
        try:
            refuse_asking(study)
            if not design.is_frozen:
                # Refused here, where the option to mend is known, rather than by the job.
                any_plan.plan_of(study, parameters)
            design = designs.set_parameters(
                study=study,
                parameters=parameters,
                seed=design.seed if options["seed"] is None else options["seed"],
            )
        except ImpossibleParametersError as error:
            field = any_plan.field_at_fault(study, parameters, error)
            message = f"{_option(field)}: {error.message}" if field else error.message
            raise CommandError(message) from error
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
            *certificates.of_design(design),
            *map(in_words, design.certificate["booklets"]["notes"]),
        ):
            self.stdout.write(sentence)
        if isinstance(parameters, RatingParameters):
            for warning in rating_plans.scored_known_answers(study, parameters):
                self.stderr.write(f"{warning} Name calibration items by --calibration.")
        if (
            isinstance(parameters, RatingParameters)
            and parameters.n_repeats
            and parameters.repeat_from == "earlier_round"
        ):
            found = recognition.repeaters(study, but=parameters.calibration)
            self.stdout.write(
                f"People who can repeat what they rated in the earlier round: {found.n_known};"
                f" on the roster: {found.n_known_here}. Everybody else repeats items of this"
                " study."
            )


def _names(kind: type[AnyParameters] | type[PhaseParameters]) -> set[str]:
    return {field.name for field in fields(kind)}


def _option(field: str) -> str:
    """The option that sets a number of the design."""
    if field == "phases" or field in _names(PhaseParameters):
        return "--phase"
    return f"--{field.removeprefix('n_').replace('_', '-')}"


def _phase(text: str) -> PhaseParameters:
    """Read "context_dependent:72:14"; what is left out is the usual."""
    condition, *numbers = text.split(":")
    if condition not in Phase.Condition.values or len(numbers) > 2:
        raise ArgumentTypeError(
            f"{text!r} is no phase: write context_free, or context_dependent:72:14"
        )
    try:
        values = [float(number) for number in numbers]
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r}: hours and days must be numbers") from error
    return PhaseParameters(condition, *values)
