"""`manage.py compare_measures STUDY`: tests two correlations of the leaderboard."""

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandError

from annotation.baselines.queries import comparison_tables, leaderboards
from annotation.baselines.services import kept_comparisons
from annotation.baselines.services.report_options import TESTS
from annotation.core.exports.columns import columns_by_name, lines
from annotation.management.studies import StudyCommand, refusals
from annotation.models import BaselineReport
from scoring.baselines.questions import Question, StatedCorrelation
from scoring.measures.leaderboard import EVERYTHING

HUMAN = "typical-human"
EXAMPLES = """\
examples:
  manage.py compare_measures stss --first "chrF2" --second "SQuAD F1"
  manage.py compare_measures stss --first "chrF2" --second typical-human --keep
  manage.py compare_measures stss --first "chrF2" --value .636 --n 64 --name STASIS
  manage.py compare_measures stss --first typical-human --value .825"""


class Command(StudyCommand):
    help = (
        "Compare two Pearson correlations of a study's newest leaderboard: two measures, a measure"
        " and the typical human, or either and a correlation from elsewhere. Prints one row of TSV"
        " with the difference, its 95 % interval, the test and p. Without --first, it prints the"
        " comparisons that were kept."
    )

    epilog = EXAMPLES

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--first", metavar="NAME", help=f"a measure, or {HUMAN}")
        parser.add_argument("--second", metavar="NAME", help=f"a measure, or {HUMAN}")
        parser.add_argument(
            "--value", type=float, metavar="R", help="a correlation from elsewhere"
        )
        parser.add_argument(
            "--n",
            type=int,
            help="number of items behind --value, or of raters with --sd; without --n, the value"
            " is taken as exact",
        )
        parser.add_argument(
            "--sd",
            type=float,
            help="standard deviation of the raters' correlations, if --value is the mean of"
            " another group of raters",
        )
        parser.add_argument("--name", default="stated value", help="name of --value in the result")
        parser.add_argument(
            "--part", default=EVERYTHING, help="subset of the items (default: all)"
        )
        parser.add_argument(
            "--test", choices=TESTS, help="test for two measures (default: as in the leaderboard)"
        )
        parser.add_argument(
            "--keep",
            action="store_true",
            help="keep the result for the page, the downloads and releases",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.study_of(options)
        report = leaderboards.latest_report(study)
        if report is None:
            raise CommandError(
                f"{study.slug} has no leaderboard yet. Make one with manage.py baseline."
            )
        if options["first"] is None:
            self._print(options, comparison_tables.comparison_rows(report))
            return
        question = _question(options, report)
        with refusals():
            if options["keep"]:
                comparison = kept_comparisons.keep(report=report, question=question)
            else:
                comparison = kept_comparisons.answered(report, question)
        self._print(options, [comparison_tables.row_of(comparison, report)])

    def _print(self, options: dict[str, Any], rows: Sequence[dict[str, Any]]) -> None:
        columns = columns_by_name(comparison_tables.COLUMNS_OF_COMPARISONS)
        self.say(options, {"comparisons": rows}, "".join(lines(columns, rows)).rstrip("\n"))


def _question(options: dict[str, Any], report: BaselineReport) -> Question:
    if (options["second"] is None) == (options["value"] is None):
        raise CommandError("Give either --second or --value.")
    if options["value"] is None and (options["n"] is not None or options["sd"] is not None):
        raise CommandError("--n and --sd can only be used with --value.")
    second: str | StatedCorrelation | None = options["second"]
    if second is None:
        second = StatedCorrelation(options["name"], options["value"], options["n"], options["sd"])
    return Question(
        None if options["first"] == HUMAN else options["first"],
        None if second == HUMAN else second,
        options["part"],
        options["test"] or report.figures["test"],
    )
