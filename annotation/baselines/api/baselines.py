"""Measures beside what people said: asked for, uploaded, read, and the leaderboard."""

import io
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.response import Response

from annotation.baselines.pages.job_pages import STARTED
from annotation.baselines.queries import leaderboards, measures
from annotation.baselines.queries.measure_figures import with_current_figures
from annotation.baselines.services import baselines, measure_uploads
from annotation.baselines.services.report_options import MAX_RESAMPLES, TESTS, ReportOptions
from annotation.baselines.services.specifications import WITH_MODELS
from annotation.basics.errors import StateError
from annotation.basics.sentences import sentence as _
from annotation.core.api.jobs import JobSerializer, started
from annotation.core.api.operations import ApiCall, ApiView, FileView, operation, paged, paged_of
from annotation.core.api.serializing import PageQuery, Strict, Values
from annotation.core.exports.columns import Column, lines
from annotation.core.services.model_process import OF_ALL_STUDIES
from annotation.items.imports.problems import json_problem
from annotation.models import Baseline
from scoring.baselines import Specification
from scoring.baselines.expression import MAX_EXPRESSION_LENGTH
from scoring.baselines.lexical import LEXICAL
from scoring.decimals import MAX_DECIMALS

_TSV = "text/tab-separated-values"


class BaselineSerializer(serializers.ModelSerializer[Baseline]):
    settings = serializers.DictField()
    figures = serializers.DictField(help_text="Beside the values, such as an accuracy.")

    class Meta:
        model = Baseline
        fields = [
            "id",
            "name",
            "measure",
            "settings",
            "revision",
            "n_items",
            "n_missing",
            "figures",
            "device",
            "seconds",
            "computed_at",
            "code_version",
        ]
        read_only_fields = fields

    def to_representation(self, baseline: Baseline) -> Any:
        shown = super().to_representation(*with_current_figures([baseline]))
        figures = shown["figures"].items()
        shown["figures"] = {name: figure for name, figure in figures if name not in OF_ALL_STUDIES}
        return shown


class MeasureSerializer(Strict):
    measure = serializers.ChoiceField(choices=[*LEXICAL, *WITH_MODELS])
    settings = serializers.DictField(
        required=False,
        child=serializers.JSONField(),
        help_text="As the measure has them: texts, numbers, yes or no. Without one METEOR has the"
        " stemmer of the study's language, and matches words exactly where there is none.",
    )

    def validate_settings(self, settings: Values) -> Values:
        for name, value in settings.items():
            problem = json_problem([name, value])
            if not isinstance(value, str | int | float | bool):
                problem = _("%(field)s: give a text, a number, true or false")
            if problem:
                raise serializers.ValidationError(str(problem % {"field": name[:100]}))
        return settings


class PeopleSourceSerializer(Strict):
    kind = serializers.ChoiceField(choices=["result", "column"])
    phase = serializers.IntegerField(allow_null=True, default=None, min_value=1, max_value=100)
    name = serializers.CharField(default="", allow_blank=True, max_length=200)
    deviation = serializers.CharField(default="", allow_blank=True, max_length=200)
    n = serializers.IntegerField(allow_null=True, default=None)
    by = serializers.ChoiceField(
        choices=["mean", "majority"],
        default="mean",
        help_text="Of ratings: their mean, or the most frequent one.",
    )


class WantedMeasuresSerializer(Strict):
    measures = MeasureSerializer(  # type: ignore[call-arg] # of the list, as DRF takes it
        many=True, required=False, max_length=50
    )
    people = PeopleSourceSerializer(
        required=False, help_text="Whose scores; left out: the study's own, if there are some."
    )
    by = serializers.ListField(
        child=serializers.CharField(max_length=200), required=False, max_length=20
    )
    expression = serializers.CharField(
        required=False, allow_blank=True, max_length=MAX_EXPRESSION_LENGTH
    )
    where = serializers.CharField(
        required=False, allow_blank=True, max_length=MAX_EXPRESSION_LENGTH
    )
    n_resamples = serializers.IntegerField(required=False, min_value=0, max_value=MAX_RESAMPLES)
    level = serializers.FloatField(required=False)
    test = serializers.ChoiceField(choices=TESTS, required=False)
    decimals = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=MAX_DECIMALS,
        help_text="Measures are rounded to so many first; null: they are not rounded.",
    )


