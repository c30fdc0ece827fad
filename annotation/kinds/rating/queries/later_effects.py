"""On which pairs of a study a later round found an effect of context."""

from django.db.models.functions import Coalesce

from annotation.basics.scored_pairs import pair_key
from annotation.core.queries import counted_answers
from annotation.core.queries.counted_answers import Population
from annotation.kinds.queries.study_facts import chosen_options
from annotation.kinds.rating.queries.answers import CONDITIONS, read_ratings
from annotation.kinds.rating.queries.items import ItemFigures
from annotation.kinds.rating.queries.later_tests import rounds_after
from annotation.kinds.scoring_options import ContextTest
from annotation.models import Block, Study
from annotation.models.kinds import QuestionKind

LEVEL = 0.05
_CHUNK = 2000


def rounds_in_two_phases(study: Study, population: Population) -> list[Study]:
    """Later rating studies of the same researcher with answers without and with context.

    Before both phases have counted answers, there is no effect that a result could take in.
    """
    return [
        later
        for later in rounds_after(study)
        if later.kind == QuestionKind.RATING
        and later.owner_id == study.owner_id
        and later.filling_job_id is None
        and all(_has_answers(later, condition, population) for condition in CONDITIONS)
    ]


def _has_answers(later: Study, condition: str, population: Population) -> bool:
    return (
        counted_answers.counted_judgments(later, population)
        .filter(
            question__block__phase__condition=condition,
            question__block__purpose=Block.Purpose.MAIN,
        )
        .exists()
    )


def stamps(rounds: list[Study], population: Population) -> list[list[int | str]]:
    """What tells apart two states of the answers to some rounds, and of their tests."""
    return [
        [
            later.pk,
            basis.n_judgments,
            basis.sum_of_keys,
            chosen_options(later.design, population).test,
        ]
        for later in rounds
        for basis in [counted_answers.basis(later, population)]
    ]


def significant_keys(study: Study, population: Population) -> tuple[ContextTest, set[str]]:
    """The test of the round's latest result, and keys of the pairs whose ratings context changes.

    Their p-value is below the level.
    """
    figures = ItemFigures(read_ratings(study, population))
    test = figures.used_test(chosen_options(study.design, population).test)
    is_significant = figures.is_significant(test, LEVEL, corrected=False)
    texts = study.items.order_by("number").values_list(
        Coalesce("target_text", "target_turn__text"),
        Coalesce("candidate_text", "candidate_turn__text"),
    )
    return test, {
        pair_key(target or "", candidate)
        for (target, candidate), is_kept in zip(
            texts.iterator(chunk_size=_CHUNK), is_significant, strict=True
        )
        if is_kept
    }
