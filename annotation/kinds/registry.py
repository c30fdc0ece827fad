"""All kinds of studies. Code in a kind's own folder does not import this."""

from annotation.kinds.base import StudyKind
from annotation.kinds.best_worst.kind import BEST_WORST
from annotation.kinds.label.kind import LABEL
from annotation.kinds.ranking.kind import RANKING
from annotation.kinds.rating.kind import RATING
from annotation.kinds.selection.kind import SELECTION
from annotation.models import Study

KINDS: dict[str, StudyKind] = {
    kind.slug.value: kind for kind in (BEST_WORST, RATING, LABEL, SELECTION, RANKING)
}


def kind_of(study: Study) -> StudyKind:
    """The kind of a study."""
    return KINDS[study.kind]
