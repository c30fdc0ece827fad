"""What the live page shows: few counts, and what a worker has measured."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rest_framework import serializers
from rest_framework.response import Response

from annotation.core.api.operations import ApiCall, ApiView, operation
from annotation.core.api.serializing import PopulationQuery, Values
from annotation.core.services import workers
from annotation.models import Study
from annotation.monitoring.queries import live as queries


class LivePlacesSerializer(serializers.Serializer[Any]):
    total = serializers.IntegerField()
    done = serializers.IntegerField()
    in_work = serializers.IntegerField()
    waiting = serializers.IntegerField()
    unverified = serializers.IntegerField()
    held = serializers.IntegerField()
    excluded = serializers.IntegerField(help_text="Not done, and held by excluded people.")
    free = serializers.IntegerField()


class LivePeopleSerializer(serializers.Serializer[Any]):
    joined = serializers.IntegerField()
    active = serializers.IntegerField()
    waiting = serializers.IntegerField()
    submitted = serializers.IntegerField()
    lapsed = serializers.IntegerField()
    withdrawn = serializers.IntegerField()
    excluded = serializers.IntegerField()


class HourSerializer(serializers.Serializer[Any]):
    begins = serializers.DateTimeField()
    n = serializers.IntegerField()


class TallySerializer(serializers.Serializer[Any]):
    counted_at = serializers.DateTimeField()
    n_answers = serializers.IntegerField()
    n_counted = serializers.IntegerField(help_text="In completed booklets, which count.")
    in_last_hour = serializers.IntegerField(help_text="Before it was counted.")
    in_last_day = serializers.IntegerField()
    answers = HourSerializer(many=True)
    joined = HourSerializer(many=True)
    completed = HourSerializer(many=True)


class EndSerializer(serializers.Serializer[Any]):
    reason = serializers.ChoiceField(
        choices=["", "done", "few", "never", "stalled", "shut", "over", "none"],
        help_text="Why there is no forecast of the end; empty: there is one.",
    )
    earliest = serializers.DateTimeField(allow_null=True)
    latest = serializers.DateTimeField(
        allow_null=True, help_text="Null also if it is more than a year away, or may never come."
    )


class PointSerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField()
    n_judgments = serializers.IntegerField()
    phases = serializers.ListField(
        child=serializers.DictField(),
        help_text="Of each phase its figures: reliability, alpha, pairs that differ.",
    )


class UnsurePairSerializer(serializers.Serializer[Any]):
    phase = serializers.IntegerField()
    items = serializers.ListField(child=serializers.CharField(), min_length=2, max_length=2)
    scores = serializers.ListField(child=serializers.FloatField(allow_null=True))
    certainty = serializers.FloatField(allow_null=True)


class UndecidedSerializer(serializers.Serializer[Any]):
    phase = serializers.IntegerField()
    item = serializers.CharField()
    chosen = serializers.DictField(child=serializers.IntegerField())


class LiveSerializer(serializers.Serializer[Any]):
    state = serializers.ChoiceField(choices=Study.State.choices)
    is_worker_running = serializers.BooleanField(help_text="Without one, nothing is counted.")
    places = LivePlacesSerializer()
    people = LivePeopleSerializer()
    tally = TallySerializer(allow_null=True, help_text="Null until a worker has counted.")
    end = EndSerializer()
    points = PointSerializer(many=True, help_text="The curves, the latest point last.")
    unsure = UnsurePairSerializer(many=True, help_text="Neighbours whose order is uncertain.")
    undecided = UndecidedSerializer(many=True, help_text="Items of label studies.")


class StudyLive(ApiView):
    @operation("live_read", query=PopulationQuery, answers={200: LiveSerializer}, tag="progress")
    def get(self, call: ApiCall) -> Response:
        """How far it is and how reliable so far, as a worker counts it while answers come in."""
        live = queries.live(call.study, call.query["population"])
        answer = {
            "state": live.study.state,
            "is_worker_running": workers.is_running(),
            "places": {**asdict(live.places), "free": live.places.free},
            "people": asdict(live.people),
            "tally": live.tally,
            "end": live.end,
            "points": live.points,
            "unsure": [row for part in _parts(live) for row in _unsure(live, *part)],
            "undecided": [row for part in _parts(live) for row in _undecided(live, *part)],
        }
        return Response(LiveSerializer(answer).data)


def _parts(live: queries.Live) -> list[tuple[int, Mapping[str, Any]]]:
    """The number of each phase, and what was measured there last."""
    if live.latest is None:
        return []
    numbers = [figures["number"] for figures in live.latest.phases]
    return list(zip(numbers, live.details, strict=True))


def _unsure(live: queries.Live, phase: int, details: Mapping[str, Any]) -> list[Values]:
    return [
        {
            "phase": phase,
            "items": [live.items[a].key, live.items[b].key],
            "scores": [score_a, score_b],
            "certainty": certainty,
        }
        for a, b, score_a, score_b, certainty in details.get("pairs", [])
        if a in live.items and b in live.items
    ]


def _undecided(live: queries.Live, phase: int, details: Mapping[str, Any]) -> list[Values]:
    return [
        {"phase": phase, "item": live.items[pk].key, "chosen": dict(chosen)}
        for pk, chosen in details.get("undecided", [])
        if pk in live.items
    ]
