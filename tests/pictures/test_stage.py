"""What the pictures show can be made: pages change, and what stands on them must follow."""

from collections.abc import Callable
from functools import cached_property

import pytest

from annotation.models import Study
from tests.pictures import label_results, measured, reviewed
from tests.pictures.research import Desk
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db
STUDIES = [name for name, made in vars(Desk).items() if isinstance(made, cached_property)]


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_can_be_made(name: str) -> None:
    assert getattr(Desk("http://testserver", "en"), name)


@pytest.mark.parametrize("make", [label_results.collected, reviewed.checked, reviewed.reviewed])
def test_a_study_of_labels_can_be_made(make: Callable[[Desk], Study]) -> None:
    assert make(Desk("http://testserver", "en"))


def test_a_trained_model_can_be_shown() -> None:
    desk = Desk("http://testserver", "en")

    trainings = signed_in(desk.user).get(url(measured.trained(desk), "trainings"))

    assert trainings.status_code == 200
