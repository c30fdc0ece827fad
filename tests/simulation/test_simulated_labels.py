"""Simulated people choose the latent category of an item, and now and then another one."""

from collections import Counter

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from annotation.kinds.label.taste import LabelTaste, draw_label_taste
from annotation.kinds.registry import kind_of
from annotation.models import Annotator, Choice, Judgment, PhaseRun
from annotation.models.kinds import Source
from annotation.simulation import over_http, through_services
from tests.support import rating
from tests.support.labelling import NAMES, make_label_study, said

pytestmark = pytest.mark.django_db


def taste_of(noise: float, *, several: bool = False, pairs: int = 6) -> LabelTaste:
    return draw_label_taste(make_label_study(pairs=pairs, several=several), noise=noise, seed=1)


@pytest.mark.parametrize("several", [False, True])
def test_without_noise_the_latent_categories_are_chosen(several) -> None:
    taste = taste_of(0, several=several)

    for item, names in taste.latent.items():
        assert all(taste.label(item, person=p, occasion=1) == names for p in range(20))


def test_every_category_is_latent_somewhere_and_one_at_a_time() -> None:
    taste = taste_of(0, pairs=60)

    assert {len(names) for names in taste.latent.values()} == {1}
    assert {name for names in taste.latent.values() for name in names} == {*NAMES}


def test_noise_is_how_often_another_one_is_chosen() -> None:
    taste = taste_of(0.3)
    item, (own,) = next(iter(taste.latent.items()))

    chosen = Counter(taste.label(item, person=p, occasion=1) for p in range(2000))

    assert set(chosen) == {(name,) for name in NAMES}
    # 1400 and 300 each; four standard deviations of a binomial are 82 and 64.
    assert abs(chosen.pop((own,)) - 1400) < 82
    assert all(abs(n - 300) < 64 for n in chosen.values())


def test_where_several_may_be_chosen_some_are_left_out_and_as_many_added() -> None:
    taste = taste_of(0.2, several=True)
    item, own = next(iter(taste.latent.items()))

    answers = [{*taste.label(item, person=p, occasion=1)} for p in range(2000)]

    assert all(answers)
    added = sum(len(answer - {*own}) for answer in answers) / len(answers)
    assert abs(added - 0.2 * len(own)) < 0.05
    assert any({*own} <= answer and len(answer) > len(own) for answer in answers)


@pytest.mark.parametrize("several", [False, True])
def test_random_clicking_favours_no_category(several) -> None:
    taste = taste_of(np.inf, several=several)
    item = next(iter(taste.latent))

    chosen = Counter(name for p in range(1200) for name in taste.label(item, person=p, occasion=1))

    assert max(chosen.values()) - min(chosen.values()) < 130


def test_the_same_question_is_answered_alike_when_it_is_asked_again() -> None:
    taste = taste_of(0.5)
    item = next(iter(taste.latent))

    assert taste.label(item, person=3, occasion=4) == taste.label(item, person=3, occasion=4)


def test_simulated_people_label_all_phases_and_leave_the_pause_out() -> None:
    study = make_label_study(pairs=4, several=True, phases=rating.TWICE)
    taste = kind_of(study).simulation.taste(study, noise=None, seed=1)

    done = through_services.answer(study=study, taste=taste, n_annotators=1)

    assert (done.n_booklets, done.n_answers) == (1, 8)
    assert Judgment.objects.count() == 8
    assert Choice.objects.filter(category__in=NAMES).count() >= 8
    assert PhaseRun.objects.filter(completed_at=None).count() == 0
    assert Annotator.objects.get().source == Source.SIMULATED


def test_what_comes_again_in_a_booklet_is_labelled_again() -> None:
    study = make_label_study(pairs=6, n_repeats=2, repeat_distance=2)
    taste = kind_of(study).simulation.taste(study, noise=0, seed=1)

    done = through_services.answer(study=study, taste=taste, n_annotators=1)

    assert done.n_answers == 8
    again = Judgment.objects.filter(question__block__purpose="repeat").select_related("question")
    assert {judgment.kind for judgment in again} == {"label"}
    assert [tuple(said(j)) for j in again] == [taste.latent[j.question.item_id] for j in again]


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.django_db(transaction=True)
def test_labels_come_over_http_as_well(open_server, several) -> None:
    study = make_label_study(pairs=6, several=several, questions_per_screen=2)
    journal = over_http.Journal()

    done = over_http.answer(
        study=study,
        taste=draw_label_taste(study, noise=0.4, seed=1),
        n_annotators=1,
        base=open_server.url,
        at_once=1,
        journal=journal,
    )

    assert done.n_answers == len(journal.answers) == 6
    for one in journal.answers:
        assert said(Judgment.objects.get(question=one.question)) == list(one.answer.categories)


@pytest.mark.django_db(transaction=True)
def test_points_in_words_are_rated_over_http_as_well(open_server) -> None:
    words = {"low": "0", "high": "1", "step": "1", "labels": {"0": "other", "1": "the same"}}
    study = rating.make_rating_study(pairs=4, scale=words)
    journal = over_http.Journal()

    over_http.answer(
        study=study,
        taste=kind_of(study).simulation.taste(study, noise=None, seed=1),
        n_annotators=1,
        base=open_server.url,
        at_once=1,
        journal=journal,
    )

    stored = Judgment.objects.values_list("question", "rating")
    assert {(one.question, int(one.answer.rating)) for one in journal.answers} == {*stored}


def test_the_command_simulates_and_writes_what_it_drew(tmp_path, capsys) -> None:
    study = make_label_study(pairs=3)
    path = tmp_path / "latent.tsv"

    call_command("simulate", study.slug, "--annotators", "1", "--write-latent", str(path))

    assert '"answers": 3' in capsys.readouterr().out
    header, *rows = [line.split("\t") for line in path.read_text().splitlines()]
    assert header == ["id", "latent"]
    assert [key for key, _ in rows] == ["p1", "p2", "p3"]
    assert {name for _, name in rows} <= {*NAMES}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--noise", "1.5"], "of labels choose from 0 to 1"),
        (["--noise", "nan"], "of labels choose from 0 to 1"),
        (["--latent", "scores.tsv"], "--write-latent"),
    ],
)
def test_what_cannot_be_simulated_is_said(arguments, sentence) -> None:
    study = make_label_study(pairs=1)

    with pytest.raises(CommandError, match=sentence):
        call_command("simulate", study.slug, *arguments)
