"""The ledger: what stands in it, what a person settles, the payments as a table."""

import csv
import io
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from annotation.basics.sentences import read
from annotation.crowds.services import decisions, outbox
from annotation.models import AuditEvent, Intent, Listing, Visit
from tests.site.test_query_counts import n_queries
from tests.support.clock import Clock
from tests.support.factories import join, make_user
from tests.support.remote_side import Remote, make_listing, make_visit
from tests.support.researcher_pages import in_one_line, said, signed_in, text, url

pytestmark = pytest.mark.django_db


@pytest.fixture
def listing(remote: Remote) -> Listing:
    return make_listing()


@pytest.fixture
def client(listing: Listing) -> Client:
    return signed_in(listing.study.owner)


def doubtful(listing: Listing, kind: str = "bonus", **columns: Any) -> Intent:
    """A step of which nobody knows what became of it."""
    now = listing.created_at
    columns = {
        "visit": make_visit(listing, f"S{listing.intents.count()}"),
        "pays": Decimal("1.00"),
        "commits": Decimal("1.20"),
        **columns,
    }
    return Intent.objects.create(
        listing=listing,
        kind=kind,
        currency="USD",
        state="needs_person",
        attempts=1,
        planned_at=now,
        first_sent_at=now,
        **columns,
    )


def settle(client: Client, intent: Intent, **changes: str) -> Any:
    fields = {"happened": "yes", "note": "It stands on the page of payments.", **changes}
    return client.post(url(intent.listing.study, "settle", intent.pk), fields)


def test_the_ledger_without_entries_says_so(client: Client, listing: Listing) -> None:
    assert "Nothing here" in text(client.get(url(listing.study, "ledger")))


@pytest.mark.slow
def test_the_ledger_takes_as_many_queries_for_three_hundred(
    client: Client, listing: Listing
) -> None:
    address = url(listing.study, "ledger")
    doubtful(listing)
    few = n_queries(lambda: client.get(address))
    for _n in range(299):
        doubtful(listing)

    assert n_queries(lambda: client.get(address)) <= few
    page = client.get(address, {"state": "needs_person", "page": "2"})
    assert len(page.context["entries"]) == 50
    # The filter stays on the way to the next page.
    assert "?state=needs_person&amp;page=3" in text(page)


@pytest.mark.parametrize("query", [{"state": "\x00"}, {"state": "x"}, {"page": "9" * 30}])
def test_a_ledger_of_anything_else_is_the_whole_one(
    client: Client, listing: Listing, query: dict[str, str]
) -> None:
    doubtful(listing)

    assert len(client.get(url(listing.study, "ledger"), query).context["entries"]) == 1


def test_what_needs_a_person_is_settled_once(client: Client, listing: Listing) -> None:
    intent = doubtful(listing)
    assert "1 step needs you" in text(client.get(url(listing.study, "ledger")))
    # What to look for on the platform.
    asked = in_one_line(text(client.get(url(listing.study, "settle", intent.pk))))
    assert f"<code>{intent.visit.submission_id}</code>" in asked
    assert f"<code>{intent.reference}</code>" in asked
    # Nothing is to be looked for that was never sent.
    other = doubtful(listing, "message")
    assert other.reference not in text(client.get(url(listing.study, "settle", other.pk))).replace(
        str(other.pk), ""
    )
    Intent.objects.filter(pk=other.pk).delete()

    first, second = settle(client, intent), settle(client, intent, happened="no")

    assert (first.status_code, second.status_code) == (302, 409)
    intent.refresh_from_db()
    assert intent.state == Intent.State.CONFIRMED
    assert intent.note.endswith("It stands on the page of payments.")
    assert intent.note.startswith(listing.study.owner.username)


def test_whoever_took_part_is_not_said_to_be_let_into_a_next_part(
    client: Client, listing: Listing
) -> None:
    doubtful(listing, "grant", reason_code=Intent.TOOK_PART)
    ledger = text(client.get(url(listing.study, "ledger")))

    assert "keep from further tasks" in ledger
    assert "next part" not in ledger


