"""`manage.py baseline STUDY`: computes measures and the leaderboard in this process."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings as django_settings
from django.core.management.base import CommandError

from annotation.baselines.exports import further_tables
from annotation.baselines.queries import report_files
from annotation.baselines.services.baselines import parameters
from annotation.baselines.services.measure_uploads import upload
from annotation.baselines.services.report_options import TESTS, ReportOptions
from annotation.baselines.services.specifications import NO_STEMMER, WITH_MODELS
from annotation.basics.errors import AnnotationError
from annotation.core.services import jobs
from annotation.management.own_jobs import own_job
from annotation.management.studies import STUDY_HELP, ExplainedCommand, study_named
from annotation.management.written import named_values, source_of, write_file
from annotation.models import BaselineReport, Job, Study
from scoring.baselines import Specification
from scoring.baselines.lexical import LEXICAL
from scoring.baselines.specification import Setting
from scoring.neural.models import refuse_links
from scoring.neural.refusals import ModelError

EXAMPLES = """\
examples:
  manage.py baseline my-study
  manage.py baseline my-study --by domain,turns --tsv table.tsv --latex table.tex
  manage.py baseline my-study --model bi_encoder:sentence-transformers/LaBSE \\
    --model bi_encoder:sentence-transformers/LaBSE:context=front
  manage.py baseline my-study \\
    --model multiple_choice:org/name:style=giccs:likelihood=sum:with_dialogue=false
  manage.py baseline stss --people column:mean:sd=sd:n=32 --where 'calibration == "0"'"""


class Command(ExplainedCommand):
    help = (
        "Compute measures of a study's items, store their values, and correlate them with people's"
        " scores. Without --measure, all lexical measures are computed. Stored values are not"
        " computed again. The leaderboard is printed as TSV unless --tsv or --latex is given."
    )

    epilog = EXAMPLES

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help=STUDY_HELP)
        parser.add_argument(
            "--measure",
            action="append",
            default=[],
            choices=list(LEXICAL),
            help="a measure that needs no model; give the option once for each",
        )
        parser.add_argument(
            "--model",
            action="append",
            default=[],
            metavar="MEASURE:NAME[:SETTING=VALUE...]",
            help=f"a measure that needs a model ({', '.join(WITH_MODELS)}), the model and"
            " settings; the model is a folder below LIKENESS_MODELS or a name on the hub, word"
            " vectors are a file; give the option once for each",
        )
        parser.add_argument(
            "--values",
            type=Path,
            metavar="FILE",
            help="first store values that were computed elsewhere: a table (TSV or CSV) with a"
            " column id and one column per measure, which has the measure's name",
        )
        parser.add_argument(
            "--people",
            metavar="SOURCE",
            help="people's scores: result, phase:1 (mean ratings of phase 1), majority:1 (most"
            " frequent ratings of phase 1), or column:mean[:sd=COLUMN][:n=32] (default: the"
            " study's result)",
        )
        parser.add_argument(
            "--by",
            default="",
            metavar="NAME,...",
            help="also compute the leaderboard for subsets of the items, by domain, source, turns,"
            " pool, class, word_overlap, f1_zero (no word in common by SQuAD's F1) or columns of"
            " the imported file",
        )
        parser.add_argument(
            "--expression",
            default="",
            help="also compute the leaderboard for the items that meet this condition, and for the"
            " others",
        )
        parser.add_argument(
            "--where", default="", help="use only the items that meet this condition"
        )
        parser.add_argument(
            "--resamples",
            type=int,
            default=ReportOptions.n_resamples,
            metavar="N",
            help="resamples of the bootstrap (default: %(default)s)",
        )
        parser.add_argument(
            "--level",
            type=float,
            default=ReportOptions.level,
            help="confidence level of the intervals (default: %(default)s)",
        )
        parser.add_argument(
            "--test",
            choices=TESTS,
            default=ReportOptions.test,
            help="test of the difference between two measures (default: %(default)s)",
        )
        parser.add_argument(
            "--round",
            type=int,
            metavar="DECIMALS",
            help="round the measures before they are correlated (3 in the literature on STSS-131);"
            " pages and files then say so",
        )
        parser.add_argument("--tsv", metavar="FILE", help="write the leaderboard to this file")
        parser.add_argument(
            "--latex", metavar="FILE", help="write its table for a paper to this file"
        )
        parser.add_argument(
            "--tables",
            metavar="FOLDER",
            help="write further tables to this folder, each as TSV and LaTeX: kept comparisons,"
            " typical human, labels, measures by label, rankings within pools, multiple choice and"
            " its prompts, layers of BERTScore, trained models; the folder is created if it does"
            " not exist",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        specifications = [
            *map(Specification, options["measure"]),
            *map(_specification, options["model"]),
        ]
        _make_folder(options["tables"])
        if options["values"]:
            self._keep_values(study, options["values"])
        with own_job(self) as on_start:
            job = jobs.run_here(
                study=study,
                kind=Job.Kind.BASELINES,
                parameters=parameters(study, specifications, _report_options(options)),
                on_start=on_start,
            )
        self._say_no_stemmer(study, job)
        # Write the results even if some measures failed.
        report = job.reports.first()
        if report is not None:
            if options["latex"]:
                write_file(options["latex"], report_files.latex(report))
            if options["tsv"]:
                write_file(options["tsv"], report_files.tsv(report))
            elif not options["latex"]:
                self.stdout.write(report_files.tsv(report), ending="")
        if options["tables"]:
            for name in further_tables.NAMES:
                if table := further_tables.named(study, name, report):
                    write_file(f"{options['tables']}/{name}.tsv", table.tsv)
                    write_file(f"{options['tables']}/{name}.tex", table.latex)
        if job.state != Job.State.DONE:
            raise CommandError("\n".join(job.problems) or job.said)
        if report is not None:
            self._say_other_rounding(report)
        else:
            self.stderr.write(
                f"The values are stored. There is no leaderboard, because {study.slug} has no"
                " up-to-date scores from people. Run the command score, or name a column with"
                " --people.",
                style_func=str,
            )

    def _say_no_stemmer(self, study: Study, job: Job) -> None:
        wanted = {
            specification["measure"]: specification["settings"]
            for specification in job.parameters["specifications"]
        }
        if wanted.get("meteor", {}).get("stemmer") == NO_STEMMER:
            self.stderr.write(
                f"There is no stemmer for the language of {study.slug} ({study.language}), so"
                " METEOR matches only identical word forms.",
                style_func=str,
            )

    def _keep_values(self, study: Study, path: Path) -> None:
        try:
            with path.open("rb") as file:
                uploaded = upload(study=study, name="", file=file)
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}") from error
        except AnnotationError as error:
            raise CommandError(f"{path}: {error.message}") from error
        if uploaded.known:
            names = ", ".join(measure.name for measure in uploaded.known)
            self.stderr.write(f"Already stored with the same values: {names}.", style_func=str)

    def _say_other_rounding(self, report: BaselineReport) -> None:
        """Kept comparisons are computed from the newest leaderboard, however it was rounded."""
        earlier = report.study.baseline_reports.filter(pk__lt=report.pk).order_by("-pk").first()
        n_kept = len(report.parameters["comparisons"])
        now = report.figures.get("decimals")
        if earlier is None or not n_kept or earlier.figures.get("decimals") == now:
            return
        then = earlier.figures.get("decimals")
        of_then, of_now = (
            "not rounded" if decimals is None else f"rounded to {decimals} decimals"
            for decimals in (then, now)
        )
        self.stderr.write(
            f"The kept comparisons ({n_kept}) now use this leaderboard. Its measures are {of_now};"
            f" those of the previous leaderboard are {of_then}.",
            style_func=str,
        )


def _make_folder(name: str) -> None:
    """Before anything is computed: a place that cannot be written to is refused at once."""
    if not name:
        return
    try:
        Path(name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror}") from error


def _report_options(options: dict[str, Any]) -> ReportOptions:
    return ReportOptions(
        people=source_of(options["people"]) if options["people"] else None,
        by=tuple(name.strip() for name in options["by"].split(",") if name.strip()),
        expression=options["expression"],
        where=options["where"],
        n_resamples=options["resamples"],
        level=options["level"],
        test=options["test"],
        decimals=options["round"],
    )


def _specification(text: str) -> Specification:
    """Raises CommandError with what is wrong; whether there is such a setting is seen later."""
    measure, *rest = text.split(":")
    if measure not in WITH_MODELS:
        there = ", ".join(WITH_MODELS)
        raise CommandError(
            f"--model: {measure!r} is not a measure that needs a model; choose one of {there}"
        )
    if not rest or not rest[0]:
        raise CommandError(f"--model: {text!r} names no model; write {measure}:NAME")
    kinds = {option.key: option.kind for option in WITH_MODELS[measure].options}
    first = next(key for key, kind in kinds.items() if kind in {"model", "file"})
    settings: dict[str, Setting] = {first: rest[0]}
    for name, value in named_values(rest[1:], set(kinds), "--model").items():
        settings[name] = _setting(name, value, kinds[name])
    try:
        # Pages name no paths, but people who run commands may know the folder.
        refuse_links(rest[0], django_settings.MODELS)
    except ModelError as error:
        raise CommandError(f"--model: {error}") from error
    return Specification(measure, settings)


def _setting(name: str, value: str, kind: str) -> Setting:
    if kind == "flag":
        if value not in {"true", "false"}:
            raise CommandError(f"--model: {name} must be true or false, not {value!r}")
        return value == "true"
    if kind == "count":
        try:
            return int(value)
        except ValueError:
            raise CommandError(f"--model: {name} must be a whole number, not {value!r}") from None
    return value
