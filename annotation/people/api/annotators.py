"""Annotators by their pseudonyms: who they are, and excluding and including them."""

from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.response import Response

from annotation.answering.services import phases, rosters
from annotation.basics.sentences import sentence as _
from annotation.core.api.operations import ApiCall, ApiView, operation, paged, paged_of
from annotation.core.api.serializing import PageQuery, PopulationQuery, Strict, Values
from annotation.models import Annotator, PhaseRun, Study
from annotation.people.pages.exclusions import said_of_counting, said_of_excluding
from annotation.people.pages.people import said_of_opening
from annotation.people.queries import people as queries
from annotation.people.queries import people_by_answer, people_order
from annotation.people.services import exclusions, places


class ExclusionSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField()
    by = serializers.CharField(source="by.username")
    at = serializers.DateTimeField()
    gives_place_back = serializers.BooleanField(help_text="Somebody else may have the place.")


class AnnotatorSerializer(serializers.Serializer[Any]):
    pseudonym = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment] # as in progress.py
    state = serializers.CharField(help_text="In words.")
    left_out = serializers.CharField(help_text="Why what they sent is not scored, if it is not.")
    booklets = serializers.CharField()
    n_answered = serializers.IntegerField()
    seconds_per_question = serializers.FloatField(allow_null=True, help_text="Median.")
    hours = serializers.FloatField(
        allow_null=True, help_text="Of active time in all, as browsers counted it."
    )
    last_active_at = serializers.DateTimeField(allow_null=True)
    exclusion = ExclusionSerializer(allow_null=True)
    compliance = serializers.FloatField(
        allow_null=True, help_text="With the others, in the latest result."
    )
    n_compared = serializers.IntegerField(
        allow_null=True, help_text="Of how many questions the compliance is."
    )
    flags = serializers.ListField(
        child=serializers.CharField(), help_text="What stood out there; no verdict."
    )
    is_held = serializers.BooleanField(
        help_text="Something they sent is not scored until a researcher lets it count."
    )
    n_together = serializers.IntegerField(
        help_text="How many others came by the open link from the same network."
    )
    has_started = serializers.BooleanField()
    is_withdrawn = serializers.BooleanField()


class AnnotatorsQuery(PageQuery, PopulationQuery):
    show = serializers.ChoiceField(
        choices=people_order.SHOWN, default="all", help_text="Flags are of the latest result."
    )
    ordering = serializers.ChoiceField(
        choices=[sign + name for name in people_order.SORTS for sign in ("", "-")],
        default="arrival",
        help_text="With a minus the other way round.",
    )
    answer = serializers.CharField(
        default="", help_text="Only who chose it about themselves: KEY=CODE of the question."
    )


class ReasonSerializer(Strict):
    reason = serializers.CharField(max_length=2000)


class ExcludingSerializer(ReasonSerializer):
    gives_place_back = serializers.BooleanField(
        default=False, help_text="Let somebody else have the place."
    )


class AnnotatorList(ApiView):
    @operation(
        "annotators_list",
        query=AnnotatorsQuery,
        answers={200: paged_of(AnnotatorSerializer)},
        tag="people",
    )
    def get(self, call: ApiCall) -> Response:
        """Who answers, by pseudonym; never a name or a key."""
        study, query = call.study, call.query
        rows = people_order.in_order(
            study,
            simulated=query["population"] == "simulated",
            show=query["show"],
            sort=query["ordering"],
            answer=answer_in(study, query["answer"]),
        )
        return paged(call, rows, lambda page: _shown(study, people_order.of_page(study, page)))


def answer_in(study: Study, answer: str) -> str:
    """The same, if a question of the study has it."""
    if answer and answer not in dict(people_by_answer.options(study)):
        message = _("No question of this study has the answer %(answer)s.") % {"answer": answer}
        raise serializers.ValidationError({"answer": str(message)})
    return answer


