"""Simulated annotators: kept apart from birth, and choosing as they are told."""

import json
from decimal import Decimal

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from annotation.answering.services import phases
from annotation.basics.errors import AnnotationError
from annotation.basics.scale import Scale
from annotation.kinds.best_worst.taste import BestWorstTaste, draw_best_worst_taste
from annotation.kinds.rating.taste import RatingTaste, draw_rating_taste
from annotation.kinds.registry import kind_of
from annotation.management.commands import serve
from annotation.models import Annotator, Judgment, PhaseRun
from annotation.models.kinds import Source
from annotation.simulation import demo, over_http, through_services
from annotation.studies.services import contacts, studies
from tests.support import rating
from tests.support.factories import make_open_study, make_study, make_user

pytestmark = pytest.mark.django_db


def test_without_noise_the_latent_scores_decide() -> None:
    taste = BestWorstTaste({7: 0.2, 8: 0.9, 9: 0.1}, noise=0, seed=1)

    assert taste.pick([7, 8, 9], person=1, question=1) == (8, 9)
    assert taste.pick([9, 8, 7], person=2, question=5) == (8, 9)


def test_random_clicking_picks_every_pair_alike() -> None:
    taste = BestWorstTaste({}, noise=np.inf, seed=1)

    picks = [taste.pick([1, 2, 3], person=1, question=q) for q in range(3000)]

    counts = {pair: picks.count(pair) for pair in set(picks)}
    assert len(counts) == 6
    # Six pairs of 500 each; four standard deviations of a binomial are 82.
    assert max(abs(n - 500) for n in counts.values()) < 82


def test_the_same_question_is_answered_alike_whatever_the_order_on_the_screen() -> None:
    taste = BestWorstTaste({1: 0.5, 2: 0.5, 3: 0.5}, noise=1, seed=1)

    assert taste.pick([1, 2, 3], person=4, question=2) == taste.pick(
        [3, 1, 2], person=4, question=2
    )


def test_simulated_people_are_simulated_from_birth() -> None:
    study = make_open_study()

    done = through_services.answer(
        study=study, taste=draw_best_worst_taste(study, noise=0.3, seed=1), n_annotators=3
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
    assert "2 of 5" in printed.err


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
        draw_best_worst_taste(study, noise=0, seed=1, given={"d1-1": 0.5})


def test_only_an_open_study_is_simulated() -> None:
    study = make_study()

    with pytest.raises(AnnotationError, match="is draft"):
        through_services.prepare_places(study)


@pytest.mark.slow
def test_the_demo_is_two_open_studies_half_answered_by_simulated_people() -> None:
    made = demo.load(owner=make_user())

    assert [study.slug for study in made] == list(serve.DEMO_SLUGS)
    # No study of people opens before its consent text names somebody.
    assert not any(contacts.unfilled(study) for study in made)
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
            study=study, taste=draw_best_worst_taste(study, noise=0, seed=1), n_annotators=1
        )


# -- ratings --------------------------------------------------------------------------------


def test_without_noise_a_rating_is_the_nearest_point_of_the_scale() -> None:
    scale = Scale.of({"low": "0", "high": "4", "step": "0.25"})
    taste = RatingTaste({1: 2.6, 2: -1, 3: 9}, {1: 0, 2: 0, 3: 0}, scale, seed=1)

    rated = [taste.rate(item, person=1, occasion=1) for item in (1, 2, 3)]

    assert rated == [Decimal("2.5"), 0, 4]


def test_simulated_people_rate_all_phases_and_leave_the_pause_out() -> None:
    study = rating.make_rating_study(
        pairs=4, ratings_per_item=2, phases=rating.TWICE, n_repeats=1, repeat_distance=2
    )

    done = through_services.answer(
        study=study,
        taste=kind_of(study).simulation.taste(study, noise=None, seed=1),
        n_annotators=2,
    )

    assert (done.n_annotators, done.n_booklets, done.n_answers) == (2, 2, 2 * 2 * 5)
    runs = PhaseRun.objects.filter(assignment__annotator__source=Source.SIMULATED)
    assert runs.filter(is_counted=True).count() == 4
    assert set(runs.filter(phase__number=2).values_list("reason", flat=True)) == {
        "simulated: the pause was left out"
    }


def test_the_pause_of_real_people_is_not_left_out() -> None:
    study = rating.make_rating_study(pairs=2, phases=rating.TWICE)
    joined = rating.join(study)
    rating.rate_phase(joined.assignment)

    assert through_services.skip_pause(study) == 0

    assert phases.latest(joined.assignment).reason == ""


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_ratings_come_over_http_as_well(open_server) -> None:
    study = rating.make_rating_study(
        pairs=3, ratings_per_item=2, phases=rating.TWICE, questions_per_screen=2
    )
    journal = over_http.Journal()

    done = over_http.answer(
        study=study,
        taste=kind_of(study).simulation.taste(study, noise=None, seed=1),
        n_annotators=2,
        base=open_server.url,
        at_once=1,
        journal=journal,
    )

    assert (done.n_booklets, done.n_answers) == (2, 12)
    stored = dict(Judgment.objects.values_list("question", "rating"))
    assert len(journal.answers) == 12
    assert all(one.answer.rating in [0, 1, 2, 3, 4, 5, 6] for one in journal.answers)
    assert {one.question for one in journal.answers} == set(stored)


def test_simulated_people_know_what_calibrates() -> None:
    study = rating.make_rating_study(pairs=4)
    study.items.filter(key="p1").update(expected=6)
    study.items.filter(key="p2").update(earlier_rating=2)

    taste = draw_rating_taste(study, noise=0, seed=1)

    pks = dict(study.items.values_list("key", "pk"))
    assert (taste.latent[pks["p1"]], taste.latent[pks["p2"]]) == (6, 2)
