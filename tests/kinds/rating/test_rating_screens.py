"""What a rating screen says beside the two texts."""

import pytest
from django.test import Client

from annotation.models import Judgment
from tests.support import rating

pytestmark = pytest.mark.django_db


def page_of(client: Client, study) -> str:
    joined = rating.join(study)
    return client.get(f"/a/{joined.key}/s/1/").content.decode()


def test_the_question_that_two_answers_are_about_stands_above_them(client: Client) -> None:
    study = rating.make_rating_study(pairs=1)
    study.items.update(metadata={"question": "Which colour has <the> sky?"})

    page = page_of(client, study)

    assert "Which colour has &lt;the&gt; sky?" in page
    assert page.index("Which colour") < page.index("First text")


@pytest.mark.parametrize("metadata", [{}, {"question": 7}, {"question": ""}])
def test_without_a_question_nothing_stands_there(client: Client, metadata: dict) -> None:
    study = rating.make_rating_study(pairs=1)
    study.items.update(metadata=metadata)

    assert "above-pair" not in page_of(client, study)


def test_the_parts_are_counted_where_there_are_several(client: Client) -> None:
    assert "Part 1 of 2" in page_of(client, rating.make_rating_study(phases=rating.TWICE))
    assert "Part 1 of" not in page_of(client, rating.make_rating_study())


def test_the_context_is_shown_in_its_phase_only(client: Client) -> None:
    alone = page_of(client, rating.make_rating_study(pairs=1))
    in_context = page_of(client, rating.make_rating_study(pairs=1, phases=rating.IN_CONTEXT))

    assert "Sentence 2 of summary 1." not in alone
    assert "Sentence 2 of summary 1." in in_context
    assert in_context.count('<mark class="rated-sentence">') == 2


@pytest.mark.parametrize("value", ["7", "-1", "2.5", "1e1", "nan", "x"])
def test_a_value_off_the_scale_is_refused_and_nothing_is_stored(
    client: Client, value: str
) -> None:
    study = rating.make_rating_study(pairs=1)
    joined = rating.join(study)
    question = joined.assignment.booklet.questions.get()
    page = client.get(f"/a/{joined.key}/s/1/").content.decode()
    shown = page.split(f'name="q{question.pk}-shown" value="')[1].split('"')[0]
    answer = {"rating": value, "shown": shown, "sequence": 1}
    answer |= {"idempotency_key": "7f0f3a52-3a0f-4a39-8f3e-3f5f3a1d9a03"}

    response = client.post(
        f"/a/{joined.key}/q/{question.pk}/", answer, headers={"Accept": "application/json"}
    )

    assert response.status_code == 400
    assert not Judgment.objects.exists()