class AnnotatorDetail(ApiView):
    @operation("annotators_read", answers={200: AnnotatorSerializer}, tag="people")
    def get(self, call: ApiCall, **ids: Any) -> Response:
        """One annotator."""
        return _answer(call, annotator_of(call, ids))

    @operation("annotators_remove", answers={204: None}, tag="people")
    def delete(self, call: ApiCall, **ids: Any) -> Response:
        """Take somebody off the roster who has not started; all others stay: data stay."""
        annotator = annotator_of(call, ids)
        if annotator.person is None or annotator.person.platform != rosters.ROSTER:
            raise Http404
        who = str(annotator)
        rosters.remove_unstarted(annotator=annotator)
        call.log(_("Removed %(who)s from the roster.") % {"who": who})
        return Response(status=204)


class AnnotatorExclude(ApiView):
    @operation(
        "annotators_exclude",
        body=ExcludingSerializer,
        answers={200: AnnotatorSerializer},
        tag="people",
    )
    def post(self, call: ApiCall, **ids: Any) -> Response:
        """Leave somebody's answers out of the scores; they stay stored, and so does the reason."""
        annotator, reason = annotator_of(call, ids), call.body["reason"]
        gives_back = call.body["gives_place_back"]
        was_excluded = annotator.exclusions.in_force().exists()
        exclusions.exclude(
            annotator=annotator, reason=reason, by=call.user, gives_place_back=gives_back
        )
        if gives_back or not was_excluded:
            sentence = said_of_excluding(gives_place_back=gives_back)
            call.log(sentence % {"who": annotator, "reason": reason.strip()})
        return _answer(call, annotator)


class AnnotatorLetCount(ApiView):
    @operation("annotators_let_count", answers={200: AnnotatorSerializer}, tag="people")
    def post(self, call: ApiCall, **ids: Any) -> Response:
        """Score after all what was held for review, if nobody else has the place."""
        annotator = annotator_of(call, ids)
        for sentence in said_of_counting(places.let_count(annotators=[annotator])):
            call.log(sentence)
        return _answer(call, annotator)


class AnnotatorInclude(ApiView):
    @operation(
        "annotators_include",
        body=ReasonSerializer,
        answers={200: AnnotatorSerializer},
        tag="people",
    )
    def post(self, call: ApiCall, **ids: Any) -> Response:
        """Count somebody's answers again, and why; that they were excluded stays on record."""
        annotator, reason = annotator_of(call, ids), call.body["reason"]
        was_excluded = annotator.exclusions.in_force().exists()
        exclusions.include_again(annotator=annotator, reason=reason, by=call.user)
        if was_excluded:
            call.log(
                _("Included %(who)s again: %(reason)s")
                % {"who": annotator, "reason": reason.strip()}
            )
        return _answer(call, annotator)


class AnnotatorOpenPhase(ApiView):
    @operation(
        "annotators_open_phase",
        body=ReasonSerializer,
        answers={200: AnnotatorSerializer},
        tag="people",
    )
    def post(self, call: ApiCall, **ids: Any) -> Response:
        """Open a phase for one person before its time, or once more after it, and why."""
        annotator, reason = annotator_of(call, ids), call.body["reason"]
        runs = PhaseRun.objects.select_related("phase", "assignment__annotator").order_by("-pk")
        run = runs.filter(
            assignment__annotator=annotator, phase__number=ids["phase_number"]
        ).first()
        if run is None:
            raise Http404
        phases.open_now(run=run, reason=reason, by=call.user)
        call.log(said_of_opening(run, reason))
        return _answer(call, annotator)


def annotator_of(call: ApiCall, ids: Values) -> Annotator:
    annotator: Annotator = get_object_or_404(
        call.study.annotators.select_related("person", "study"), pseudonym=ids["pseudonym"]
    )
    return annotator


def _answer(call: ApiCall, annotator: Annotator) -> Response:
    return Response(_shown(call.study, [annotator])[0])


def _shown(study: Study, page: list[Annotator]) -> Any:
    return AnnotatorSerializer(queries.person_rows(study, page), many=True).data
