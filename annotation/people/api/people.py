"""People: a roster, whose keys are answered once; annotators by their pseudonyms."""

from collections.abc import Iterable
from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from rest_framework import serializers
from rest_framework.response import Response

from annotation.answering.services import phases, rosters
from annotation.answering.services.rosters import PersonalKey
from annotation.basics.errors import StateError
from annotation.basics.sentences import sentence as _
from annotation.core.api.jobs import JobSerializer, started
from annotation.core.api.operations import ApiView, Asked, operation, paged, paged_of
from annotation.core.api.serializing import PageQuery, PopulationQuery, Strict, Values
from annotation.crowds.forms.rosters import MAX_ENTRIES, read_rows
from annotation.crowds.pages.roster import said_of_added
from annotation.crowds.queries import link_messages as link_messages_queries
from annotation.crowds.services import link_letters, link_messages
from annotation.models import Annotator, PhaseRun, Study
from annotation.people.pages.exclusions import said_of_counting, said_of_excluding
from annotation.people.pages.people import said_of_opening
from annotation.people.queries import people as queries
from annotation.people.queries import people_order, person_answer_rows, person_answers
from annotation.people.services import exclusions, places

# -- Roster -------------------------------------------------------------------------------------


class EntrySerializer(serializers.Serializer[Any]):
    id = serializers.CharField(source="person.platform_id", help_text="As the roster names them.")
    name = serializers.CharField(source="person.name")
    email = serializers.CharField(source="person.email")
    pseudonym = serializers.CharField()
    link_sent_at = serializers.DateTimeField(
        allow_null=True, help_text="When their link was sent by e-mail, if the latest one was."
    )
    link_problem = serializers.CharField(help_text="Why the latest e-mail failed, if it did.")


class NewEntrySerializer(Strict):
    id = serializers.CharField(max_length=200)
    name = serializers.CharField(max_length=200, allow_blank=True, default="")
    email = serializers.CharField(max_length=254, allow_blank=True, default="")


class NewEntriesSerializer(Strict):
    entries = NewEntrySerializer(  # type: ignore[call-arg] # of the list, as DRF takes them
        many=True, min_length=1, max_length=MAX_ENTRIES
    )
    in_doubt = serializers.ChoiceField(
        choices=["ask", "same", "others"],
        default="ask",
        help_text="Whoever may be a person of an earlier round, where something differs: refuse"
        " and name them, take them for the same people, or for others.",
    )


class LinkSerializer(serializers.Serializer[Any]):
    id = serializers.CharField()
    pseudonym = serializers.CharField()
    url = serializers.URLField(help_text="Their personal link; it is not told again.")
    known_from = serializers.CharField(
        allow_null=True, help_text="Slug of the earlier round in which they took part."
    )


class LinksSerializer(serializers.Serializer[Any]):
    links = LinkSerializer(many=True)
    n_known = serializers.IntegerField(help_text="Who were on the roster before.")


class Roster(ApiView):
    @operation(
        "roster_list", query=PageQuery, answers={200: paged_of(EntrySerializer)}, tag="people"
    )
    def get(self, call: Asked) -> Response:
        """Who is on the roster."""
        rows = (
            call.study.annotators.filter(person__platform=rosters.ROSTER)
            .select_related("person")
            .order_by("person__platform_id", "pk")
        )
        return paged(call, rows, _entries)

    @operation(
        "roster_add", body=NewEntriesSerializer, answers={201: LinksSerializer}, tag="people"
    )
    def post(self, call: Asked) -> Response:
        """Add people; the answer has their links, this once."""
        study = call.study
        if study.state == Study.State.FINISHED:
            raise StateError(_("The study is finished: nobody may answer any more."))
        given = call.body["entries"]
        entries = read_rows(
            (number, entry["id"], entry["name"], entry["email"])
            for number, entry in enumerate(given, start=1)
        )
        made = rosters.add_roster(study=study, entries=entries, in_doubt=call.body["in_doubt"])
        if made:
            call.log(said_of_added(len(made)))
        links = [_link(call, key) for key in made]
        answer = {"links": links, "n_known": len(entries) - len(made)}
        return _told_once(LinksSerializer(answer).data)


def _entries(page: Iterable[Annotator]) -> Any:
    rows = list(page)
    mailed = link_messages_queries.mailed_links(rows)
    for row in rows:
        mail = mailed.get(row.pk, link_messages_queries.MailedLink())
        row.link_sent_at, row.link_problem = mail.sent_at, mail.problem  # type: ignore[attr-defined]
    return EntrySerializer(rows, many=True).data


