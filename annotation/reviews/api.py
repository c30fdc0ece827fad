"""Scored items looked at again: which of them, and what came of it."""

from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.response import Response

from annotation.basics.errors import StateError
from annotation.basics.reviewed import Review as Kind
from annotation.basics.sentences import sentence as _
from annotation.core.api.operations import ApiCall, ApiView, operation
from annotation.core.api.serializing import (
    PopulationQuery,
    Strict,
    data_of,
    fields_of,
    wrong_fields,
)
from annotation.core.exports.columns import lines
from annotation.models import Study
from annotation.reviews.exports import reviews
from annotation.reviews.forms import DiscrepanciesForm, ExpertsForm, ReviewForm
from annotation.reviews.pages import reviewing as pages
from annotation.studies import presets

_TSV = "text/tab-separated-values"


class WantedItemsSerializer(Strict):
    """Those of an expert check, or of a review of discrepancies; which, says the study's plan."""

    def get_fields(self) -> dict[str, Any]:
        # A file is taken by the page; `table` has the same.
        of_page = ("file", "column", "phase", "people")
        fields = fields_of(ExpertsForm, DiscrepanciesForm, without=of_page)
        column = serializers.CharField(
            required=False,
            allow_blank=True,
            max_length=200,
            help_text="A column of the imported items, or baseline:ID; empty: the table.",
        )
        phase = serializers.IntegerField(
            required=False, min_value=1, max_value=100, help_text="Whose scores, if of several."
        )
        people = serializers.CharField(
            required=False,
            max_length=200,
            help_text="What people say: mean, majority (the most frequent rating), or column:NAME"
            " for labels that were imported with the items. Of discrepancies.",
        )
        return {**fields, "column": column, "phase": phase, "people": people}


class ChosenSerializer(serializers.Serializer[Any]):
    n_items = serializers.IntegerField(help_text="That were taken, with their contexts.")
    n_without_score = serializers.IntegerField(help_text="That were left out for that.")
    n_without_value = serializers.IntegerField(help_text="Of the measure.")


class Review(ApiView):
    @operation(
        "reviews_table",
        query=PopulationQuery,
        answers={(200, _TSV): OpenApiTypes.STR},
        refuses=(409,),
        tag="adjudications",
    )
    def get(self, call: ApiCall) -> StreamingHttpResponse:
        """What came of looking at scored items again, a line for each."""
        population = call.query["population"]
        file = reviews.review_file(call.study, population)
        if file is None:
            raise StateError(
                _("This study does not review scored items, so there is no such file.")
            )
        parts = [call.study.slug, *(["simulated"] if population == "simulated" else [])]
        call.hand_out("-".join([*parts, file.name]))
        return StreamingHttpResponse(
            lines(file.columns, file.rows), content_type=f"{_TSV}; charset=utf-8"
        )

    @operation(
        "reviews_choose",
        body=WantedItemsSerializer,
        answers={200: ChosenSerializer},
        tag="adjudications",
    )
    def post(self, call: ApiCall) -> Response:
        """Choose items of the earlier study; they replace those that the draft has."""
        study = call.study
        earlier = pages.earlier_of(study, call.user)
        review = presets.review_of(study.preset)
        if earlier is None or review is None:
            raise StateError(pages.NO_REVIEW)
        if not study.is_draft:
            raise StateError(pages.FROZEN)
        form = _form(review, earlier, call.body)
        if not form.is_valid():
            raise wrong_fields(form)
        chosen = pages.chosen_by(study, form)
        call.log(pages.said_of(chosen))
        return Response(ChosenSerializer(chosen).data)


def _form(review: Kind, earlier: Study, given: dict[str, Any]) -> ReviewForm:
    form_class = ExpertsForm if review == Kind.EXPERTS else DiscrepanciesForm
    empty: ReviewForm = form_class(earlier)
    empty.fields.pop("file", None)
    return form_class(earlier, data_of(empty, given))
