"""Crowd platforms, to be read: what is offered there, what it has cost, what was asked for.

Nothing is published, decided or paid by a program: docs/api.md says why.
"""

from typing import Any

from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.response import Response

from annotation.core.api.operations import ApiView, Asked, operation, paged, paged_of
from annotation.core.api.serializing import PageQuery
from annotation.core.exports.columns import lines
from annotation.crowds import exports as crowd_tables
from annotation.crowds.queries import ledger, listings
from annotation.models import Intent, Listing
from annotation.models.kinds import CrowdPlatform

_TSV = "text/tab-separated-values"


def _money(**options: Any) -> serializers.DecimalField:
    return serializers.DecimalField(max_digits=14, decimal_places=2, **options)


class AccountSerializer(serializers.Serializer[Any]):
    currency = serializers.CharField()
    cap = _money(allow_null=True, help_text="Null: nothing may be spent.")
    committed = _money(help_text="What may be spent by what was asked for, at worst, with fees.")
    paid = _money(help_text="To people.")
    fees = _money()
    under_way = _money()
    n_doubtful = serializers.IntegerField()
    n_for_people = serializers.IntegerField(help_text="Steps that a person must settle.")


class MoneySerializer(serializers.Serializer[Any]):
    dry_run = serializers.BooleanField(help_text="Then nothing is published or paid.")
    accounts = AccountSerializer(many=True, help_text="One for each currency.")


class Money(ApiView):
    @operation("money_read", answers={200: MoneySerializer}, tag="platforms")
    def get(self, call: Asked, **ids: Any) -> Response:
        """What the study may spend and has spent."""
        study = call.study
        money = {"dry_run": study.dry_run, "accounts": ledger.accounts(study)}
        return Response(MoneySerializer(money).data)


class ListingSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField(source="listing.number")
    platform = serializers.ChoiceField(source="listing.platform", choices=CrowdPlatform.choices)
    environment = serializers.CharField(source="listing.environment")
    phase = serializers.IntegerField(source="listing.phase_number")
    state = serializers.ChoiceField(source="listing.state", choices=Listing.State.choices)
    n_places = serializers.IntegerField(source="listing.n_places")
    reward = _money(source="listing.reward")
    currency = serializers.CharField(source="listing.currency")
    minutes = serializers.IntegerField(source="listing.minutes")
    created_at = serializers.DateTimeField(source="listing.created_at")
    published_at = serializers.DateTimeField(source="listing.published_at", allow_null=True)
    closed_at = serializers.DateTimeField(source="listing.closed_at", allow_null=True)
    polled_at = serializers.DateTimeField(source="listing.polled_at", allow_null=True)
    n_visits = serializers.IntegerField()
    n_working = serializers.IntegerField()
    n_to_review = serializers.IntegerField(help_text="Handed in, and nothing was decided.")
    n_approved = serializers.IntegerField()
    n_doubts = serializers.IntegerField()
    n_unsettled = serializers.IntegerField(help_text="Steps of which no answer has come.")
    n_for_people = serializers.IntegerField()
    is_unread = serializers.BooleanField(help_text="Whether the platform could not be asked.")


class ListingsQuery(PageQuery):
    state = serializers.ChoiceField(choices=Listing.State.choices, required=False)


class ListingList(ApiView):
    @operation(
        "listings_list",
        query=ListingsQuery,
        answers={200: paged_of(ListingSerializer)},
        tag="platforms",
    )
    def get(self, call: Asked) -> Response:
        """What the study offers on platforms, in the order in which it was made."""
        state = call.query.get("state")
        rows = [row for row in listings.rows(call.study) if state in (None, row.listing.state)]
        return paged(call, rows, lambda page: ListingSerializer(page, many=True).data)


class ListingDetail(ApiView):
    @operation("listings_read", answers={200: ListingSerializer}, tag="platforms")
    def get(self, call: Asked, **ids: Any) -> Response:
        """How far one listing is."""
        listing = get_object_or_404(call.study.listings, number=ids["listing"])
        rows = listings.rows(call.study)
        row = next(row for row in rows if row.listing.pk == listing.pk)
        return Response(ListingSerializer(row).data)


class LedgerEntrySerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    listing = serializers.IntegerField(source="listing.number")
    annotator = serializers.SerializerMethodField(help_text="A pseudonym; empty: about nobody.")
    kind = serializers.ChoiceField(choices=Intent.Kind.choices)
    reason_code = serializers.CharField()
    state = serializers.ChoiceField(choices=Intent.State.choices)
    currency = serializers.CharField()
    commits = _money(help_text="What may be spent because of it, at worst.")
    pays = _money()
    fee = _money()
    attempts = serializers.IntegerField()
    planned_at = serializers.DateTimeField()
    settled_at = serializers.DateTimeField(allow_null=True)
    requested_by = serializers.SerializerMethodField(help_text="Empty: by the software's rules.")

    def get_annotator(self, intent: Intent) -> str:
        run = intent.visit.run if intent.visit else None
        return run.assignment.annotator.pseudonym if run else ""

    def get_requested_by(self, intent: Intent) -> str:
        return intent.requested_by.get_username() if intent.requested_by else ""


class LedgerQuery(PageQuery):
    state = serializers.ChoiceField(choices=Intent.State.choices, required=False)
    kind = serializers.ChoiceField(choices=Intent.Kind.choices, required=False)
    listing = serializers.IntegerField(
        required=False, min_value=1, max_value=2**31 - 1, help_text="Its number."
    )


class Ledger(ApiView):
    @operation(
        "ledger_list",
        query=LedgerQuery,
        answers={200: paged_of(LedgerEntrySerializer)},
        tag="platforms",
    )
    def get(self, call: Asked) -> Response:
        """Every step that was asked of a platform, the latest first."""
        rows = ledger.entries(call.study, state=call.query.get("state", ""))
        if "kind" in call.query:
            rows = rows.filter(kind=call.query["kind"])
        if "listing" in call.query:
            rows = rows.filter(listing__number=call.query["listing"])
        return paged(call, rows, lambda page: LedgerEntrySerializer(page, many=True).data)


class Payments(ApiView):
    @operation("payments_table", answers={(200, _TSV): OpenApiTypes.STR}, tag="platforms")
    def get(self, call: Asked, **ids: Any) -> StreamingHttpResponse:
        """Every step that pays somebody, with its state, by the platform's ids of submissions.

        Always TSV. What was paid is `confirmed`; a step that is planned or refused is there, too.
        """
        study = call.study
        call.hand_out(f"{study.slug}-payments.tsv")
        table = lines(crowd_tables.payments(), ledger.payments(study))
        return StreamingHttpResponse(table, content_type=f"{_TSV}; charset=utf-8")
