"""The roster of a study, and the personal links of its people, which are answered once."""

from collections.abc import Iterable
from typing import Any

from django.http import Http404
from django.urls import reverse
from rest_framework import serializers
from rest_framework.response import Response

from annotation.answering.services import rosters
from annotation.answering.services.rosters import PersonalKey
from annotation.basics.errors import StateError
from annotation.basics.sentences import sentence as _
from annotation.core.api.jobs import JobSerializer, started
from annotation.core.api.operations import ApiCall, ApiView, operation, paged, paged_of
from annotation.core.api.serializing import PageQuery, Strict, Values
from annotation.crowds.forms.rosters import MAX_ENTRIES, read_rows
from annotation.crowds.pages.roster import said_of_added
from annotation.crowds.queries import link_messages as link_messages_queries
from annotation.crowds.services import link_letters, link_messages
from annotation.models import Annotator, Study
from annotation.people.api.annotators import annotator_of


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
    def get(self, call: ApiCall) -> Response:
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
    def post(self, call: ApiCall) -> Response:
        """Add people; the answer has their links, this once."""
        study = call.study
        if study.state == Study.State.FINISHED:
            raise StateError(_("The study is finished. Nobody can answer any more."))
        given = call.body["entries"]
        entries = read_rows(
            (number, entry["id"], entry["name"], entry["email"])
            for number, entry in enumerate(given, start=1)
        )
        made = rosters.add_roster(
            study=study, entries=entries, in_doubt=call.body["in_doubt"], by=call.user
        )
        if made:
            call.log(said_of_added(len(made)))
        links = [_link(call, key) for key in made]
        answer = {"links": links, "n_known": len(entries) - len(made)}
        return _uncached(LinksSerializer(answer).data)


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
    def post(self, call: ApiCall) -> Response:
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
    def post(self, call: ApiCall, **ids: Any) -> Response:
        """A new personal link, answered this once; the one they have stops working at once."""
        annotator = annotator_of(call, ids)
        # A platform brings its people itself: a key would let somebody else answer for them.
        if annotator.person is None or annotator.person.platform != rosters.ROSTER:
            raise Http404
        made = rosters.reissue_key(annotator=annotator)
        call.log(_("Issued a new link for %(who)s.") % {"who": annotator})
        return _uncached(LinkSerializer(_link(call, made)).data)


def _link(call: ApiCall, made: PersonalKey) -> Values:
    person = made.annotator.person
    return {
        "id": person.platform_id if person else "",
        "pseudonym": made.annotator.pseudonym,
        "url": call.request.build_absolute_uri(reverse("annotator:own", args=[made.key])),
        "known_from": made.known_from.slug if made.known_from else None,
    }


def _uncached(answer: Any) -> Response:
    response = Response(answer, status=201)
    response["Cache-Control"] = "no-store"
    return response
