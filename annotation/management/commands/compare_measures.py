"""`manage.py compare_measures STUDY`: two correlations of its leaderboard, tested."""

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
        " and the typical human, or either and a correlation from elsewhere. Prints a row of TSV"
        " with the difference, its 95 % interval, the test and p; without --first those that are"
        " kept."
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
            help="its items, or with --sd its raters; without --n, it is taken as exact",
        )
        parser.add_argument(
            "--sd",
            type=float,
            help="of another group of raters, if --value is their mean correlation",
        )
        parser.add_argument("--name", default="stated value", help="what --value is of")
        parser.add_argument("--part", default=EVERYTHING, help="of the items (default: all)")
        parser.add_argument(
            "--test", choices=TESTS, help="of two measures (default: the leaderboard's)"
        )
        parser.add_argument(
            "--keep", action="store_true", help="for the page, the downloads and releases"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.study_of(options)
        report = leaderboards.latest_report(study)
        if report is None:
            raise CommandError(
                f"{study.slug} has no leaderboard yet: manage.py baseline makes it."
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
        raise CommandError("Give --second or --value, one of them.")
    if options["value"] is None and (options["n"] is not None or options["sd"] is not None):
        raise CommandError("--n and --sd belong to --value.")
    second: str | StatedCorrelation | None = options["second"]
    if second is None:
        second = StatedCorrelation(options["name"], options["value"], options["n"], options["sd"])
    return Question(
        None if options["first"] == HUMAN else options["first"],
        None if second == HUMAN else second,
        options["part"],
        options["test"] or report.figures["test"],
    )
