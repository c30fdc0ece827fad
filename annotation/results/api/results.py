"""Results as jobs stored them, and the score of each item."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, get_args

from django.http import HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.response import Response

from annotation.basics import tables
from annotation.basics.cells import Cell, as_json
from annotation.core.api.jobs import JobSerializer, started
from annotation.core.api.operations import ApiCall, ApiView, operation, paged, paged_of
from annotation.core.api.serializing import PageQuery, PopulationQuery, Strict, Values
from annotation.core.queries import counted_answers
from annotation.core.queries.counted_answers import POPULATIONS
from annotation.kinds.contract.results import ResultsPart
from annotation.kinds.registry import kind_of
from annotation.kinds.scoring_options import ContextTest
from annotation.models import Result, Study
from annotation.results.pages.results import latest
from annotation.results.queries.outdated import since_each
from annotation.results.services import scoring

_TSV = "text/tab-separated-values"


class ResultSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    kind = serializers.CharField()
    population = serializers.ChoiceField(choices=POPULATIONS)
    computed_at = serializers.DateTimeField()
    code_version = serializers.CharField()
    n_judgments = serializers.IntegerField(help_text="Of how many it was computed.")
    is_current = serializers.BooleanField(help_text="Whether the same answers count now.")
    changed = serializers.CharField(help_text="What has changed since; empty: nothing.")


class WholeResultSerializer(ResultSerializer):
    parameters = serializers.DictField()
    statistics = serializers.DictField(help_text="As study.json of an export has them.")


class ResultsQuery(PageQuery):
    population = serializers.ChoiceField(choices=POPULATIONS, required=False)


class WantedScoringSerializer(Strict):
    population = serializers.ChoiceField(choices=POPULATIONS, default="people")
    # Of rating studies without and with context; what is left out is as in the latest result.
    test = serializers.ChoiceField(
        choices=get_args(ContextTest), required=False, help_text="Of the effect of context."
    )
    margin = serializers.FloatField(
        required=False,
        allow_null=True,
        help_text="Smallest effect that matters, in points of the scale; null: none.",
    )


class ResultList(ApiView):
    @operation(
        "results_list",
        query=ResultsQuery,
        answers={200: paged_of(ResultSerializer)},
        tag="results",
    )
    def get(self, call: ApiCall) -> Response:
        """What was computed of the study, the latest first."""
        rows = call.study.results.select_related("design__study").order_by("-pk")
        if "population" in call.query:
            rows = rows.filter(population=call.query["population"])
        return paged(call, rows, lambda page: ResultSerializer(_metas(list(page)), many=True).data)

    @operation(
        "results_score", body=WantedScoringSerializer, answers={202: JobSerializer}, tag="results"
    )
    def post(self, call: ApiCall) -> Response:
        """Score the answers that count now, in the background."""
        population = call.body["population"]
        job = scoring.request(study=call.study, by=call.user, **call.body)
        return started(call, job, scoring.STARTED[population])


class ResultDetail(ApiView):
    @operation("results_read", answers={200: WholeResultSerializer}, tag="results")
    def get(self, call: ApiCall, **ids: Any) -> Response:
        """One result with its statistics."""
        result = get_object_or_404(
            call.study.results.select_related("design__study"), pk=ids["result_id"]
        )
        whole = {
            **_metas([result])[0],
            "parameters": result.parameters,
            "statistics": result.statistics,
        }
        return Response(WholeResultSerializer(whole).data)


def _metas(results: Sequence[Result]) -> list[Values]:
    """What is said of results, in a number of queries that does not grow with them."""
    populations: list[counted_answers.Population] = [
        "simulated" if result.population == "simulated" else "people" for result in results
    ]
    changes = map(str, since_each(list(zip(results, populations, strict=True))))
    return [
        {
            "id": result.pk,
            "kind": result.kind,
            "population": population,
            "computed_at": result.computed_at,
            "code_version": result.code_version,
            "n_judgments": result.n_judgments,
            "is_current": not changed,
            "changed": changed,
        }
        for result, population, changed in zip(results, populations, changes, strict=True)
    ]


# -- Scores -------------------------------------------------------------------------------------


class PhaseOfItemSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    condition = serializers.CharField()
    n = serializers.IntegerField(help_text="Answers that count.")
    mean = serializers.FloatField(allow_null=True, required=False)
    sd = serializers.FloatField(allow_null=True, required=False)
    adjudicated = serializers.FloatField(allow_null=True, required=False)
    final = serializers.FloatField(allow_null=True, required=False)
    counts = serializers.DictField(child=serializers.IntegerField(), required=False)
    share = serializers.FloatField(allow_null=True, required=False)
    labels = serializers.ListField(child=serializers.CharField(), required=False)
    adjudicated_labels = serializers.ListField(child=serializers.CharField(), required=False)
    is_tied = serializers.BooleanField(required=False)


class ScoreSerializer(serializers.Serializer[Any]):
    id = serializers.CharField(help_text="Of the item.")
    number = serializers.IntegerField()
    score = serializers.FloatField(
        allow_null=True, required=False, help_text="In [-1, 1]; null: it was never shown."
    )
    rescaled = serializers.FloatField(allow_null=True, required=False, help_text="In [0, 1].")
    low = serializers.FloatField(allow_null=True, required=False)
    high = serializers.FloatField(allow_null=True, required=False)
    standard_error = serializers.FloatField(allow_null=True, required=False)
    utility = serializers.FloatField(allow_null=True, required=False)
    utility_error = serializers.FloatField(allow_null=True, required=False)
    appearances = serializers.IntegerField(required=False)
    best = serializers.IntegerField(required=False)
    worst = serializers.IntegerField(required=False)
    phases = PhaseOfItemSerializer(
        many=True, required=False, help_text="Of items that are rated or labelled."
    )


class PageOfScoresSerializer(serializers.Serializer[Any]):
    count = serializers.IntegerField(help_text="On all pages together.")
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    result = ResultSerializer(allow_null=True, help_text="The latest; null: not scored yet.")
    results = ScoreSerializer(many=True)


class ScoresQuery(PageQuery, PopulationQuery):
    type = serializers.ChoiceField(
        choices=["json", "tsv"], default="json", help_text="A page, or all items as a table."
    )


class Scores(ApiView):
    @operation(
        "scores_list",
        query=ScoresQuery,
        answers={
            (200, "application/json"): PageOfScoresSerializer,
            (200, _TSV): OpenApiTypes.STR,
        },
        tag="results",
    )
    def get(self, call: ApiCall) -> HttpResponseBase:
        """The score of each item: in a best-worst study, of the latest result.

        Means of ratings and labels are those of the answers that count now.
        """
        study, population = call.study, call.query["population"]
        result = latest(study, population)
        kind = kind_of(study)
        scores = kind.results.item_scores(study, population, result)
        if call.query["type"] == "tsv":
            call.hand_out(_file_name(study, population))
            return StreamingHttpResponse(
                _table(kind.results, scores.all()), content_type=f"{_TSV}; charset=utf-8"
            )
        return paged(
            call,
            scores,
            lambda page: ScoreSerializer(page, many=True).data,
            result=ResultSerializer(_metas([result])[0]).data if result else None,
        )


def _file_name(study: Study, population: str) -> str:
    parts = [study.slug, *(["simulated"] if population == "simulated" else []), "scores.tsv"]
    return "-".join(parts)


def _table(results: ResultsPart, rows: Iterator[Values]) -> Iterator[str]:
    """A line an item; where answers count by phase, a line for each of its phases."""
    names = results.score_names
    if not results.counts_phases:
        header: list[Cell] = ["id", "number", *names]
        cells = ([row[str(name)] for name in header] for row in rows)
        return tables.lines(chain([header], cells))
    header = ["id", "number", "phase", "condition", *names]
    of_phases = (
        {**phase, "id": row["id"], "number": row["number"], "phase": phase["number"]}
        for row in rows
        for phase in row["phases"]
    )
    cells = ([_cell(row[str(name)]) for name in header] for row in of_phases)
    return tables.lines(chain([header], cells))


def _cell(value: Any) -> Cell:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, list | dict):
        return as_json(value)
    cell: Cell = value
    return cell
