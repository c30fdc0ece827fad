"""Simulated people select by the words that two sentences share."""

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from annotation.answering.services import giving_way
from annotation.designs.services import designs
from annotation.kinds.registry import kind_of
from annotation.kinds.selection.taste import draw_selection_taste
from annotation.models import Judgment, Pick
from annotation.models.kinds import Source
from annotation.simulation import over_http, through_services
from annotation.studies.services import studies
from tests.support import factories, selecting

pytestmark = pytest.mark.django_db


def make_news_study():
    study = selecting.make_selection_study(incidents=0, open_it=False)
    selecting.add_incident(
        study,
        "flood",
        summary=["The river flooded the market square."],
        reports={
            "r": [
                "A concert was called off.",
                "The river flooded the square at midnight.",
                "Firemen watch the river.",
            ]
        },
    )
    designs.make(design=study.design)
    return studies.open_study(study=study)


def test_without_noise_the_words_decide_whatever_the_order() -> None:
    study = make_news_study()
    taste = draw_selection_taste(study, noise=0, seed=1)
    question = study.design.booklets.get().questions.get()
    concert, river, firemen = options = selecting.choices(question)

    answer = taste.select(question.pk, options, person=1)

    assert [answer.similar, answer.middle, answer.dissimilar] == [river, firemen, concert]
    assert answer.similar_rating > answer.middle_rating > answer.dissimilar_rating == 0
    assert answer == taste.select(question.pk, options[::-1], person=2)


def test_random_choices_favour_no_sentence() -> None:
    study = make_news_study()
    taste = draw_selection_taste(study, noise=np.inf, seed=1)
    question = study.design.booklets.get().questions.get()
    options = selecting.choices(question)

    picks = [taste.select(question.pk, options, person=p).similar for p in range(900)]

    # 300 each; four standard deviations of a binomial are 57.
    assert all(abs(picks.count(turn) - 300) < 57 for turn in options)


def test_simulated_people_answer_through_the_services() -> None:
    study = selecting.make_selection_study(incidents=3, incidents_per_booklet=1)

    done = through_services.answer(
        study=study,
        taste=kind_of(study).simulation.taste(study, noise=None, seed=1),
        n_annotators=3,
    )

    assert (done.n_booklets, done.n_answers) == (3, 6)
    assert Pick.objects.count() == 18
    assert set(study.annotators.values_list("source", flat=True)) == {Source.SIMULATED}


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_full", [False, True])
def test_selections_come_over_http_as_well(open_server, is_full: bool) -> None:
    study = selecting.make_selection_study(incidents=2)
    while is_full and giving_way.has_room(study):
        factories.join(study)
    journal = over_http.Journal()

    done = over_http.answer(
        study=study,
        taste=kind_of(study).simulation.taste(study, noise=None, seed=1),
        n_annotators=1,
        base=open_server.url,
        at_once=1,
        journal=journal,
    )

    assert done.n_answers == 4
    for one in journal.answers:
        for pick in Judgment.objects.get(question=one.question).picks.all():
            assert one.answer.turns[pick.role] == pick.turn_id
            assert one.answer.ratings[pick.role] == pick.rating


def test_the_command_simulates_and_refuses_latent_scores(tmp_path, capsys) -> None:
    study = selecting.make_selection_study()

    with pytest.raises(CommandError, match="no latent scores"):
        call_command("simulate", study.slug, "--write-latent", str(tmp_path / "latent.tsv"))
    call_command("simulate", study.slug, "--annotators", "1")

    assert '"answers": 2' in capsys.readouterr().out
