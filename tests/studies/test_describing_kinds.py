"""*Describe* of every kind of study: what is there is shown, and can be saved as it is."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.kinds.base import StudyKind
from annotation.kinds.registry import KINDS, kind_of
from annotation.models import Study
from annotation.studies.services import studies
from tests.support.factories import make_user, name_contact

pytestmark = pytest.mark.django_db


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def study(request: pytest.FixtureRequest) -> Study:
    kind: StudyKind = request.param
    preset = next(one for one in kind.studies.presets if not one.review)
    made = studies.create(owner=make_user(), title="A study", preset=preset.key)
    name_contact(made)
    return made


@pytest.mark.parametrize("state", [Study.State.DRAFT, Study.State.CLOSED])
def test_a_form_that_nobody_touched_is_valid_and_changes_nothing(study: Study, state: str) -> None:
    study.state = state
    form_class = kind_of(study).studies.describe_form
    shown = form_class(study, "Somebody, somebody@example.org.")
    sent = {
        name: shown.get_initial_for_field(field, name)
        for name, field in shown.fields.items()
        if not field.disabled
    }

    form = form_class(study, "Somebody, somebody@example.org.", sent)

    assert form.is_valid(), form.errors
    assert form.changes() == {}
    for name in form_class.OF_STUDY:
        assert shown.get_initial_for_field(shown.fields[name], name), name


def test_every_group_of_the_page_has_a_heading_and_a_field(client: Client, study: Study) -> None:
    client.force_login(study.owner)
    groups = client.get(reverse("admin:annotation_study_describe", args=[study.pk])).context[
        "groups"
    ]
    assert groups
    assert [group for group in groups if not (group["title"] and group["fields"])] == []
