"""Domains, sources and other labels of items and contexts, changed after the import."""

from typing import Any

from rest_framework import serializers
from rest_framework.response import Response

from annotation.core.api.operations import ApiCall, ApiView, operation, paged, paged_of
from annotation.core.api.serializing import PageQuery, Strict, Values
from annotation.core.queries import relabellings as queries
from annotation.items.imports.relabels import RequestedChange
from annotation.items.pages import relabelling as pages
from annotation.items.services import relabellings

_OF = ("item", "context")
# A body is not larger than a mebibyte; a file of more is taken by the page.
_MAX_CHANGES = 10_000


class RelabellingSerializer(serializers.Serializer[Any]):
    of = serializers.SerializerMethodField()
    id = serializers.SerializerMethodField(help_text="Of the item or the context.")
    field = serializers.CharField()
    before = serializers.JSONField(allow_null=True)
    after = serializers.JSONField(allow_null=True)
    reason = serializers.CharField()
    by = serializers.CharField(source="by.username")
    made_at = serializers.DateTimeField()

    def get_of(self, row: Any) -> str:
        return "context" if row.item is None else "item"

    def get_id(self, row: Any) -> str:
        key: str = (row.context if row.item is None else row.item).key
        return key


class RelabellingsQuery(PageQuery):
    field = serializers.CharField(required=False, max_length=200)


class ChangeSerializer(Strict):
    id = serializers.CharField(max_length=200)
    of = serializers.ChoiceField(
        choices=_OF, required=False, help_text="Left out: whichever has this id."
    )
    field = serializers.CharField(
        max_length=200, help_text="domain, source, intended_class, or a metadata field."
    )
    value = serializers.CharField(
        max_length=10_000, allow_null=True, help_text="Null: nothing is said any more."
    )


class ChangesSerializer(Strict):
    changes = ChangeSerializer(  # type: ignore[call-arg] # of the list, as DRF takes it
        many=True, min_length=1, max_length=_MAX_CHANGES
    )


class WantedRelabellingSerializer(ChangesSerializer):
    reason = serializers.CharField(max_length=2000)


class RelabelledSerializer(serializers.Serializer[Any]):
    n_changed = serializers.IntegerField()
    n_same = serializers.IntegerField(help_text="That had this value already.")


class ComparedSerializer(RelabelledSerializer):
    problems = serializers.ListField(
        child=serializers.CharField(), help_text="What speaks against it; then nothing is changed."
    )
    new_names = serializers.ListField(
        child=serializers.CharField(),
        help_text="Names that no item and no context has yet; perhaps typing errors.",
    )


class RelabellingList(ApiView):
    @operation(
        "relabellings_list",
        query=RelabellingsQuery,
        answers={200: paged_of(RelabellingSerializer)},
        tag="items",
    )
    def get(self, call: ApiCall) -> Response:
        """What was changed after the import, the latest first, with its reasons."""
        rows = queries.log(call.study)
        if "field" in call.query:
            rows = rows.filter(field=call.query["field"])
        return paged(call, rows, lambda page: RelabellingSerializer(page, many=True).data)

    @operation(
        "relabellings_make",
        body=WantedRelabellingSerializer,
        answers={200: RelabelledSerializer},
        tag="items",
    )
    def post(self, call: ApiCall) -> Response:
        """Change all of it or, if anything speaks against it, nothing."""
        wanted = _wanted(call.body)
        made = relabellings.relabel(
            study=call.study, wanted=wanted, reason=call.body["reason"], by=call.user
        )
        call.log(pages.said_of_relabelling(made, wanted))
        return Response(RelabelledSerializer(made).data)


class RelabellingCheck(ApiView):
    @operation(
        "relabellings_check",
        body=ChangesSerializer,
        answers={200: ComparedSerializer},
        tag="items",
    )
    def post(self, call: ApiCall) -> Response:
        """What a relabelling would change; nothing is changed."""
        comparison = relabellings.compare(study=call.study, wanted=_wanted(call.body))
        answer = {
            "n_changed": len(comparison.changes),
            "n_same": comparison.n_same,
            "problems": [str(sentence) for sentence in comparison.problems.sentences],
            "new_names": sorted(relabellings.new_names(call.study, comparison.changes)),
        }
        return Response(ComparedSerializer(answer).data)


def _wanted(given: Values) -> list[RequestedChange]:
    return [
        RequestedChange(change["id"], change["field"], change["value"], change.get("of", ""), line)
        for line, change in enumerate(given["changes"], start=1)
    ]
