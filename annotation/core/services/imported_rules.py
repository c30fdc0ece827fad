"""What an imported study refuses: asking people, and new values once something rests on them."""

from annotation.basics.errors import FrozenError, StateError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.models import Assignment, Study

NOBODY_ASKED = _(
    "This study is imported: its values were collected elsewhere, and Likeness "
    "collects no answers."
)

NO_ANSWERS = _("This study has only imported values, not single answers.")


def refuse_asking(study: Study) -> None:
    """Raise StateError where something is to be prepared or done to ask people."""
    if study.is_imported:
        raise StateError(NOBODY_ASKED)


def refuse_scoring(study: Study) -> None:
    """Raise StateError where values were imported, and no answers."""
    if study.is_imported_table:
        raise StateError(NO_ANSWERS)


def refuse_changing(study: Study) -> None:
    """Raise FrozenError, with the reason, where something rests on imported values."""
    if reason := dependents(study):
        raise FrozenError(reason)


def dependents(study: Study) -> Said:
    """What rests on the values of a study; empty if they can be imported anew."""
    if Assignment.objects.filter(annotator__study=study).exists():
        return _(
            "This study has imported answers, which are never deleted. Make a new study instead."
        )
    if study.releases.exists():
        return _("This study has releases, which others may cite. Make a new study instead.")
    if study.later_rounds.exists():
        return _("Another study continues with the items of this one. Make a new study instead.")
    return ""
