"""Pairs of texts with people's scores, to train a model on and to test it with."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from annotation.baselines.queries import baseline_subsets, human_scores, scored_items
from annotation.baselines.queries.score_sources import ColumnSource, ResultSource, Source
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.scored_pairs import ScoredPairs, pair_key
from annotation.basics.sentences import error_message
from annotation.basics.sentences import sentence as _
from annotation.kinds.rating.queries.baseline_pairs import StudyPairs, read_pairs
from annotation.kinds.registry import kind_of
from annotation.kinds.selection.queries.pick_rows import (
    SelectionRows,
    TrainingPair,
    TrainingPairs,
    training_pairs,
)
from annotation.models import Study
from scoring.arrays import BoolArray
from scoring.baselines.expression import DescribedPair
from shell.messages import message as gettext_noop

# Begins the name of a test of the pairs whose scores context changes.
SIGNIFICANT = "significant_"
MIN_TEST_PAIRS = 3
# Not by `_`, which makes sentences here: figures keep messages.
TOO_FEW = gettext_noop("fewer than three pairs show a significant effect of context")


def of_selections(study: Study, *, limit: int | None = None, where: str = "") -> ScoredPairs:
    """The pairs that people selected, with their ratings; `limit`: N1 or N2 alone.

    `where` is a condition on the columns of `train.tsv`.

    Raises StateError where people still select, or there is no such pair; AnnotationError where
    the condition cannot be read.
    """
    if study.state not in Study.OVER:
        raise StateError(
            _("%(study)s is still open. Close it first, so that its answers are complete.")
            % {"study": study.title}
        )
    selections = SelectionRows(study.design, "people")
    selected = training_pairs(selections)
    is_kept = _is_selected(selected, where)
    if limit is not None:
        is_kept &= selected.is_within(limit)
    low, high = float(selections.scale.low), float(selections.scale.high)
    scores = (np.array(selected.ratings, dtype=np.float64) - low) / (high - low)
    pairs = ScoredPairs([pair.texts for pair in selected.pairs], scores).part(is_kept)
    if not len(pairs):
        raise StateError(
            _("%(study)s has no pairs with ratings to train on.") % {"study": study.title}
        )
    return pairs


def _is_selected(selected: TrainingPairs, where: str) -> BoolArray:
    """Of which selected pairs a condition is true; without one, of all."""
    if not where.strip():
        return np.ones(len(selected), dtype=np.bool_)
    # The texts are no names of a condition.
    columns = [name for name in TrainingPair._fields if name not in {"text1", "text2"}]
    condition = baseline_subsets.read_condition(where)
    for name in condition.names:
        if name not in columns:
            raise AnnotationError(
                _("No item has a value for %(name)s. Choose one of %(known)s.")
                % {"name": name, "known": ", ".join(columns)}
            )
    described = (
        DescribedPair(*pair.texts, {name: getattr(pair, name) for name in columns})
        for pair in selected.pairs
    )
    try:
        return condition.mask(described)
    except ValueError as error:
        raise AnnotationError(error_message(error)) from error


def of_scores(study: Study, source: Source, *, where: str = "") -> ScoredPairs:
    """A study's items with what people said of them; only those of which `where` is true.

    Scores of a column are brought to the range from 0 to 1 by their least and greatest one.

    Raises StateError or AnnotationError, with what to do, where there are none.
    """
    return _scored(study, source, where)[0]


def of_scores_in_groups(
    study: Study, source: Source, *, where: str = ""
) -> tuple[ScoredPairs, list[int]]:
    """As `of_scores`, and of each pair the group that it belongs to."""
    scored, is_there = _scored(study, source, where)
    groups = [group for group, there in zip(_groups(study), is_there, strict=True) if there]
    return scored, groups


def drawn(groups: Sequence[int], *, share: float, seed: int) -> BoolArray | None:
    """Draw whole groups until they have a share of the pairs; None where there is but one group.

    As many pairs as that share asks for, or a few more if the last group is large; at least one
    group is left.
    """
    of_group = {group: n for n, group in enumerate(dict.fromkeys(groups))}
    if len(of_group) < 2:
        return None
    places = np.array([of_group[group] for group in groups])
    sizes = np.bincount(places)
    order = np.random.default_rng(seed).permutation(len(sizes))
    before = np.cumsum(sizes[order]) - sizes[order]
    is_taken = before < share * len(groups)
    is_taken[-1] = False
    is_drawn: BoolArray = np.isin(places, order[is_taken])
    return is_drawn


def _groups(study: Study) -> list[int]:
    """The group of each item but the checks; items of a group share a pool or a context."""
    rows = list(
        study.items.without_checks()
        .order_by("number")
        .values_list(
            "pool",
            "pool__context",
            "pool__context__group",
            "target_turn__context",
            "target_turn__context__group",
            "candidate_turn__context",
            "candidate_turn__context__group",
        )
    )
    # A single pool of all items connects nothing.
    has_pools = len({row[0] for row in rows}) > 1
    above: dict[tuple[str, int], tuple[str, int]] = {}

    def top(node: tuple[str, int]) -> tuple[str, int]:
        while (higher := above.setdefault(node, node)) != node:
            node = higher
        return node

    for place, (pool, *contexts) in enumerate(rows):
        of_pool = [("pool", pool)] if has_pools else []
        kinds = ("context", "group") * 3
        of_texts = [(kind, key) for kind, key in zip(kinds, contexts, strict=True) if key]
        for node in (*of_pool, *of_texts):
            above[top(node)] = top(("item", place))
    numbers: dict[tuple[str, int], int] = {}
    return [numbers.setdefault(top(("item", n)), len(numbers)) for n in range(len(rows))]


def unscored(study: Study, source: Source) -> list[tuple[str, str]]:
    """The texts of a study's items, without the checks, that have no score from people."""
    scores = human_scores.read(study, source).scores
    texts = _texts(read_pairs(study))
    return [text for text, score in zip(texts, scores, strict=True) if not np.isfinite(score)]


