"""`manage.py plan STUDY`: estimates how reliable a study will be and what it will cost."""

from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError

from annotation.designs.queries.prices import PricedForecast, priced
from annotation.kinds.queries.forecast_rows import Alternative
from annotation.kinds.registry import kind_of
from annotation.management.studies import StudyCommand, refusals


class Command(StudyCommand):
    help = (
        "Estimate reliability, hours, people and costs by simulating studies with the parameters"
        " of the design."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="an assumption, such as noise=0.4; a wrong name lists all names. Give the option"
            " once for each assumption",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = self.study_of(options)
        plan_form = kind_of(study).designs.plan_form
        if plan_form is None:
            raise CommandError(str(kind_of(study).designs.no_forecast))
        data = {name: str(value) for name, value in plan_form.usual(study).items()}
        for given in options["set"]:
            name, is_set, value = given.partition("=")
            if not is_set or name not in data:
                names = ", ".join(data)
                raise CommandError(f"--set: write NAME=VALUE, where NAME is one of {names}")
            data[name] = value
        form = plan_form(study, [], data)
        if not form.is_valid():
            name, errors = next(iter(form.errors.items()))
            raise CommandError(f"{name}: {errors[0]}")
        with refusals():
            forecast = priced(study, form.forecast(), **form.pay)
            alternatives = form.alternatives()
        facts = {
            "study": study.slug,
            "supposed": data,
            "enough": forecast.enough,
            "reward": str(forecast.reward),
            "currency": data["currency"],
            "figure": forecast.words.figure,
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
                for row in forecast.rows
            ],
            "alternatives": [asdict(design) for design in alternatives],
        }
        self.say(options, facts, "\n".join(_lines(forecast, alternatives, data["currency"])))


_COLUMNS = ("from", "to", "hours", "people")


def _lines(
    forecast: PricedForecast, alternatives: Sequence[Alternative], currency: str
) -> list[str]:
    prices = [f"{cost.name}, {currency}" for cost in forecast.rows[0].costs]
    lines = ["\t".join([forecast.words.per, forecast.words.figure, *_COLUMNS, *prices])]
    for row in forecast.rows:
        figures = ["" if x is None else f"{x:.3f}" for x in (row.value, row.low, row.high)]
        hours, people = f"{row.hours:.1f}", str(row.n_people)
        totals = [str(cost.total) for cost in row.costs]
        lines.append("\t".join([str(row.n), *figures, hours, people, *totals]))
    lines += _lines_of_alternatives(alternatives)
    lines.append(
        f"Costs: {forecast.reward} {currency} for each booklet, if everybody is paid; first"
        " without fees, then with the usual fees of each platform."
    )
    return lines


def _lines_of_alternatives(alternatives: Sequence[Alternative]) -> list[str]:
    if not alternatives:
        return []
    lines = ["", "\t".join(["k", "factor", "tuples", "answers per tuple", "answers", "hours"])]
    for design in alternatives:
        figures = (design.tuple_size, design.factor, design.n_tuples)
        needed = (design.n_each, design.n_answers, design.hours and f"{design.hours:.1f}")
        lines.append("\t".join("" if x is None else f"{x}" for x in (*figures, *needed)))
    return [*lines, ""]
