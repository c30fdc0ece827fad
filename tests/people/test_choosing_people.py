"""The table of people: what is offered there, and what sorting by time reads."""

import re
from statistics import median

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.answering.services import rosters, withdrawal
from annotation.core.queries import median_times
from annotation.models import Annotator, Judgment, Study
from annotation.people.queries import people_order
from annotation.people.queries.people import person_rows
from annotation.people.services import exclusions
from tests.support.factories import make_open_study
from tests.support.researcher_pages import finish_booklet, in_one_line, signed_in, text, url

pytestmark = pytest.mark.django_db

EXCLUDE, INCLUDE = ">Exclude</button>", ">Include again</button>"
OF_EXCLUDED, OF_FLAGGED = 'name="group" value="excluded"', 'name="group" value="flagged"'
WITH_AND_WITHOUT = ">Compare scores with and without them</button>"


def page_of(client: Client, study: Study) -> str:
    page = in_one_line(text(client.get(url(study, "people"))))
    return page[page.index("<tbody") :]


@pytest.mark.slow
def test_only_what_can_be_done_with_somebody_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rosters.wiping, "wipe", lambda: None)
    study = make_open_study(dialogues=2)
    rosters.add_roster(study=study, entries=[rosters.RosterEntry("s1")])
    client = signed_in(study.owner)

    nobody = page_of(client, study)
    finish_booklet(study)
    one = page_of(client, study)
    (answered,) = Annotator.objects.filter(assignments__judgments__isnull=False).distinct()
    exclusions.exclude(annotator=answered, reason="asleep", by=study.owner)
    excluded = page_of(client, study)
    finish_booklet(study)
    both = page_of(client, study)

    assert "Nobody here has answers" in nobody
    assert "<button" not in nobody
    assert "checkbox" not in nobody
    assert (EXCLUDE in one, INCLUDE in one, WITH_AND_WITHOUT in one) == (True, False, True)
    assert OF_EXCLUDED not in one
    assert (EXCLUDE in excluded, INCLUDE in excluded) == (False, True)
    assert OF_EXCLUDED in excluded
    assert (EXCLUDE in both, INCLUDE in both) == (True, True)
    # Nobody has flags in a study that was not scored.
    assert OF_FLAGGED not in both
    withdrawal.withdraw(annotator=answered)
    assert OF_EXCLUDED not in page_of(client, study)


def times_of(who: Annotator) -> list[int]:
    rows = Judgment.objects.current().filter(assignment__annotator=who)
    return [ms for ms in rows.values_list("active_ms", flat=True) if ms is not None]


@pytest.mark.slow
def test_median_times_are_those_of_all_answers() -> None:
    study = make_open_study(dialogues=3, parameters={"screens_per_booklet": 30})
    for place in range(4):
        finish_booklet(study)
        who = study.annotators.order_by("pk")[place]
        rows = Judgment.objects.filter(assignment__annotator=who).order_by("pk")
        for number, row in enumerate(rows):
            # Ties, an order of their own, and of the second one less, so that their number is odd.
            is_known = number > place % 2 and place != 3
            row.active_ms = 100 * (number * 7 % 5) + 1000 * place if is_known else None
            row.save(update_fields=["active_ms"])
    everybody = list(study.annotators.order_by("pk"))

    found = median_times.median_seconds(everybody)

    assert {len(times_of(who)) % 2 for who in everybody[:3]} == {0, 1}
    assert found == {who.pk: pytest.approx(median(times_of(who)) / 1000) for who in everybody[:3]}
    rows = person_rows(study, everybody)
    assert [row.seconds_per_question for row in rows] == [found.get(who.pk) for who in everybody]
    assert [row.n_answered for row in rows] == [30] * 4
    down = people_order.in_order(study, simulated=False, show="all", sort="-seconds")
    assert down == [everybody[place].pk for place in (2, 1, 0, 3)]


@pytest.mark.slow
def test_sorting_by_time_takes_as_many_queries_however_many_answers_there_are() -> None:
    counts = []
    for dialogues, n_people in ((1, 2), (4, 5)):
        study = make_open_study(dialogues=dialogues, parameters={"screens_per_booklet": 40})
        for _person in range(n_people):
            finish_booklet(study)
        Judgment.objects.update(active_ms=1200)
        client = signed_in(study.owner)
        with CaptureQueriesContext(connection) as queries:
            page = client.get(url(study, "people"), {"sort": "seconds"})
        counts.append(len(queries))
        assert len(re.findall(r">1\.2<", text(page))) == n_people
        # The times of a person are nowhere read as they stand.
        read = [one["sql"] for one in queries.captured_queries if "active_ms" in one["sql"]]
        assert read
        assert all("ROW_NUMBER" in sql or "SUM(" in sql for sql in read)

    assert counts[0] == counts[1]
