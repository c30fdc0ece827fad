"""The review screen: what is proposed, bulk decisions one by one, one visit, wages."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from annotation.basics import clock as own_clock
from annotation.crowds import exports as crowd_tables
from annotation.crowds.queries import visits as queries
from annotation.crowds.queries.visits import SHOWN
from annotation.crowds.services import decisions, outbox, spending
from annotation.models import Exclusion, Intent, Listing, Study, Visit
from tests.site.test_query_counts import n_queries
from tests.support import rating
from tests.support.answering import answer_all
from tests.support.clock import Clock
from tests.support.factories import join, make_open_study
from tests.support.remote_side import Remote, make_listing, make_visit
from tests.support.researcher_pages import said, signed_in, text, url

pytestmark = pytest.mark.django_db

REASON = "No question was answered with any care."


@pytest.fixture
def listing(remote: Remote) -> Listing:
    return make_listing()


@pytest.fixture
def client(listing: Listing) -> Client:
    return signed_in(listing.study.owner)


def done(listing: Listing, submission_id: str, *, minutes: float = 10, **columns: Any) -> Visit:
    """Somebody who did the work and handed it in."""
    now = own_clock.now()
    columns = {"state": "ended", "outcome": "completed", "ended_at": now, **columns}
    if columns["outcome"] == "completed":
        columns["run"] = join(listing.study).assignment.runs.get()
    visit = make_visit(listing, submission_id, **columns)
    Visit.objects.filter(pk=visit.pk).update(created_at=now - timedelta(minutes=minutes))
    return visit


def decide(client: Client, study: Study, visits: list[Any], **fields: str) -> Any:
    chosen = [getattr(visit, "pk", visit) for visit in visits]
    return client.post(
        url(study, "decide"), {"visit": chosen, "action": "approve", "confirmed": "yes", **fields}
    )


def kinds() -> list[str]:
    return list(Intent.objects.order_by("pk").values_list("kind", flat=True))


# -- what is shown ------------------------------------------------------------------------------


def test_nobody_waits(client: Client, listing: Listing) -> None:
    for shown in (*SHOWN, "\x00", "x"):
        page = client.get(url(listing.study, "visits"), {"show": shown})
        assert "Nothing here" in text(page)


def test_only_clean_visits_are_proposed_and_the_page_says_why_not_the_others(
    client: Client, listing: Listing, clock: Clock
) -> None:
    clean = done(listing, "clean")
    failed = done(listing, "failed", outcome="failed_checks")
    others = {
        "The receipt is of another visit.": {"doubt": "The receipt is of another visit."},
        "The platform has not confirmed who this was.": {"verified_at": None},
        "not finished here": {"outcome": "", "state": "working", "ended_at": None},
        "This visit ended before the work was finished": {"outcome": "screened_out"},
    }
    for n, columns in enumerate(others.values()):
        done(listing, f"other{n}", **columns)
    excluded = done(listing, "excluded")
    Exclusion.objects.create(
        assignment=excluded.run.assignment, reason="x", by=listing.study.owner
    )

    page = client.get(url(listing.study, "visits"))
    assert page.context["chosen"] == {clean.pk}
    assert page.context["action"] == "approve"
    for remark in (*others, "Already left out of the data.", "Failed the checks"):
        assert remark in text(page), remark
    hourly = {row.visit.submission_id: row.hourly for row in page.context["rows"]}
    assert hourly["clean"] == Decimal("9.00")
    # Of the two who did no work.
    assert (hourly["other2"], hourly["other3"]) == (None, None)
    failing = client.get(url(listing.study, "visits"), {"show": "failed"})

    assert failing.context["chosen"] == {failed.pk}
    assert failing.context["action"] == "exclude"


def test_what_was_decided_does_not_wait_any_more(
    client: Client, listing: Listing, clock: Clock
) -> None:
    visits = [done(listing, "S1"), done(listing, "S2")]
    decide(client, listing.study, visits[:1])

    page = client.get(url(listing.study, "visits"))

    assert [row.visit for row in page.context["rows"]] == visits[1:]
    assert {name: n for name, _l, n in page.context["tabs"]}["decided"] == 1
    everybody = text(client.get(url(listing.study, "visits"), {"show": "all"}))
    assert everybody.count('name="visit"') == 1
    assert 'name="action"' not in text(
        client.get(url(listing.study, "visits"), {"show": "decided"})
    )
    listings = client.get(url(listing.study, "platforms")).context["rows"]
    assert [row.n_to_review for row in listings] == [1]


@pytest.mark.slow
def test_the_page_takes_as_many_queries_for_three_hundred_visits(
    client: Client, listing: Listing, clock: Clock
) -> None:
    address = url(listing.study, "visits")
    done(listing, "first")
    few = n_queries(lambda: client.get(address))
    for n in range(299):
        done(listing, f"S{n}", outcome="failed_checks")
    many = n_queries(lambda: client.get(address))
    page = client.get(address, {"show": "all", "page": "2"})

    assert many <= few
    assert len(page.context["rows"]) == 100
    assert "?show=all&amp;page=3" in text(page)


# -- decisions ----------------------------------------------------------------------------------


def test_a_decision_says_first_what_it_does(
    client: Client, listing: Listing, clock: Clock
) -> None:
    visits = [done(listing, "S1"), done(listing, "S2")]

    page = decide(client, listing.study, visits, confirmed="")

    assert page.status_code == 200
    assert "Approve: 2 visits?" in text(page)
    assert "3.00 USD" in text(page)
    assert not Intent.objects.exists()


def test_nothing_chosen_or_nothing_to_do_is_said(client: Client, listing: Listing) -> None:
    visit = done(listing, "S1")
    for visits, fields in (
        ([], {}),
        (["x", "\x00", "9" * 30, "-1"], {}),
        ([visit], {"action": "pay twice"}),
        ([visit], {"action": ""}),
    ):
        response = client.post(
            url(listing.study, "decide"),
            {"visit": [getattr(v, "pk", v) for v in visits], "action": "approve", **fields},
            follow=True,
        )
        assert len(said(response)) == 1
    assert not Intent.objects.exists()


@pytest.mark.parametrize("doubt", ["", "The receipt is of another visit."])
def test_what_the_page_suggests_is_chosen_beforehand(
    listing: Listing, client: Client, doubt: str
) -> None:
    failed = done(listing, "S1", outcome="failed_checks", doubt=doubt)
    passed = done(listing, "S2", doubt=doubt)

    chosen = [
        client.get(url(listing.study, "visit", visit.pk)).context["action"]
        for visit in (failed, passed)
    ]

    assert chosen == ["exclude", "approve"]


def test_the_list_of_listings_counts_the_visits_that_are_doubtful(
    listing: Listing, client: Client
) -> None:
    done(listing, "S1", doubt="The receipt is of another visit.")
    done(listing, "S2")

    [row] = client.get(url(listing.study, "platforms")).context["rows"]

    assert (row.n_visits, row.n_doubts) == (2, 1)


def test_in_a_dry_run_nothing_is_offered_that_would_be_refused(
    listing: Listing, client: Client
) -> None:
    visit = done(listing, "S1")
    Study.objects.update(dry_run=True)

    page = client.get(url(listing.study, "visit", visit.pk))

    assert page.context["is_held_back"]
    assert page.context["actions"] == []
    assert (page.context["bonus"], page.context["compensation"]) == (None, None)


def test_answers_count_anyway_only_where_there_are_some(listing: Listing, client: Client) -> None:
    unproven = {"verified_at": None, "remote_state": Visit.Remote.SUBMITTED}
    # The second one never began.
    visits = [
        done(listing, "S1", **unproven),
        done(listing, "S2", outcome="failed_checks", **unproven),
    ]

    offered = [
        client.get(url(listing.study, "visit", visit.pk)).context["may_vouch"] for visit in visits
    ]

    assert offered == [True, False]


def test_what_the_platform_refused_stands_on_the_page_and_leads_to_the_ledger(
    listing: Listing, client: Client, remote: Remote
) -> None:
    visit = done(listing, "S1")
    remote.faults = ["refuses"]
    bonus = decisions.bonus(
        visit=visit,
        amount=Decimal("0.50"),
        reason_code="thanks",
        message="Thanks.",
        by=listing.study.owner,
    )
    outbox.send_due()

    page = client.get(url(listing.study, "visit", visit.pk))

    assert [one.pk for one in page.context["row"].failed_intents] == [bonus.pk]
    assert page.context["row"].intents == []
    assert url(listing.study, "settle", bonus.pk) in text(page)


def test_one_visit_that_refuses_stops_none_of_the_others(
    client: Client, listing: Listing, clock: Clock
) -> None:
    visits = [
        done(listing, "S1"),
        done(listing, "S2", remote_state=Visit.Remote.RETURNED),
        done(listing, "S3"),
    ]

    response = client.get(decide(client, listing.study, visits)["Location"])

    assert kinds() == ["approve", "approve"]
    who = visits[1].run.assignment.annotator.pseudonym
    assert [each for each in said(response) if each.startswith(f"{who}: ")]
    assert "Approve: 2 visits." in said(response)


def test_who_was_compensated_is_paid_the_reward_only_where_that_is_ticked(
    client: Client, listing: Listing, clock: Clock
) -> None:
    visits = [done(listing, "S1"), done(listing, "S2")]
    Visit.objects.update(remote_state="")
    decisions.compensate(
        visit=visits[0], amount=Decimal("1.25"), message="Sorry.", by=listing.study.owner
    )
    Visit.objects.update(remote_state="submitted")

    listed = client.get(url(listing.study, "visits"))
    assert listed.context["chosen"] == {visits[1].pk}
    first = decide(client, listing.study, visits, confirmed="")
    assert "compensation 1.25 USD (planned)" in text(first)
    assert "although_compensated" in first.context["form"].fields
    assert "compensation 1.25 USD" in text(client.get(url(listing.study, "visit", visits[0].pk)))
    decide(client, listing.study, visits)
    assert sorted(kinds()) == ["approve", "compensate"]
    only = decide(client, listing.study, visits[1:], confirmed="")
    assert "although_compensated" not in only.context["form"].fields

    decide(client, listing.study, visits[:1], although_compensated="on")
    assert sorted(kinds()) == ["approve", "approve", "compensate"]

    # Of a rejection that is taken back the same holds.
    Visit.objects.update(remote_state="rejected")
    address = url(listing.study, "visit", visits[0].pk)
    client.post(address, {"do": "overturn"})
    assert len(kinds()) == 3
    client.post(address, {"do": "overturn", "although_compensated": "on"})
    assert len(kinds()) == 4


def test_a_double_click_or_two_researchers_approve_once(
    client: Client, listing: Listing, clock: Clock
) -> None:
    visit = done(listing, "S1")
    colleague = signed_in()
    listing.study.shared_with.add(int(colleague.session["_auth_user_id"]))

    for somebody in (client, client, colleague):
        decide(somebody, listing.study, [visit])

    assert kinds() == ["approve"]


def test_visits_of_another_study_are_left_alone(
    client: Client, listing: Listing, clock: Clock
) -> None:
    mine, theirs = done(listing, "S1"), done(make_listing(), "S2")

    decide(client, listing.study, [mine, theirs])
    alone = decide(client, listing.study, [theirs])

    assert list(Intent.objects.values_list("visit", flat=True)) == [mine.pk]
    assert alone["Location"] == url(listing.study, "visits")
    assert client.get(url(listing.study, "visit", theirs.pk)).status_code == 404


def test_leaving_out_keeps_the_reason_and_pays(
    client: Client, listing: Listing, clock: Clock
) -> None:
    run = join(listing.study).assignment.runs.get()
    visit = done(listing, "S1", outcome="failed_checks", run=run)

    asked = decide(client, listing.study, [visit], action="exclude", confirmed="")
    assert asked.context["form"]["reason"].value() == "Failed the checks."
    decide(client, listing.study, [visit], action="exclude", reason="Failed the checks.")

    assert kinds() == ["approve"]
    assert Exclusion.objects.get().reason == "Failed the checks."
    shown = text(client.get(url(listing.study, "visit", visit.pk)))
    assert "Left out of the data." in shown
    assert url(listing.study, "people") in shown


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"reason": "", "category": "no data"}, "reason"),
        ({"reason": "  ", "category": "no data"}, "reason"),
        ({"reason": "too short", "category": "no data"}, "reason"),
        ({"reason": f"{REASON}\x00", "category": "no data"}, "reason"),
        ({"reason": "x" * 1001, "category": "no data"}, "reason"),
        ({"reason": REASON, "category": ""}, "category"),
        ({"reason": REASON, "category": "because"}, "category"),
    ],
)
def test_a_rejection_without_its_reason_or_kind_is_said_at_the_field(
    client: Client, listing: Listing, clock: Clock, fields: dict[str, str], place: str
) -> None:
    response = decide(client, listing.study, [done(listing, "S1")], action="reject", **fields)

    assert response.status_code == 400
    assert {n: len(found) for n, found in response.context["form"].errors.items()} == {place: 1}
    assert not Intent.objects.exists()


def test_a_rejection_names_the_platforms_category_and_says_the_least_length(
    client: Client, listing: Listing, clock: Clock
) -> None:
    visit = done(listing, "S1")
    page = decide(client, listing.study, [visit], action="reject", confirmed="")
    assert "At least 20 characters" in text(page)
    assert '<option value="low effort">' in text(page)

    decide(client, listing.study, [visit], action="reject", reason=REASON, category="no data")

    assert Intent.objects.get().payload["category"] == "no data"


@pytest.mark.slow
def test_somebody_is_asked_to_return_it(client: Client, listing: Listing, clock: Clock) -> None:
    visit = done(listing, "S1", outcome="no_consent")

    asked = decide(client, listing.study, [visit], action="ask_return", confirmed="")
    decide(client, listing.study, [visit], action="ask_return", reason="It is empty.")

    # Nobody came in, so there is no pseudonym.
    assert "This concerns: S1." in text(asked)

    assert Intent.objects.get().payload["message"] == "It is empty."
    # They wait for the person, who may refuse, until the platform or somebody here says more.
    assert tabs_of(client, visit) == {"asked", "all"}
    outbox.send_due()
    decide(client, listing.study, [visit])
    assert tabs_of(client, visit) == {"decided", "all"}
    Intent.objects.filter(kind="approve").delete()
    Visit.objects.update(remote_state="returned")
    assert tabs_of(client, visit) == {"all"}


def tabs_of(client: Client, visit: Visit) -> set[str]:
    """Where the review shows a visit; the number at each tab says the same."""
    pages = {
        name: client.get(url(visit.listing.study, "visits"), {"show": name}) for name in SHOWN
    }
    found = {name for name, page in pages.items() if page.context["rows"]}
    assert found == {name for name, _label, n in pages["all"].context["tabs"] if n}
    return found


def test_in_a_dry_run_the_page_shows_what_would_be_and_nothing_is_asked(
    client: Client, listing: Listing, clock: Clock
) -> None:
    visit = done(listing, "S1")
    Study.objects.update(dry_run=True)

    assert "dry run" in text(decide(client, listing.study, [visit], confirmed=""))
    response = client.get(decide(client, listing.study, [visit])["Location"])

    assert any("dry run" in each for each in said(response))
    assert not Intent.objects.exists()


# -- one visit ----------------------------------------------------------------------------------


def bonus(client: Client, visit: Visit, **changes: str) -> Any:
    fields = {"amount": "0.50", "reason_code": "extra", "message": "Thank you.", **changes}
    sent = {f"bonus-{name}": value for name, value in fields.items()}
    return client.post(url(visit.listing.study, "visit", visit.pk), {"do": "bonus", **sent})


def test_a_bonus_is_paid_once_for_each_reason(
    client: Client, listing: Listing, clock: Clock
) -> None:
    visit = done(listing, "S1")

    bonus(client, visit)
    bonus(client, visit)
    other_amount = bonus(client, visit, amount="0,70")
    bonus(client, visit, reason_code="wage")

    assert other_amount.status_code == 409
    assert "already requested this" in text(other_amount)
    codes = Intent.objects.filter(kind="bonus").values_list("reason_code", "pays")
    assert set(codes) == {("extra", Decimal("0.50")), ("wage", Decimal("0.50"))}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("amount", ""),
        ("amount", "-1"),
        ("amount", "9" * 20),
        ("amount", "1 EUR"),
        ("amount", "\x00"),
        ("reason_code", "two words"),
        ("message", ""),
        ("message", "a\x00b"),
    ],
)
def test_a_bonus_that_cannot_be_is_said_at_the_field(
    client: Client, listing: Listing, clock: Clock, field: str, value: str
) -> None:
    response = bonus(client, done(listing, "S1"), **{field: value})

    assert response.status_code == 400
    assert {n: len(all_) for n, all_ in response.context["bonus"].errors.items()} == {field: 1}
    assert not Intent.objects.exists()


def test_a_bonus_of_nothing_or_beyond_the_cap_is_refused(
    client: Client, listing: Listing, clock: Clock
) -> None:
    visit = done(listing, "S1")

    assert "The amount must be above 0." in text(bonus(client, visit, amount="0"))
    assert "Raise the cap" in text(bonus(client, visit, amount="900"))
    assert not Intent.objects.exists()


def test_a_rejection_is_taken_back_once(client: Client, listing: Listing, clock: Clock) -> None:
    visit = done(listing, "S1", remote_state=Visit.Remote.REJECTED)
    address = url(listing.study, "visit", visit.pk)
    assert "Undo the rejection and pay" in text(client.get(address))

    for _twice in range(2):
        client.post(address, {"do": "overturn"})

    assert list(Intent.objects.values_list("kind", "reason_code")) == [("approve", "overturn")]
    assert "Undo the rejection and pay" not in text(client.get(address))


def test_notes_are_added_and_shown(client: Client, listing: Listing, clock: Clock) -> None:
    visit = done(listing, "S1")
    address = url(listing.study, "visit", visit.pk)

    for word in ("She wrote to us.", "Answered."):
        client.post(address, {"do": "note", "note-text": word})
    empty = client.post(address, {"do": "note", "note-text": " "})

    assert empty.status_code == 400
    visit.refresh_from_db()
    assert visit.note.count("She wrote to us.") == visit.note.count("Answered.") == 1
    assert "She wrote to us." in text(client.get(address))


def test_a_doubt_is_settled_by_a_person(client: Client, listing: Listing, clock: Clock) -> None:
    visit = done(listing, "S1", doubt="The receipt is missing.")
    address = url(listing.study, "visit", visit.pk)
    assert "The receipt is missing." in text(client.get(address))

    client.post(address, {"do": "settle_doubt"})

    visit.refresh_from_db()
    assert visit.doubt == ""


def test_whoever_could_not_hand_in_is_compensated_once(
    client: Client, listing: Listing, clock: Clock
) -> None:
    visit = done(listing, "S1", remote_state=Visit.Remote.TIMED_OUT)
    fields = {
        "do": "compensation",
        "compensation-amount": "1.50",
        "compensation-message": "Sorry.",
    }
    address = url(listing.study, "visit", visit.pk)
    assert "Compensation" in text(client.get(address))

    for _twice in range(2):
        client.post(address, fields)

    assert kinds() == ["compensate"]


def test_an_unknown_step_changes_nothing(client: Client, listing: Listing) -> None:
    visit = done(listing, "S1")

    assert client.post(url(listing.study, "visit", visit.pk), {"do": "\x00"}).status_code == 400
    assert not Intent.objects.exists()


# -- wages --------------------------------------------------------------------------------------


def pay_wage(client: Client, listing: Listing, typed: str, floor: str = "12.00") -> Any:
    return client.post(
        url(listing.study, "listing_wage", listing.pk),
        {"floor": floor, "typed": typed, "message": "It took longer."},
    )


def test_wages_and_what_a_floor_would_take(client: Client, listing: Listing, clock: Clock) -> None:
    # 1.50 for 10, 15 and 30 minutes: 9.00, 6.00 and 3.00 an hour.
    for n, minutes in enumerate((10, 15, 30)):
        done(listing, f"S{n}", minutes=minutes)

    for page in ("visits", "listing"):
        arguments = [listing.pk] if page == "listing" else []
        shown = text(client.get(url(listing.study, page, *arguments)))
        assert "6.00 USD" in shown
        assert "3.00 USD" in shown
    asked = client.get(url(listing.study, "listing_wage", listing.pk), {"floor": "12,00"})

    # A quarter of an hour at 12.00 is 3.00: 1.50 more, and 0.30 of fee, for three.
    found = asked.context["proposal"]
    assert (found.each, found.fee) == (Decimal("1.50"), Decimal("0.30"))
    assert found.total == Decimal("5.40")
    assert "<strong>5.40 USD</strong>" in text(asked)
    assert not Intent.objects.exists()


def test_the_bonus_for_a_wage_goes_to_everybody_once(
    client: Client, listing: Listing, clock: Clock
) -> None:
    for n in range(3):
        done(listing, f"S{n}", minutes=15)
    unseen = done(listing, "unseen", minutes=15, remote_state="unseen", verified_at=None)
    doubtful = {"outcome": "failed_checks", "doubt": "The receipt is of another visit."}
    done(listing, "doubtful", minutes=15, **doubtful)

    first, second = (pay_wage(client, listing, "5.40") for _twice in range(2))

    assert (first.status_code, second.status_code) == (302, 409)
    paid = Intent.objects.filter(kind="bonus")
    assert {(each.reason_code, each.pays) for each in paid} == {("wage", Decimal("1.50"))}
    assert paid.count() == 3
    assert not paid.filter(visit=unseen).exists()
    clock.move(minutes=1)
    outbox.send_due()
    # Another floor, on another day: who had it has had it.
    found = client.get(url(listing.study, "listing_wage", listing.pk), {"floor": "20"}).context
    assert (found["proposal"].n_before, found["proposal"].n_waiting) == (3, 2)
    assert not found["proposal"].visits


@pytest.mark.parametrize("typed", ["5.39", "", "x", "5.40 EUR"])
def test_another_sum_pays_nobody(
    client: Client, listing: Listing, clock: Clock, typed: str
) -> None:
    for n in range(3):
        done(listing, f"S{n}", minutes=15)

    response = pay_wage(client, listing, typed)

    assert response.status_code == 400
    assert len(response.context["form"].errors["typed"]) == 1
    assert not Intent.objects.exists()


@pytest.mark.parametrize("floor", ["", "x", "-1", "9" * 30, "\x00"])
def test_a_floor_that_cannot_be_is_said_at_the_field(
    client: Client, listing: Listing, clock: Clock, floor: str
) -> None:
    done(listing, "S1")

    asked = client.get(url(listing.study, "listing_wage", listing.pk), {"floor": floor})
    posted = pay_wage(client, listing, "1.00", floor)

    for response in (asked, posted):
        assert response.status_code == 400
        assert len(response.context["floor"].errors["floor"]) == 1
    assert not Intent.objects.exists()


def test_no_wage_is_raised_that_is_high_enough_or_beyond_the_cap_or_in_a_dry_run(
    client: Client, listing: Listing, clock: Clock
) -> None:
    done(listing, "S1", minutes=15)

    enough = pay_wage(client, listing, "0.00", "6.00")
    spending.set_cap(study=listing.study, currency="USD", cap=Decimal("1.79"), by=None)
    too_much = pay_wage(client, listing, "1.80")
    Study.objects.update(dry_run=True)
    dry = pay_wage(client, listing, "1.80")

    for response, why in (
        (enough, "The median has already reached this wage, so"),
        (too_much, "Raise"),
        (dry, "dry run"),
    ):
        assert response.status_code == 409
        assert why in text(response)
    assert not Intent.objects.exists()


def test_nobody_was_timed_yet(client: Client, listing: Listing) -> None:
    page = client.get(url(listing.study, "listing_wage", listing.pk), {"floor": "12"})

    assert "No times yet" in text(page)
    assert pay_wage(client, listing, "1.00").status_code == 400


def test_of_a_panel_nothing_is_decided_here(remote: Remote, clock: Clock) -> None:
    study = make_open_study()
    panel = Listing.objects.create(study=study, number=1, platform="panel", n_places=3)
    done(panel, "S1", remote_state="unseen")

    page = text(signed_in(study.owner).get(url(study, "visits"), {"show": "all"}))

    assert "A panel pays its own people, so there is nothing" in page
    # By this the panel knows whom to give credit.
    assert "W-S1" in page
    assert "not seen" not in page
    assert 'name="action"' not in page


def test_people_are_written_to_where_the_platform_can_do_that(
    client: Client, listing: Listing, clock: Clock
) -> None:
    visit = done(listing, "S1")
    page = client.get(url(listing.study, "visit", visit.pk))
    client.post(
        url(listing.study, "visit", visit.pk),
        {"do": "message", "message-text": "Hello.", "message-number": "1"},
    )
    study = make_open_study(dry_run=False)
    panel = Listing.objects.create(study=study, number=1, platform="panel", n_places=3)
    address = url(study, "visit", done(panel, "S1", remote_state="unseen").pk)
    of_panel = signed_in(study.owner)
    refused = of_panel.post(
        address, {"do": "message", "message-text": "Hello.", "message-number": "1"}
    )

    assert page.context["conversation"] is None  # it does not show what was exchanged
    assert [intent.visit for intent in Intent.objects.filter(kind="message")] == [visit]
    assert refused.status_code == 409
    assert "message" not in of_panel.get(address).context


def test_a_panels_credit_list_is_a_table_by_its_own_ids_and_holds_no_formula(
    remote: Remote, clock: Clock
) -> None:
    study = make_open_study()
    panel = Listing.objects.create(
        study=study,
        number=1,
        platform="panel",
        n_places=3,
        state="published",
        published_at=clock.time,
        options={"redirects": {"screened_out": "https://panel.example/out?id={person}"}},
        codes={"completed": "DONE1", "screened_out": "OUT1", "failed_checks": "CHECK1"},
    )
    unseen = {"remote_state": "unseen", "verified_at": None}
    completed = done(panel, "S1", person_id="=1+2", **unseen)
    answer_all(completed.run.assignment)
    done(panel, "", person_id="P2", outcome="screened_out", **unseen)
    done(panel, "S3", person_id="P3", outcome="", state="working", ended_at=None, **unseen)
    withdrawn = done(panel, "S4", outcome="failed_checks", **unseen)
    Visit.objects.filter(pk=withdrawn.pk).update(person=None)
    client = signed_in(study.owner)

    response = client.get(url(study, "listing_credit", panel.pk))

    head, *rows = (line.split("\t") for line in text(response).splitlines())
    assert f'filename="{study.slug}-listing-1-credit.tsv"' in response["Content-Disposition"]
    begun = [visit.created_at.isoformat() for visit in Visit.objects.order_by("pk")]
    ended = clock.time.isoformat()
    of_run = [
        str(completed.run.assignment.judgments.count()),
        completed.run.assignment.annotator.pseudonym,
    ]
    assert head == [column.name for column in crowd_tables.panel_credit()]
    assert rows == [
        ["'=1+2", "S1", "completed", "DONE1", begun[0], ended, *of_run],
        # Led back by an address, they saw no code.
        ["P2", "", "screened_out", "", begun[1], ended, "0", ""],
        ["P3", "S3", "", "", begun[2], "", "0", ""],
        ["", "S4", "failed_checks", "CHECK1", begun[3], ended, "0", ""],
    ]
    assert of_run[0] != "0"
    for page in ("visits", "listing"):
        shown = text(client.get(url(study, page, *([panel.pk] if page == "listing" else []))))
        assert url(study, "listing_credit", panel.pk) in shown
        assert "personal data" in shown
        # Beside the title of a listing its own state would be read.
        assert "study: open" in shown
    assert "study: open" not in text(client.get(url(study, "change")))


def test_a_second_parts_credit_list_counts_its_own_answers(remote: Remote, clock: Clock) -> None:
    study = rating.make_rating_study(phases=rating.TWICE, pairs=3)
    assignment = rating.join(study).assignment
    rating.rate_phase(assignment)
    for run in assignment.runs.order_by("phase__number"):
        n = run.phase.number
        panel = Listing.objects.create(study=study, number=n, platform="panel", phase_number=n)
        make_visit(panel, f"S{n}", run=run)

    counted = [
        record.n_answers
        for one in study.listings.order_by("number")
        for record in queries.credit(one)
    ]

    assert counted == [assignment.judgments.count(), 0]


def test_of_a_paid_platform_no_ids_of_people_are_handed_out(
    client: Client, listing: Listing, clock: Clock
) -> None:
    done(listing, "S1")

    assert client.get(url(listing.study, "listing_credit", listing.pk)).status_code == 404
    for page, arguments in (("visits", []), ("listing", [listing.pk])):
        assert "credit.tsv" not in text(client.get(url(listing.study, page, *arguments)))
