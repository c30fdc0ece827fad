"""`manage.py plan STUDY`: what a study may be expected to find and to cost."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from annotation.designs.forms.planning import FORMS, usual
from annotation.designs.queries import any_forecast
from annotation.kinds.queries.forecast_rows import Forecasted
from annotation.management.studies import StudyCommand, refusals


class Command(StudyCommand):
    help = "Simulate studies with a design's numbers: reliability, hours, people and costs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="what is supposed, by the names of the planner's form, such as noise=0.4",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.study_of(options)
        if study.kind not in FORMS:
            raise CommandError("What people select has no reliability that could be forecast.")
        data = {name: str(value) for name, value in usual(study).items()}
        for given in options["set"]:
            name, is_set, value = given.partition("=")
            if not is_set or name not in data:
                raise CommandError(f"--set: write one of {', '.join(data)}, as in noise=0.4")
            data[name] = value
        form = FORMS[study.kind](study, [], data)
        if not form.is_valid():
            name, errors = next(iter(form.errors.items()))
            raise CommandError(f"{name}: {errors[0]}")
        with refusals():
            found = any_forecast.forecast_of(study, form.asked())
        facts = {
            "study": study.slug,
            "supposed": data,
            "enough": found.enough,
            "reward": str(found.reward),
            "currency": data["currency"],
            "figure": found.words.figure,
            "rows": [
                {
                    "n": row.n,
                    "value": row.value,
                    "low": row.low,
                    "high": row.high,
                    "answers": row.n_answers,
                    "hours": row.hours,
                    "people": row.n_people,
                    "costs": {cost.name: str(cost.total) for cost in row.costs},
                }
                for row in found.rows
            ],
        }
        self.say(options, facts, "\n".join(_lines(found, data["currency"])))


_COLUMNS = ("from", "to", "hours", "people")


def _lines(found: Forecasted, currency: str) -> list[str]:
    prices = [f"{cost.name}, {currency}" for cost in found.rows[0].costs]
    lines = ["\t".join([found.words.per, found.words.figure, *_COLUMNS, *prices])]
    for row in found.rows:
        figures = ["" if x is None else f"{x:.3f}" for x in (row.value, row.low, row.high)]
        hours, people = f"{row.hours:.1f}", str(row.n_people)
        totals = [str(cost.total) for cost in row.costs]
        lines.append("\t".join([str(row.n), *figures, hours, people, *totals]))
    lines.append(
        f"Costs: {found.reward} {currency} for each booklet, if everybody is paid; behind them"
        " with the usual fees of each platform."
    )
    return lines
