"""The items of a study as the pairs of texts that measures compare."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.db.models import Count, Max, Sum

from annotation.core.queries.item_texts import Side, item_texts
from annotation.models import Study
from scoring.baselines import Pair


@dataclass(frozen=True, eq=False)
class StudyPairs:
    """Items in the order of their numbers, without the checks: these are not studied."""

    keys: Sequence[str]
    pairs: Sequence[Pair]
    # The key of each item's pool.
    pools: Sequence[str]

    def __len__(self) -> int:
        return len(self.keys)

    @cached_property
    def digest(self) -> str:
        """A hash of ids, texts and contexts: values that were computed for others do not fit."""
        digest = hashlib.sha256()
        for key, pair in zip(self.keys, self.pairs, strict=True):
            fields = [key, pair.first, pair.second, pair.first_context, pair.second_context]
            digest.update(json.dumps(fields, ensure_ascii=True).encode() + b"\n")
        return digest.hexdigest()


def read_pairs(study: Study) -> StudyPairs:
    """All items but checks; memory grows with the texts."""
    is_studied = set(study.items.without_checks().values_list("key", flat=True))
    keys, pairs, pools = [], [], []
    for item in item_texts(study):
        if item.key not in is_studied:
            continue
        keys.append(item.key)
        pools.append(item.pool)
        pairs.append(
            Pair(
                item.target.text,
                item.candidate.text,
                _before(item.target),
                # A candidate that is not a turn is shown at the place of the target.
                _before(item.target if item.candidate.place is None else item.candidate),
            )
        )
    return StudyPairs(keys, pairs, pools)


def digest(study: Study) -> str:
    """What a baseline computed now would have as its digest."""
    return read_pairs(study).digest


def stamp(study: Study) -> dict[str, int]:
    """Which items there are, in numbers that cost one query.

    Texts are imported anew and never edited: as long as it is the same, so is the digest. The
    reverse does not hold, for the same file may be imported again.
    """
    totals = study.items.without_checks().aggregate(n=Count("pk"), total=Sum("pk"), last=Max("pk"))
    # PostgreSQL answers with a Decimal.
    return {name: int(value or 0) for name, value in totals.items()}


def _before(side: Side) -> tuple[str, ...]:
    """The turns of the context up to the text, which is not among them."""
    return tuple(text for _speaker, text in side.turns[: side.place])