def test_what_did_not_happen_is_given_up_and_asked_for_again(
    client: Client, listing: Listing, clock: Clock
) -> None:
    intent = doubtful(listing, reason_code="extra", payload={"message": "Thanks."})
    settle(client, intent, happened="no")
    address = url(listing.study, "settle", intent.pk)
    assert "Send the request again" in text(client.get(address))

    for _twice in range(2):
        client.post(address, {"do": "again"})

    states = Intent.objects.order_by("planned_at").values_list("state", flat=True)
    assert list(states) == ["given_up", "planned"]
    history = [read(entry.said) for entry in AuditEvent.objects.order_by("pk")]
    assert [line.partition(":")[0] for line in history[:2]] == [
        "Given up by hand",
        "Requested again",
    ]


def test_the_software_is_told_to_look_once_more(client: Client, listing: Listing) -> None:
    intent = doubtful(listing)
    address = url(listing.study, "settle", intent.pk)

    client.post(address, {"do": "look"})
    second = client.post(address, {"do": "look"}, follow=True)

    intent.refresh_from_db()
    assert intent.state == Intent.State.AMBIGUOUS
    [entry] = AuditEvent.objects.all()
    assert entry.by == listing.study.owner
    assert read(entry.said).startswith("Likeness asks the platform again what happened")
    assert any("This step no longer needs a decision. Reload the" in each for each in said(second))


def test_what_was_published_needs_the_platforms_own_id(client: Client, listing: Listing) -> None:
    intent = doubtful(listing, "publish", visit=None, payload={"n_places": 4})

    refused = settle(client, intent)
    assert refused.status_code == 400
    assert "Give the id that the platform shows for the" in text(refused)
    settle(client, intent, remote_id="HIT9")

    intent.refresh_from_db()
    assert (intent.state, intent.remote_id) == (Intent.State.CONFIRMED, "HIT9")


@pytest.mark.parametrize(
    ("field", "value"),
    [("happened", ""), ("happened", "perhaps"), ("note", ""), ("note", " "), ("note", "\x00")],
)
def test_what_is_missing_is_said_at_its_field(
    client: Client, listing: Listing, field: str, value: str
) -> None:
    intent = doubtful(listing)

    response = settle(client, intent, **{field: value})

    assert response.status_code == 400
    assert {n: len(all_) for n, all_ in response.context["form"].errors.items()} == {field: 1}
    intent.refresh_from_db()
    assert intent.state == Intent.State.NEEDS_PERSON


def test_an_entry_of_another_study_is_not_found(client: Client, listing: Listing) -> None:
    theirs = doubtful(make_listing())

    address = url(listing.study, "settle", theirs.pk)

    assert client.get(address).status_code == 404
    assert client.post(address, {"happened": "yes", "note": "x"}).status_code == 404


def test_payments_are_an_exact_table(client: Client, listing: Listing, clock: Clock) -> None:
    by = make_user('a "tab\tuser')
    assignment = join(listing.study).assignment
    visit = make_visit(listing, run=assignment.runs.get())
    decisions.approve(visit=visit, by=by)
    decisions.bonus(
        visit=visit, amount=Decimal("0.10"), reason_code="wage", message="More.", by=by
    )
    clock.move(minutes=1)
    outbox.send_due()
    decisions.note(visit=visit, text="No payment at all.", by=by)

    response = client.get(url(listing.study, "payments"))

    table = list(csv.DictReader(io.StringIO(text(response)), delimiter="\t"))
    assert f'filename="{listing.study.slug}-payments.tsv"' in response["Content-Disposition"]
    assert [
        (row["kind"], row["reason_code"], row["paid"], row["fee"], row["state"]) for row in table
    ] == [
        ("approve", "", "1.50", "0.30", "confirmed"),
        ("bonus", "wage", "0.10", "0.02", "confirmed"),
    ]
    for row in table:
        assert row["annotator"] == assignment.annotator.pseudonym
        assert row["submission_id"] == "S1"
        assert row["requested_by"] == by.username
        assert row["settled_at"] == clock.time.isoformat()
    # Ids of people stay out of what is handed on.
    assert "W-S1" not in text(response)
    # What a launch calls its sitting is no formula where the file is opened.
    Visit.objects.filter(pk=visit.pk).update(submission_id="=A2")
    assert "\t'=A2\t" in text(client.get(url(listing.study, "payments")))
