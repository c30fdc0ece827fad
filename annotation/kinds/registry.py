"""All kinds of studies. Code in a kind's own folder does not import this."""

from annotation.kinds.base import StudyKind
from annotation.models import Study
from annotation.models.kinds import QuestionKind

KINDS: dict[str, StudyKind] = {kind.value: StudyKind(kind) for kind in QuestionKind}


def kind_of(study: Study) -> StudyKind:
    """The kind of a study."""
    return KINDS[study.kind]