class SendingSerializer(Strict):
    to = serializers.ChoiceField(
        choices=link_messages_queries.GROUPS,
        default="new",
        help_text="Those to whom nothing was sent, or to whom the latest message failed.",
    )
    pseudonyms = serializers.ListField(
        child=serializers.CharField(max_length=20),
        required=False,
        max_length=MAX_ENTRIES,
        help_text="These people instead, whatever was sent to them before.",
    )
    subject = serializers.CharField(required=False, help_text="Preset in the study's language.")
    text = serializers.CharField(
        required=False,
        trim_whitespace=False,
        help_text="With {link}, and {name}, {study} or {contact} if you like; preset, too.",
    )


class RosterSend(ApiView):
    @operation("roster_send", body=SendingSerializer, answers={202: JobSerializer}, tag="people")
    def post(self, call: Asked) -> Response:
        """Send personal links by e-mail; who has started is passed over, earlier links end."""
        body, preset = call.body, link_letters.preset(call.study)
        letter = link_letters.read(
            body.get("subject", preset.subject), body.get("text", preset.text)
        )
        if "pseudonyms" in body:
            wanted = {*body["pseudonyms"]}
            annotators = call.study.annotators.filter(pseudonym__in=wanted)
            if unknown := sorted(wanted - {*annotators.values_list("pseudonym", flat=True)}):
                sentence = _("%(name)s is not on the roster of this study.") % {"name": unknown[0]}
                raise serializers.ValidationError({"pseudonyms": [str(sentence)]})
            people_to_send = link_messages_queries.may_be_sent(call.study).filter(
                pseudonym__in=wanted
            )
        else:
            people_to_send = link_messages_queries.group(call.study, body["to"])
        recipients = list(people_to_send)
        job = link_messages.start(
            study=call.study,
            annotators=recipients,
            letter=letter,
            base_url=call.request.build_absolute_uri("/"),
            by=call.user,
        )
        return started(call, job, link_messages.said_of_sending(len(recipients)))


class RosterLink(ApiView):
    @operation("roster_link", answers={201: LinkSerializer}, tag="people")
    def post(self, call: Asked, **ids: Any) -> Response:
        """A new personal link, answered this once; the one they have stops working at once."""
        annotator = _annotator(call, ids)
        if annotator.person is None:
            raise Http404
        made = rosters.reissue_key(annotator=annotator)
        call.log(_("Issued a new link for %(who)s.") % {"who": annotator})
        return _told_once(LinkSerializer(_link(call, made)).data)


def _link(call: Asked, made: PersonalKey) -> Values:
    person = made.annotator.person
    return {
        "id": person.platform_id if person else "",
        "pseudonym": made.annotator.pseudonym,
        "url": call.request.build_absolute_uri(reverse("annotator:own", args=[made.key])),
        "known_from": made.known_from.slug if made.known_from else None,
    }


def _told_once(answer: Any) -> Response:
    response = Response(answer, status=201)
    response["Cache-Control"] = "no-store"
    return response


# -- Annotators ---------------------------------------------------------------------------------


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
    def get(self, call: Asked) -> Response:
        """Who answers, by pseudonym; never a name or a key."""
        study, query = call.study, call.query
        rows = people_order.in_order(
            study,
            simulated=query["population"] == "simulated",
            show=query["show"],
            sort=query["ordering"],
        )
        return paged(call, rows, lambda page: _shown(study, people_order.of_page(study, page)))


class AnnotatorDetail(ApiView):
    @operation("annotators_read", answers={200: AnnotatorSerializer}, tag="people")
    def get(self, call: Asked, **ids: Any) -> Response:
        """One annotator."""
        return _answer(call, _annotator(call, ids))

    @operation("annotators_remove", answers={204: None}, tag="people")
    def delete(self, call: Asked, **ids: Any) -> Response:
        """Take somebody off the roster who has not started; all others stay: data stay."""
        annotator = _annotator(call, ids)
        if annotator.person is None or annotator.person.platform != rosters.ROSTER:
            raise Http404
        who = str(annotator)
        rosters.remove_unstarted(annotator=annotator)
        call.log(_("Removed %(who)s from the roster.") % {"who": who})
        return Response(status=204)


class AskedTextSerializer(serializers.Serializer[Any]):
    id = serializers.CharField(source="key", help_text="Of the item, or of the sentence.")
    text = serializers.CharField()


class SaidTextSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(help_text="Of the part of the answer; empty if it has one.")
    text = AskedTextSerializer(allow_null=True)
    value = serializers.CharField()


