"""Simulated annotators: kept apart from birth, and choosing as they are told."""

import json

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from annotation.errors import AnnotationError
from annotation.models import Annotator, Judgment
from annotation.models.kinds import Source
from annotation.services import studies
from annotation.simulation import choosing, demo, through_services
from tests.factories import make_open_study, make_study, make_user

pytestmark = pytest.mark.django_db


def test_without_noise_the_latent_scores_decide() -> None:
    taste = choosing.Taste({7: 0.2, 8: 0.9, 9: 0.1}, noise=0, seed=1)

    assert taste.pick([7, 8, 9], person=1, question=1) == (8, 9)
    assert taste.pick([9, 8, 7], person=2, question=5) == (8, 9)


def test_random_clicking_picks_every_pair_alike() -> None:
    taste = choosing.Taste({}, noise=np.inf, seed=1)

    picks = [taste.pick([1, 2, 3], person=1, question=q) for q in range(3000)]

    counts = {pair: picks.count(pair) for pair in set(picks)}
    assert len(counts) == 6
    # Six pairs of 500 each; four standard deviations of a binomial are 82.
    assert max(abs(n - 500) for n in counts.values()) < 82


def test_the_same_question_is_answered_alike_whatever_the_order_on_the_screen() -> None:
    taste = choosing.Taste({1: 0.5, 2: 0.5, 3: 0.5}, noise=1, seed=1)

    assert taste.pick([1, 2, 3], person=4, question=2) == taste.pick(
        [3, 1, 2], person=4, question=2
    )


def test_simulated_people_are_simulated_from_birth() -> None:
    study = make_open_study()

    done = through_services.answer(
        study=study, taste=choosing.draw_taste(study, noise=0.3, seed=1), n_annotators=3
    )

    assert done.n_annotators == 3
    assert set(Annotator.objects.values_list("source", flat=True)) == {Source.SIMULATED}
    assert Judgment.objects.count() == done.n_answers
    assert set(Judgment.objects.values_list("assignment__place__source", flat=True)) == {
        Source.SIMULATED
    }


def test_the_command_says_when_places_ran_out(capsys) -> None:
    study = make_open_study(parameters={"annotations_per_tuple": 2})

    call_command("simulate", study.slug, "--annotators", "5")

    printed = capsys.readouterr()
    assert json.loads(printed.out)["annotators"] == 2
    assert "2 of 5 took part" in printed.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nosuch"], "There is no study 'nosuch'"),
        (["{slug}", "--noise", "-1"], "choose 0 or more"),
        (["{slug}", "--annotators", "0"], "choose 1 or more"),
        (["{slug}", "--latent", "/nowhere.tsv"], "cannot be read"),
        (["{slug}", "--over-http", "--base-url", "http://127.0.0.1:1/"], "Nothing answers at"),
    ],
)
def test_what_cannot_be_simulated_is_said(arguments: list[str], sentence: str) -> None:
    study = make_open_study()

    with pytest.raises(CommandError, match=sentence):
        call_command("simulate", *(argument.format(slug=study.slug) for argument in arguments))


def test_latent_scores_must_cover_every_item() -> None:
    study = make_open_study(dialogues=1)

    with pytest.raises(AnnotationError, match="item d1-2 and 3 more have no latent score"):
        choosing.draw_taste(study, noise=0, seed=1, given={"d1-1": 0.5})


def test_only_an_open_study_is_simulated() -> None:
    study = make_study()

    with pytest.raises(AnnotationError, match="is draft"):
        through_services.prepare_places(study)


def test_the_demo_is_two_open_studies_half_answered_by_simulated_people() -> None:
    made = demo.load(owner=make_user())

    assert [study.slug for study in made] == list(demo.SLUGS)
    for study in made:
        assert study.state == study.State.OPEN
        assert study.contexts.count() >= 12
        n_wanted = study.design.tuples.count() * 5
        assert study.annotators.exclude(source=Source.SIMULATED).count() == 0
        answered = Judgment.objects.filter(assignment__annotator__study=study)
        assert answered.count() == n_wanted / 2


def test_a_closed_study_lets_no_simulated_person_in() -> None:
    study = studies.close(study=make_open_study())

    with pytest.raises(AnnotationError, match="is closed"):
        through_services.answer(
            study=study, taste=choosing.draw_taste(study, noise=0, seed=1), n_annotators=1
        )
