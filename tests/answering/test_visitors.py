"""To what a key leads: whose it is, and what they work on."""

import pytest

from annotation.answering.queries import visitors
from annotation.answering.services import assignments
from annotation.models import Annotator
from tests.support.answering import answer_all
from tests.support.checking import make_checked_comparisons
from tests.support.factories import join, make_open_study

pytestmark = pytest.mark.django_db


def holder_of(annotator: Annotator) -> visitors.KeyHolder:
    holder = visitors.of_key(annotator.key_hash)
    assert holder is not None
    assert holder.annotator == annotator
    return holder


def test_a_key_leads_to_the_latest_booklet() -> None:
    study = make_open_study(dialogues=4, parameters={"screens_per_booklet": 5}, max_booklets=0)
    first = join(study)
    answer_all(first.assignment)
    assignments.submit(assignment=first.assignment)

    second = assignments.claim_another(annotator=first.annotator)

    run = holder_of(first.annotator).run
    assert run is not None
    assert run.assignment == second != first.assignment


def test_checks_are_those_of_the_own_study() -> None:
    checked = make_checked_comparisons()
    unchecked = make_open_study()

    assert holder_of(join(checked).annotator).has_told_checks
    assert not holder_of(join(unchecked).annotator).has_told_checks