class OthersChoiceSerializer(serializers.Serializer[Any]):
    n = serializers.IntegerField(help_text="Answers of others to the same question.")
    same_best = serializers.IntegerField(allow_null=True)
    same_worst = serializers.IntegerField(allow_null=True)
    same_both = serializers.IntegerField(allow_null=True)
    mean_rating = serializers.FloatField(allow_null=True)
    majority = serializers.ListField(child=serializers.CharField(), allow_null=True)
    majority_share = serializers.FloatField(allow_null=True)
    same_label = serializers.IntegerField(allow_null=True)
    same_picks = serializers.DictField(
        child=serializers.IntegerField(), allow_null=True, help_text="By role."
    )
    disagreement = serializers.FloatField(
        help_text="From 0: distance of the rating from the mean, else a share of at most 1."
    )


class AnswerSerializer(serializers.Serializer[Any]):
    booklet = serializers.IntegerField()
    phase = serializers.IntegerField()
    screen = serializers.IntegerField()
    is_repeat = serializers.BooleanField()
    target = serializers.CharField(
        source="target.text", allow_null=True, default=None, help_text="Common to all texts."
    )
    asked = AskedTextSerializer(many=True)
    answer = SaidTextSerializer(source="said", many=True)
    others = OthersChoiceSerializer(allow_null=True)
    seconds = serializers.FloatField(allow_null=True)
    usual_seconds = serializers.FloatField(
        source="usual", allow_null=True, help_text="Median of the others."
    )


class AnswersQuery(PageQuery):
    ordering = serializers.ChoiceField(
        choices=person_answer_rows.ORDERS,
        default="asked",
        help_text="As they were asked, or the largest disagreement with the others first.",
    )


class AnnotatorAnswers(ApiView):
    @operation(
        "annotators_answers",
        query=AnswersQuery,
        answers={200: paged_of(AnswerSerializer)},
        tag="people",
    )
    def get(self, call: Asked, **ids: Any) -> Response:
        """The current answers of one annotator beside those of the others; never a name."""
        annotator = _annotator(call, ids)
        own = person_answers.own_answers(annotator)
        others = person_answers.others_of(annotator, own)
        ordered = person_answer_rows.in_order(call.study, own, others, call.query["ordering"])
        return paged(
            call,
            ordered,
            lambda page: (
                AnswerSerializer(
                    person_answer_rows.answer_rows(call.study, list(page), others), many=True
                ).data
            ),
        )


class AnnotatorExclude(ApiView):
    @operation(
        "annotators_exclude",
        body=ExcludingSerializer,
        answers={200: AnnotatorSerializer},
        tag="people",
    )
    def post(self, call: Asked, **ids: Any) -> Response:
        """Leave somebody's answers out of the scores; they stay stored, and so does the reason."""
        annotator, reason = _annotator(call, ids), call.body["reason"]
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
    def post(self, call: Asked, **ids: Any) -> Response:
        """Score after all what was held for review."""
        annotator = _annotator(call, ids)
        counted = places.let_count(annotators=[annotator])
        call.log(said_of_counting(counted))
        return _answer(call, annotator)


class AnnotatorInclude(ApiView):
    @operation(
        "annotators_include",
        body=ReasonSerializer,
        answers={200: AnnotatorSerializer},
        tag="people",
    )
    def post(self, call: Asked, **ids: Any) -> Response:
        """Count somebody's answers again, and why; that they were excluded stays on record."""
        annotator, reason = _annotator(call, ids), call.body["reason"]
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
    def post(self, call: Asked, **ids: Any) -> Response:
        """Open a phase for one person before its time, or once more after it, and why."""
        annotator, reason = _annotator(call, ids), call.body["reason"]
        runs = PhaseRun.objects.select_related("phase", "assignment__annotator").order_by("-pk")
        run = runs.filter(
            assignment__annotator=annotator, phase__number=ids["phase_number"]
        ).first()
        if run is None:
            raise Http404
        phases.open_now(run=run, reason=reason, by=call.user)
        call.log(said_of_opening(run, reason))
        return _answer(call, annotator)


def _annotator(call: Asked, ids: Values) -> Annotator:
    annotator: Annotator = get_object_or_404(
        call.study.annotators.select_related("person", "study"), pseudonym=ids["pseudonym"]
    )
    return annotator


def _answer(call: Asked, annotator: Annotator) -> Response:
    return Response(_shown(call.study, [annotator])[0])


def _shown(study: Study, page: list[Annotator]) -> Any:
    return AnnotatorSerializer(queries.person_rows(study, page), many=True).data
