"""The pairs that a model is trained on, that test it, and that a cross-encoder labels for it."""

from collections.abc import Mapping

from annotation.baselines.queries import human_scores, training_pairs
from annotation.baselines.queries.score_sources import Source
from annotation.baselines.services import model_links
from annotation.baselines.services.training_requests import LabellingOptions, TrainingSource
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.scored_pairs import ScoredPairs, is_new
from annotation.basics.sentences import sentence as _
from annotation.core.services import trained_models
from annotation.items.imports import text_pairs
from annotation.items.services import uploads
from annotation.kinds.rating.queries import later_tests
from annotation.kinds.registry import kind_of
from annotation.models import Study
from scoring.baselines import Pair


def pairs_to_label(
    study: Study,
    learnt: TrainingSource,
    labelled: LabellingOptions,
    learn: ScoredPairs,
    tests: Mapping[str, ScoredPairs],
) -> list[tuple[str, str]]:
    """The pairs that the cross-encoder labels: none that tests the model, none that people judged.

    Raises StateError or AnnotationError if there are none, or if the cross-encoder itself was
    trained on pairs that test the model.
    """
    if not labelled.model.strip():
        raise AnnotationError(_("Name the cross-encoder that labels the additional pairs."))
    model_links.refuse(labelled.model.strip())
    texts: list[tuple[str, str]] = []
    if labelled.upload:
        path = uploads.upload(study=study, name=labelled.upload["path"])
        with path.open("rb") as file:
            texts += text_pairs.read(file)
    if labelled.unscored:
        is_own = learnt.study is None or learnt.study == study
        texts += training_pairs.unscored(study, _source(study, learnt.source if is_own else None))
    new_pairs = training_pairs.new_texts(texts, [learn, *tests.values()])
    if not new_pairs:
        raise StateError(
            _(
                "There is no additional pair to label. Upload pairs that are neither training "
                "nor test pairs."
            )
        )
    for test in tests.values():
        pairs = [Pair(*text) for text in test.texts]
        if trained_models.is_trained_on(labelled.model, pairs).any():
            raise StateError(
                _(
                    "%(model)s was trained on test pairs of this study, so its labels would "
                    "leak the test. Choose another cross-encoder, or the split that it was "
                    "trained with."
                )
                % {"model": labelled.model}
            )
    return new_pairs


def read(study: Study, learnt: TrainingSource) -> tuple[ScoredPairs, dict[str, ScoredPairs]]:
    """The pairs to train on, and the tests; no pair is in both.

    Raises StateError or AnnotationError, with what to do, where either is missing.
    """
    other = kind_of(learnt.study).baselines if learnt.study else None
    is_selected = other is not None and other.has_selected_pairs
    if learnt.limit is not None and not is_selected:
        raise AnnotationError(_("These pairs do not come from a selection study. Choose “all”."))
    if learnt.study is None or learnt.study == study:
        return _parts(study, learnt) if learnt.share is None else _drawn(study, learnt)
    if learnt.share is not None:
        raise AnnotationError(
            _(
                "Only this study can be split. Another study is always used for training as a "
                "whole."
            )
        )
    if learnt.tests.strip():
        raise AnnotationError(
            _("Leave this empty, because all items of this study are for testing.")
        )
    tests = training_pairs.tests_of(study)
    if is_selected:
        if learnt.source is not None:
            raise AnnotationError(
                _("Selected pairs have their own ratings. Do not choose scores for them.")
            )
        pairs = training_pairs.of_selections(learnt.study, limit=learnt.limit, where=learnt.where)
        # The same rule as for the training files of the export and the release.
        tested = later_tests.tested_keys(learnt.study)
        pairs = pairs.part(is_new(pairs.texts, tested))
    else:
        source = _source(learnt.study, learnt.source)
        pairs = training_pairs.of_scores(learnt.study, source, where=learnt.where)
    return pairs.without(tests.values()), tests


def _parts(study: Study, learnt: TrainingSource) -> tuple[ScoredPairs, dict[str, ScoredPairs]]:
    if not learnt.where.strip():
        raise AnnotationError(
            _(
                "Say which items of this study are for training, such as split == 'train'. The "
                "others are for testing."
            )
        )
    source = _source(study, learnt.source)
    pairs = training_pairs.of_scores(study, source, where=learnt.where)
    of_others = learnt.tests.strip() or f"not ({learnt.where})"
    others = training_pairs.of_scores(study, source, where=of_others)
    return pairs.without([others]), {"test": others}


def _drawn(study: Study, learnt: TrainingSource) -> tuple[ScoredPairs, dict[str, ScoredPairs]]:
    """A part of the study's items, drawn at random, and the others."""
    if learnt.tests.strip():
        raise AnnotationError(
            _("In a random split, the remaining items are for testing. Do not name test items.")
        )
    if learnt.share is None or not 0 < learnt.share < 1:
        raise AnnotationError(_("Training share: choose a number between 0 and 1."))
    source = _source(study, learnt.source)
    pairs, groups = training_pairs.of_scores_in_groups(study, source, where=learnt.where)
    is_drawn = training_pairs.drawn(groups, share=learnt.share, seed=learnt.seed)
    if is_drawn is None:
        raise StateError(
            _(
                "All items of %(study)s belong to one dialogue or incident, so they cannot be "
                "split at random."
            )
            % {"study": study.title}
        )
    tests = pairs.part(~is_drawn)
    return pairs.part(is_drawn).without([tests]), {"test": tests}


def _source(study: Study, source: Source | None) -> Source:
    people = source or human_scores.usual(study)
    if people is None:
        raise StateError(
            _("%(study)s has no scores from people. Score it, or name a column.")
            % {"study": study.title}
        )
    return people
