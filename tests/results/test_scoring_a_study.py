"""A stored result: what it says, and what it was computed from."""

import numpy as np
import pytest

from annotation.answering.services import assignments, withdrawal
from annotation.core.queries.counted_answers import basis
from annotation.core.services import jobs
from annotation.kinds.best_worst.taste import BestWorstTaste, draw_best_worst_taste
from annotation.models import ItemScore, Job, Result, Study
from annotation.people.services import exclusions
from annotation.simulation import through_services
from scoring import spearman
from tests.support.answering import answer_all
from tests.support.factories import join, make_open_study, make_user

pytestmark = pytest.mark.django_db


def score(study: Study, population: str = "people", n_splits: int = 20) -> Result:
    job = jobs.run_here(
        study=study,
        kind=Job.Kind.SCORE,
        parameters={"population": population, "n_splits": n_splits},
    )
    assert job.state == Job.State.DONE, job.error
    return job.result


def simulate(study: Study, *, noise: float, n_annotators: int = 5) -> BestWorstTaste:
    taste = draw_best_worst_taste(study, noise=noise, seed=3)
    through_services.answer(study=study, taste=taste, n_annotators=n_annotators)
    return taste


@pytest.mark.slow
def test_without_noise_every_dialogue_is_ranked_exactly() -> None:
    study = make_open_study(dialogues=4)
    taste = simulate(study, noise=0)

    result = score(study, "simulated")

    for pool in study.pools.all():
        rows = ItemScore.objects.filter(result=result, item__pool=pool).order_by("item__number")
        latent = [taste.latent[row.item_id] for row in rows]
        assert float(spearman(latent, [row.score for row in rows])) == pytest.approx(
            1.0, abs=1e-12
        )


@pytest.mark.slow
def test_random_clicking_scores_like_random_clicking() -> None:
    study = make_open_study(dialogues=20)
    simulate(study, noise=np.inf, n_annotators=10)

    overall = score(study, "simulated", n_splits=100).statistics["overall"]

    assert overall["n_judgments"] == 20 * 10 * 5
    assert abs(overall["split_half"]["random"]["spearman"]["mean"]) < 0.2
    assert abs(overall["alpha"]["joint"]["slot"]["alpha"]) < 0.05
    assert abs(overall["alpha"]["joint"]["uniform"]["alpha"]) < 0.05


@pytest.mark.slow
def test_simulated_answers_are_never_scored_with_real_ones() -> None:
    study = make_open_study()
    simulate(study, noise=0)
    real = join(study).assignment
    answer_all(real)
    assignments.submit(assignment=real)

    n_simulated = score(study, "simulated").n_judgments
    n_real = score(study, "people").n_judgments

    n_questions = real.booklet.questions.count()
    assert (n_simulated, n_real) == (20 * 5, n_questions)


@pytest.mark.slow
def test_unfinished_excluded_and_withdrawn_answers_do_not_count() -> None:
    study = make_open_study(parameters={"screens_per_booklet": 100})
    kept, excluded, withdrawn, unfinished = (join(study) for _ in range(4))
    for joined in (kept, excluded, withdrawn, unfinished):
        answer_all(joined.assignment)
    for joined in (kept, excluded, withdrawn):
        assignments.submit(assignment=joined.assignment)
    exclusions.exclude(annotator=excluded.annotator, reason="Said it was a test.", by=make_user())
    withdrawal.withdraw(annotator=withdrawn.annotator)

    result = score(study)

    assert result.n_judgments == 20
    exclusions.include_again(annotator=excluded.annotator, reason="seen again", by=study.owner)
    assert score(study).n_judgments == 40


def test_a_result_knows_when_it_is_out_of_date() -> None:
    study = make_open_study()
    first, second = join(study).assignment, join(study).assignment
    answer_all(first)
    assignments.submit(assignment=first)
    result = score(study)

    current_then = basis(study, "people").is_of(result)
    answer_all(second)
    assignments.submit(assignment=second)

    assert current_then
    assert not basis(study, "people").is_of(result)


@pytest.mark.slow
def test_the_same_answers_give_the_same_figures() -> None:
    study = make_open_study(dialogues=4)
    simulate(study, noise=0.3)

    assert score(study, "simulated").statistics == score(study, "simulated").statistics


@pytest.mark.slow
def test_groups_are_those_of_the_papers_tables() -> None:
    study = make_open_study(dialogues=4)
    simulate(study, noise=0.3)

    groups = score(study, "simulated").statistics["groups"]

    # All dialogues have one source, so by source there is nothing to compare.
    assert set(groups) == {"domain", "turns", "source x turns"}
    assert set(groups["turns"]["cells"]) == {"3", "5"}
    assert set(groups["turns"]["means"]) == {"cells", "judgments"}


def test_without_any_answer_the_reason_is_said_and_no_score_is_zero() -> None:
    result = score(make_open_study())

    halves = result.statistics["overall"]["split_half"]["random"]
    assert halves["spearman"]["mean"] is None
    assert halves["reason"]
    assert set(result.item_scores.values_list("appearances", "score")) == {(0, None)}


def test_a_job_with_unknown_people_is_refused() -> None:
    job = jobs.run_here(
        study=make_open_study(), kind=Job.Kind.SCORE, parameters={"population": "everybody"}
    )

    assert job.state == Job.State.FAILED
    assert "not a population" in job.problems[0]
