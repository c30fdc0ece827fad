"""Texts published, agreed to and declined in any order: what is asked follows from the rows."""

import pytest
from django.db import transaction
from django.test import Client
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)

from annotation.core.queries import consents
from annotation.models import Consent, ConsentRefusal, Judgment
from annotation.studies.services import studies
from tests.answering.test_consent_anew import publish
from tests.support.annotating import Participant, read
from tests.support.factories import make_open_study

pytestmark = pytest.mark.slow


class Consenting(RuleBasedStateMachine):
    """Two people, whose pages are told by a few numbers that are kept beside the database."""

    def __init__(self) -> None:
        super().__init__()
        self.example = transaction.atomic()
        self.example.__enter__()
        self.study = make_open_study(dialogues=4, parameters={"screens_per_booklet": 5})
        self.people = [Participant(self.study, Client()) for _ in range(2)]
        # Shown to them before anything was published.
        self.tabs = [
            [(q, one.choice(q, idempotency_key=_key(n, q.pk))) for q in one.questions(1)]
            for n, one in enumerate(self.people)
        ]
        self.latest, self.asked = 1, 0
        self.agreed: list[set[int]] = [{1}, {1}]
        self.refused: list[set[int]] = [set(), set()]
        self.saved: list[set[int]] = [set(), set()]

    @rule(asks=st.booleans())
    def publish(self, asks: bool) -> None:
        self.latest += 1
        publish(self.study, f"Text {self.latest}.", asks=asks)
        if asks:
            self.asked = self.latest

    @rule(who=st.integers(0, 1))
    def agree(self, who: int) -> None:
        one = self.people[who]
        page = one.get("consent/")
        if not self.must(who):
            assert page["Location"] == one.url()
            return
        form = read(page).forms[one.url("consent/")]
        assert f"Text {self.latest}." in page.content.decode()
        assert one.post("consent/", {**form, "do": "agree"}).status_code == 303
        self.agreed[who].add(self.latest)

    @rule(who=st.integers(0, 1))
    def stop(self, who: int) -> None:
        must = self.must(who)
        self.people[who].post("stop/")
        if must:
            self.refused[who].add(self.latest)

    @rule(who=st.integers(0, 1), n=st.integers(0, 1))
    def save_from_an_old_tab(self, who: int, n: int) -> None:
        question, choice = self.tabs[who][n]
        answer = self.people[who].save(question, choice)
        is_known = question.pk in self.saved[who]
        assert answer.status_code == (409 if self.is_stopped(who) and not is_known else 200)
        if answer.status_code == 200:
            self.saved[who].add(question.pk)

    def must(self, who: int) -> bool:
        return max(self.agreed[who]) < self.asked

    def is_stopped(self, who: int) -> bool:
        """Since they agreed last."""
        later = max(self.refused[who], default=0) > max(self.agreed[who])
        return self.must(who) and later

    @invariant()
    def a_question_is_shown_to_whoever_agreed_to_what_is_asked(self) -> None:
        for who, one in enumerate(self.people):
            assert one.get("s/2/").status_code == (303 if self.must(who) else 200)

    @invariant()
    def every_row_is_what_was_said(self) -> None:
        for who, one in enumerate(self.people):
            mine = {"annotator": one.assignment.annotator_id}
            given = Consent.objects.filter(**mine).values_list("text__version", flat=True)
            assert set(given) == self.agreed[who]
            assert one.annotator.consent_version == max(self.agreed[who])
            said_no = ConsentRefusal.objects.filter(**mine)
            assert {no.text.version for no in said_no} == self.refused[who]
            kept = Judgment.objects.filter(assignment=one.assignment)
            assert {row.question_id for row in kept} == self.saved[who]

    @invariant()
    def the_researcher_sees_who_has_not_answered(self) -> None:
        study = studies.lock_study(self.study.pk)
        asked = [who for who in range(2) if self.must(who)]
        no = [who for who in asked if max(self.refused[who], default=0) >= self.asked]
        names = [one.annotator.pseudonym for one in self.people]
        assert {one.pseudonym for one in consents.stopped(study)} == {names[who] for who in no}
        assert {one.pseudonym for one in consents.unanswered(study)} == {
            names[who] for who in asked if who not in no
        }

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.example.__exit__(None, None, None)


def _key(who: int, question: int) -> str:
    return f"00000000-0000-4000-8000-{who:04}{question:08}"


@pytest.mark.timeout(300)
@pytest.mark.django_db
def test_any_order_of_publishing_agreeing_and_stopping() -> None:
    run_state_machine_as_test(
        Consenting,
        settings=hypothesis_settings(
            max_examples=5, stateful_step_count=12, deadline=None, derandomize=True
        ),
    )
