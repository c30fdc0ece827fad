"""No page is rendered inside a transaction: a slow template must not hold anybody's lock."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.signals import template_rendered
from django.urls import reverse

from annotation.studies.services import studies
from tests.support import factories
from tests.support.annotating import Participant
from tests.support.researcher_pages import PAGES, signed_in, url

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def rendered() -> Iterator[list[tuple[str, bool]]]:
    """Every template that was rendered, and whether a transaction was open meanwhile."""
    seen: list[tuple[str, bool]] = []

    def note(template: Any, **_: Any) -> None:
        seen.append((template.name, connection.in_atomic_block))

    template_rendered.connect(note)
    yield seen
    template_rendered.disconnect(note)


def names(rendered: list[tuple[str, bool]]) -> set[str]:
    return {name.rpartition("/")[2] for name, _ in rendered}


def inside(rendered: list[tuple[str, bool]]) -> set[str]:
    return {name for name, in_transaction in rendered if in_transaction}


@pytest.mark.slow
def test_no_annotators_page_is_rendered_inside_a_transaction(
    rendered: list[tuple[str, bool]],
) -> None:
    participant = Participant(factories.make_open_study(max_booklets=1))
    client, study = participant.client, participant.study
    join = reverse("annotator:join", args=[study.join_token])
    client.get(join)
    client.post(join, {})
    client.post(reverse("annotator:return", args=[study.join_token]), {"code": "nothing"})
    participant.get("s/1/")
    # One choice only: the screen comes back with what is missing, after it was kept.
    form = participant.filled(1)
    participant.post("s/1/", {n: v for n, v in form.items() if not n.endswith("-worst")})
    participant.post("submit/")
    participant.answer_everything()
    participant.get("overview/")
    participant.post("submit/")
    participant.get()
    participant.post("submit/")
    participant.post("more/")
    participant.get("withdraw/")
    participant.post("withdraw/", {})
    participant.post("withdraw/", {"confirm": "1"})
    participant.get()
    studies.finish(study=study)
    client.get(join)

    assert names(rendered) >= {
        "consent.html",
        "screen.html",
        "overview.html",
        "thanks.html",
        "withdraw.html",
        "withdrawn.html",
        "problem.html",
        "return.html",
    }
    assert inside(rendered) == set()


@pytest.mark.slow
def test_no_researchers_page_is_rendered_inside_a_transaction(
    rendered: list[tuple[str, bool]],
) -> None:
    study = factories.make_open_study()
    client = signed_in(study.owner)
    for name, (arguments, methods) in PAGES.items():
        # These are files, not pages.
        if not arguments and "GET" in methods and name not in {"archive", "label_studio"}:
            client.get(url(study, name))

    assert names(rendered) >= {"desk.html", "design.html", "people.html", "results.html"}
    assert inside(rendered) == set()


def test_a_page_inside_a_transaction_is_noticed(rendered: list[tuple[str, bool]]) -> None:
    participant = Participant(factories.make_open_study())

    with transaction.atomic():
        participant.get("s/1/")

    assert "answering/screen.html" in inside(rendered)
