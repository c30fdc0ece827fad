"""`manage.py next_round`: a round of its own from what was selected or rated, or nothing."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotation.core.services import jobs
from annotation.models import Study
from tests.baselines.test_training import rated, selected

pytestmark = pytest.mark.django_db


def test_what_was_selected_becomes_the_pairs_of_round_2(capsys) -> None:
    earlier = selected()

    call_command("next_round", earlier.slug, "second", "--title", "Round 2", "--json")

    said = json.loads(capsys.readouterr().out)
    assert said == {"study": "second", "earlier": earlier.slug, "items": 18}
    study = Study.objects.get(slug="second")
    assert (study.title, study.preset, study.owner) == ("Round 2", "czech-round-2", earlier.owner)
    assert study.earlier_round == earlier
    assert study.filling_job_id is None


def test_of_what_was_rated_some_groups_are_drawn() -> None:
    earlier = rated()

    call_command("next_round", earlier.slug, "third", "--groups", "2", "--seed", "4")

    study = Study.objects.get(slug="third")
    assert (study.preset, study.items.count()) == ("sts-context", 2)
    assert study.design.seed == 4


def test_the_first_of_each_person_can_be_taken() -> None:
    earlier = selected()

    call_command("next_round", earlier.slug, "second", "--first", "1")

    study = Study.objects.get(slug="second")
    assert study.items.count() == 3 * earlier.annotators.count()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["third", "--first", "0"], "--first: choose 1 or more"),
        (["third", "--first", "1", "--groups", "1"], "Leave one field empty"),
        (["third", "--groups", "0"], "choose 1 or more"),
        (["third", "--groups", "7"], "There are only 6 groups"),
        (["third", "--seed", "-1"], "choose 0 or more"),
        (["third!"], "third!"),
    ],
)
def test_what_cannot_be_is_refused_and_leaves_nothing(arguments: list[str], message: str) -> None:
    earlier = rated()

    with pytest.raises(CommandError, match=message):
        call_command("next_round", earlier.slug, *arguments)

    assert [*Study.objects.all()] == [earlier]


def test_a_name_that_is_taken_is_refused() -> None:
    earlier = rated()

    with pytest.raises(CommandError, match="already"):
        call_command("next_round", earlier.slug, earlier.slug)


def test_what_was_interrupted_leaves_nothing(monkeypatch) -> None:
    earlier = rated()

    def interrupted(run: jobs.Run) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(jobs, "_work_of", lambda kind: interrupted)
    with pytest.raises(CommandError) as end:
        call_command("next_round", earlier.slug, "third")

    assert end.value.returncode == 130
    assert [*Study.objects.all()] == [earlier]
