"""How far the collection is."""

from dataclasses import asdict
from typing import Any

from rest_framework import serializers
from rest_framework.response import Response

from annotation.core.api.operations import ApiView, Asked, operation
from annotation.core.queries.progress import Progress, progress
from annotation.models import Study
from annotation.models.kinds import Source
from annotation.monitoring.queries.phase_progress import phase_progress


class PlacesSerializer(serializers.Serializer[Any]):
    total = serializers.IntegerField()
    done = serializers.IntegerField()
    in_work = serializers.IntegerField()
    waiting = serializers.IntegerField(help_text="For a later phase.")
    unverified = serializers.IntegerField(help_text="Sent; the platform has still to confirm it.")
    held = serializers.IntegerField(help_text="Sent too fast; a researcher decides.")
    excluded = serializers.IntegerField(help_text="Not done, and held by excluded people.")
    free = serializers.IntegerField()


class PeopleSerializer(serializers.Serializer[Any]):
    joined = serializers.IntegerField()
    not_started = serializers.IntegerField()
    active = serializers.IntegerField()
    waiting = serializers.IntegerField()
    lapsed = serializers.IntegerField()
    submitted = serializers.IntegerField()
    withdrawn = serializers.IntegerField()
    surplus = serializers.IntegerField()
    unverified = serializers.IntegerField()
    returned = serializers.IntegerField()
    rejected = serializers.IntegerField()
    excluded = serializers.IntegerField()


class TimesSerializer(serializers.Serializer[Any]):
    minutes_per_booklet = serializers.FloatField(allow_null=True, help_text="Median.")
    n_booklets = serializers.IntegerField()
    seconds_per_question = serializers.FloatField(allow_null=True, help_text="Median.")
    n_answers = serializers.IntegerField()
    hours = serializers.FloatField(
        allow_null=True, help_text="Of active time in all, as browsers counted it."
    )


class PhaseSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    condition = serializers.CharField()
    n_counted = serializers.IntegerField()
    n_surplus = serializers.IntegerField()
    n_unverified = serializers.IntegerField()
    n_given_up = serializers.IntegerField()
    n_held = serializers.IntegerField()
    n_at_work = serializers.IntegerField()
    n_can_begin = serializers.IntegerField()
    n_shut = serializers.IntegerField()
    next_opens_at = serializers.DateTimeField(allow_null=True)
    n_lapsed = serializers.IntegerField()


class SourceSerializer(serializers.Serializer[Any]):
    # The stubs take it for the argument `source` of every field.
    source = serializers.ChoiceField(choices=Source.choices)  # type: ignore[assignment]
    places = PlacesSerializer()
    people = PeopleSerializer()
    times = TimesSerializer()
    phases = PhaseSerializer(many=True, help_text="Empty where there is only one.")
    n_judgments = serializers.IntegerField()
    last_answer_at = serializers.DateTimeField(allow_null=True)


class ProgressSerializer(serializers.Serializer[Any]):
    state = serializers.ChoiceField(choices=Study.State.choices)
    sources = SourceSerializer(many=True)


class StudyProgress(ApiView):
    @operation("progress_read", answers={200: ProgressSerializer}, tag="progress")
    def get(self, call: Asked) -> Response:
        """Places, people and times, for real people and for each other source there is."""
        study = call.study
        sources = [_of(study, row) for row in progress(study)]
        return Response(ProgressSerializer({"state": study.state, "sources": sources}).data)


def _of(study: Study, row: Progress) -> Any:
    return {
        **asdict(row),
        "places": {**asdict(row.places), "free": row.places.free},
        "phases": [asdict(phase) for phase in phase_progress(study, row.source)],
    }