class BaselineList(ApiView):
    @operation(
        "baselines_list",
        query=PageQuery,
        answers={200: paged_of(BaselineSerializer)},
        tag="baselines",
    )
    def get(self, call: ApiCall) -> Response:
        """The measures that there are, computed here or uploaded."""
        rows = call.study.baselines.defer("values").order_by("pk")
        return paged(call, rows, lambda page: BaselineSerializer(page, many=True).data)

    @operation(
        "baselines_compute",
        body=WantedMeasuresSerializer,
        answers={202: JobSerializer},
        tag="baselines",
    )
    def post(self, call: ApiCall) -> Response:
        """Compute measures and the leaderboard, in the background."""
        options = dict(call.body)
        wanted = options.pop("measures", [])
        if people := options.pop("people", None):
            options["people"] = _source(people)
        job = baselines.request(
            study=call.study,
            specifications=[
                Specification(measure["measure"], measure.get("settings", {}))
                for measure in wanted
            ],
            options=ReportOptions.of_json(options),
            by=call.user,
        )
        return started(call, job, STARTED)


def _source(people: Values) -> Values:
    if people["kind"] == "result":
        return {"from": "result", "phase": people["phase"], "by": people["by"]}
    return {"from": "column", **{name: people[name] for name in ("name", "deviation", "n")}}


class UploadedScoresSerializer(Strict):
    file = serializers.FileField(
        allow_empty_file=True, help_text="A table of item ids and scores (TSV or CSV)."
    )
    name = serializers.CharField(
        default="", allow_blank=True, max_length=100, help_text="Of the measure."
    )


class UploadedSerializer(serializers.Serializer[Any]):
    baselines = BaselineSerializer(many=True)


class BaselineUpload(FileView):
    @operation(
        "baselines_upload",
        body=UploadedScoresSerializer,
        answers={201: UploadedSerializer},
        tag="baselines",
    )
    def post(self, call: ApiCall) -> Response:
        """Keep the scores of a model that runs elsewhere; what is there already stays."""
        file: UploadedFile[Any] = call.body["file"]
        uploaded = measure_uploads.upload(
            study=call.study,
            name=call.body["name"],
            file=io.BytesIO(file.read()),
            by=call.user,
        )
        if uploaded.made:
            call.log(
                _("Saved the scores of %(name)s. Compute the leaderboard again to include them.")
                % {"name": ", ".join(baseline.name for baseline in uploaded.made)}
            )
        all_of_them = [*uploaded.made, *uploaded.known]
        return Response(UploadedSerializer({"baselines": all_of_them}).data, status=201)


class BaselineDetail(ApiView):
    @operation("baselines_read", answers={200: BaselineSerializer}, tag="baselines")
    def get(self, call: ApiCall, **ids: Any) -> Response:
        """One measure, without its values."""
        baseline = get_object_or_404(call.study.baselines.defer("values"), pk=ids["baseline_id"])
        return Response(BaselineSerializer(baseline).data)

    @operation("baselines_remove", answers={204: None}, tag="baselines")
    def delete(self, call: ApiCall, **ids: Any) -> Response:
        """Delete a measure's values; the leaderboard keeps its row until it is computed anew."""
        baseline = get_object_or_404(call.study.baselines, pk=ids["baseline_id"])
        name = baseline.name
        baselines.remove(baseline=baseline)
        call.log(_("Removed the measure %(name)s.") % {"name": name})
        return Response(status=204)


class BaselineValues(ApiView):
    @operation(
        "baselines_values",
        answers={(200, _TSV): OpenApiTypes.STR},
        refuses=(409,),
        tag="baselines",
    )
    def get(self, call: ApiCall, **ids: Any) -> StreamingHttpResponse:
        """The value of each item, as a table; empty where the measure has none."""
        study = call.study
        baseline = get_object_or_404(study.baselines, pk=ids["baseline_id"])
        values = measures.of_baseline(study, baseline).values
        keys = study.items.without_checks().order_by("number").values_list("key", flat=True)
        columns = [
            Column("id", "of the item", lambda key: key),
            Column("value", "of the measure", values.get),
        ]
        call.hand_out(f"{baseline.name}.tsv")
        return StreamingHttpResponse(lines(columns, keys), content_type=f"{_TSV}; charset=utf-8")


class LeaderboardSerializer(serializers.Serializer[Any]):
    computed_at = serializers.DateTimeField()
    code_version = serializers.CharField()
    parameters = serializers.DictField()
    figures = serializers.DictField()
    is_outdated = serializers.BooleanField()
    why_outdated = serializers.ListField(child=serializers.CharField())


class Leaderboard(ApiView):
    @operation(
        "leaderboard_read", answers={200: LeaderboardSerializer}, tag="baselines", refuses=(409,)
    )
    def get(self, call: ApiCall) -> Response:
        """The leaderboard as it was computed last."""
        report = leaderboards.latest_report(call.study)
        if report is None:
            raise StateError(_("There is no leaderboard yet. Compute measures first."))
        answer = {
            "computed_at": report.computed_at,
            "code_version": report.code_version,
            "parameters": report.parameters,
            "figures": report.figures,
            "is_outdated": leaderboards.is_outdated(report),
            "why_outdated": [str(sentence) for sentence in leaderboards.why_outdated(report)],
        }
        return Response(LeaderboardSerializer(answer).data)