def new_texts(
    texts: Sequence[tuple[str, str]], known: Collection[ScoredPairs]
) -> list[tuple[str, str]]:
    """The texts that are not among the known pairs, each once."""
    seen = {key for pairs in known for key in pairs.keys}
    new = []
    for text in texts:
        if (key := pair_key(*text)) not in seen:
            seen.add(key)
            new.append(text)
    return new


def _scored(study: Study, source: Source, where: str) -> tuple[ScoredPairs, BoolArray]:
    """The scored pairs, and a mask of the study's items (without the checks) that they are."""
    pairs = read_pairs(study)
    is_kept = baseline_subsets.kept(study, pairs, where)
    scores = human_scores.read(study, source).scores.copy()
    if isinstance(source, ColumnSource):
        low, high = np.nanmin(scores), np.nanmax(scores)
        if low == high:
            raise StateError(
                _("All scores of %(study)s are equal, so there is nothing to learn.")
                % {"study": study.title}
            )
        scores = (scores - low) / (high - low)
    is_there = np.isfinite(scores)
    if is_kept is not None:
        is_there &= is_kept
    if not is_there.any():
        raise StateError(
            _("%(study)s has no item that meets the condition and has a score from people.")
            % {"study": study.title}
        )
    return ScoredPairs(_texts(pairs), scores).part(is_there), is_there


def tests_of(study: Study) -> dict[str, ScoredPairs]:
    """The test sets of a scored study, by the names that its download gives them.

    Of a rating study with both conditions there are those with significant effects of context,
    too, even where they are too few to tell (`too_few`). Raises StateError where there is no
    result of today's answers.
    """
    kind = kind_of(study)
    if kind.baselines.scores and not kind.results.counts_phases:
        return {"scores": of_scores(study, ResultSource())}
    phases = scored_items.phases(study)
    if not phases:
        raise StateError(
            _("%(study)s has no scores. Choose a best-worst, ranking or rating study.")
            % {"study": study.title}
        )
    often = Counter(condition for _number, condition in phases)
    names = {
        number: condition.removeprefix("context_") if often[condition] == 1 else f"phase {number}"
        for number, condition in phases
    }
    pairs = read_pairs(study)
    texts = _texts(pairs)
    is_significant = _is_significant(study, pairs)
    tests, significant = {}, {}
    for number, name in names.items():
        scores = human_scores.read(study, ResultSource(phase=number)).scores
        rated = ScoredPairs(texts, scores)
        is_there = np.isfinite(scores)
        tests[name] = rated.part(is_there)
        if is_significant is not None:
            significant[f"{SIGNIFICANT}{name}"] = rated.part(is_there & is_significant)
    return {**tests, **significant}


def too_few(tests: Mapping[str, ScoredPairs]) -> list[str]:
    """The tests of significant effects that are too small for a correlation."""
    return [
        name
        for name, test in tests.items()
        if name.startswith(SIGNIFICANT) and len(test) < MIN_TEST_PAIRS
    ]


def _is_significant(study: Study, pairs: StudyPairs) -> BoolArray | None:
    """Whether context changed each pair; None if the study lacks one of the conditions."""
    scores = kind_of(study).baselines.scores
    changed = scores.changed_by_context(study) if scores else None
    if changed is None:
        return None
    return np.array([key in changed for key in pairs.keys], dtype=np.bool_)


def _texts(pairs: StudyPairs) -> list[tuple[str, str]]:
    return [(pair.first, pair.second) for pair in pairs.pairs]
