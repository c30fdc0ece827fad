"""Scores with and without some people, side by side; no result of the study is stored."""

from collections.abc import Mapping
from typing import Any

from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.response import Response

from annotation.basics.sentences import sentence as _
from annotation.core.api.jobs import JobSerializer, started
from annotation.core.api.operations import ApiCall, ApiView, operation, paged, paged_of
from annotation.core.api.serializing import PageQuery, Strict, Values
from annotation.core.queries.counted_answers import POPULATIONS
from annotation.models import Item, Job, Study
from annotation.people.api.annotators import answer_in
from annotation.people.queries import people_by_answer
from annotation.results.services import comparisons

_MAX_PEOPLE = 10_000


class ComparisonSerializer(serializers.Serializer[Any]):
    job = serializers.IntegerField(help_text="Its number: ask for jobs/ID/ until it is finished.")
    state = serializers.ChoiceField(choices=Job.State.choices)
    created_at = serializers.DateTimeField()
    population = serializers.ChoiceField(choices=POPULATIONS)
    without = serializers.ListField(
        child=serializers.CharField(),
        help_text="Pseudonyms; whoever withdrew since is not among them.",
    )
    answer = serializers.CharField(help_text="What they were chosen by, if it was an answer.")


class ComparedItemSerializer(serializers.Serializer[Any]):
    id = serializers.CharField()
    score_with = serializers.FloatField()
    score_without = serializers.FloatField(allow_null=True)
    rank_with = serializers.FloatField(allow_null=True, help_text="Within its pool.")
    rank_without = serializers.FloatField(allow_null=True)
    label_with = serializers.CharField(required=False, help_text="Of label studies.")
    label_without = serializers.CharField(required=False)


class ComparedPartSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField(help_text="Of the phase; 0: the study as a whole.")
    condition = serializers.CharField(allow_blank=True)
    agreement = serializers.DictField(
        help_text="Each figure with these people, without them and of them alone, by its name."
    )
    pearson = serializers.FloatField(allow_null=True)
    spearman = serializers.FloatField(allow_null=True)
    n_both = serializers.IntegerField()
    apart = serializers.DictField(
        help_text="The correlation between the scores of these people and of the others."
    )
    n_lost = serializers.IntegerField(help_text="Items that have no score without these people.")
    items = ComparedItemSerializer(many=True)


class WholeComparisonSerializer(ComparisonSerializer):
    n_with = serializers.IntegerField(allow_null=True, help_text="Answers; null: not computed.")
    n_without = serializers.IntegerField(allow_null=True)
    n_people_with = serializers.IntegerField(allow_null=True)
    n_people_without = serializers.IntegerField(allow_null=True)
    parts = ComparedPartSerializer(
        many=True, help_text="Empty until it is computed, and once somebody of them withdrew."
    )


class WantedComparisonSerializer(Strict):
    population = serializers.ChoiceField(choices=POPULATIONS, default="people")
    without = serializers.ListField(
        child=serializers.CharField(max_length=100),
        min_length=1,
        max_length=_MAX_PEOPLE,
        required=False,
        help_text="Pseudonyms.",
    )
    answer = serializers.CharField(
        required=False,
        help_text="In place of `without`: all who chose it about themselves, as KEY=CODE.",
    )


class ComparisonList(ApiView):
    @operation(
        "comparisons_list",
        query=PageQuery,
        answers={200: paged_of(ComparisonSerializer)},
        tag="people",
    )
    def get(self, call: ApiCall) -> Response:
        """The comparisons that were asked for, the latest first."""
        rows = call.study.jobs.filter(kind=Job.Kind.COMPARE).defer("figures").order_by("-pk")
        names = _names(call.study)
        return paged(
            call,
            rows,
            lambda page: ComparisonSerializer([_meta(job, names) for job in page], many=True).data,
        )

    @operation(
        "comparisons_start",
        body=WantedComparisonSerializer,
        answers={202: JobSerializer},
        tag="people",
    )
    def post(self, call: ApiCall) -> Response:
        """Compute the scores with these people and without them, in the background."""
        job = comparisons.start(
            study=call.study,
            population=call.body["population"],
            without=_chosen(call),
            answer=call.body.get("answer", ""),
            by=call.user,
        )
        return started(call, job, _("Started comparing the scores with and without these people."))


def _chosen(call: ApiCall) -> list[Any]:
    if ("without" in call.body) == ("answer" in call.body):
        message = _("Send either without or answer.")
        raise serializers.ValidationError({"without": str(message)})
    if "answer" in call.body:
        answer = answer_in(call.study, call.body["answer"])
        theirs = people_by_answer.who(call.study, answer)
        return list(call.study.annotators.filter(pk__in=theirs).order_by("pk"))
    wanted = {*call.body["without"]}
    annotators = [
        annotator
        for annotator in call.study.annotators.order_by("pk")
        if annotator.pseudonym in wanted
    ]
    if unknown := sorted(wanted - {annotator.pseudonym for annotator in annotators}):
        message = _("This study has no person called %(who)s.") % {"who": unknown[0]}
        raise serializers.ValidationError({"without": str(message)})
    return annotators


class ComparisonDetail(ApiView):
    @operation("comparisons_read", answers={200: WholeComparisonSerializer}, tag="people")
    def get(self, call: ApiCall, **ids: Any) -> Response:
        """One comparison with the scores of every item."""
        job = get_object_or_404(call.study.jobs, pk=ids["comparison_id"], kind=Job.Kind.COMPARE)
        figures: Mapping[str, Any] = job.figures or {}
        keys = dict(Item.objects.filter(study=call.study).values_list("pk", "key"))
        whole = {
            **_meta(job, _names(call.study)),
            **{
                name: figures.get(name)
                for name in ("n_with", "n_without", "n_people_with", "n_people_without")
            },
            "parts": [
                {**part, "items": _items(part["rows"], keys)} for part in figures.get("parts", [])
            ],
        }
        return Response(WholeComparisonSerializer(whole).data)


def _names(study: Study) -> Mapping[int, str]:
    """The pseudonyms of whoever has not withdrawn."""
    return dict(study.annotators.filter(withdrawn_at=None).values_list("pk", "pseudonym"))


def _meta(job: Job, names: Mapping[int, str]) -> Values:
    return {
        "job": job.pk,
        "state": job.state,
        "created_at": job.created_at,
        "population": job.parameters["population"],
        "without": [names[pk] for pk in job.parameters["without"] if pk in names],
        "answer": job.parameters.get("answer", ""),
    }


_COLUMNS = (
    "id",
    "score_with",
    "score_without",
    "rank_with",
    "rank_without",
    "label_with",
    "label_without",
)


def _items(rows: list[list[Any]], keys: Mapping[int, str]) -> list[Values]:
    return [
        # Only label studies have the last two.
        dict(zip(_COLUMNS, [keys[pk], *values], strict=False))
        for pk, *values in rows
        if pk in keys
    ]
