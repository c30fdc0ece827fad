"""What is made once for a module is the same for each of its tests."""

from pathlib import Path

import pytest
from django.conf import settings

from annotation.models import Study
from tests.support.factories import make_open_study
from tests.support.once import made_once

pytestmark = pytest.mark.django_db

MADE: list[int] = []


@made_once
def study() -> Study:
    study = make_open_study()
    (settings.DATA / "note").write_text("of the study")
    MADE.append(study.pk)
    return study


@pytest.mark.parametrize("time", [1, 2])
def test_what_a_test_changes_is_as_it_was_for_the_next(study: Study, time: int) -> None:
    assert [study.pk] == MADE
    assert study.title != "Changed"
    assert Study.objects.count() == 1

    study.title = "Changed"
    study.save()
    make_open_study()


def test_a_test_has_files_of_its_own(study: Study, tmp_path: Path) -> None:
    assert tmp_path == settings.DATA
    assert (tmp_path / "note").read_text() == "of the study"
