"""Pages with nothing to do yet lead on; long lists of booklets are short."""

import pytest

from annotation.people.queries.people import in_runs
from tests.support.factories import make_study
from tests.support.researcher_pages import signed_in, url


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["release_new", "pilots"])
def test_where_nothing_can_be_done_yet_the_steps_are_one_click_away(name: str) -> None:
    study = make_study(dialogues=0)

    page = signed_in(study.owner).get(url(study, name)).content.decode()

    assert f'<a class="action primary" href="{url(study, "change")}">' in page


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ([], ""),
        ([3], "3"),
        ([2, 1], "1, 2"),
        (range(1, 49), "1–48"),
        ([1, 2, 3, 7, 9, 8], "1–3, 7–9"),
    ],
)
def test_booklets_are_written_as_runs(numbers: list[int], said: str) -> None:
    assert in_runs(numbers) == said
