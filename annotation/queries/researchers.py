"""What researchers are called in files: a user name may be somebody's own or an address."""

from annotation.models import Adjudication, Relabelling, Study


def names(study: Study) -> dict[int, str]:
    """By primary key: "researcher 1" and so on, of all who corrected something in a study."""
    who = {
        pk
        for model in (Adjudication, Relabelling)
        for pk in model._default_manager.filter(study=study).values_list("by", flat=True)
    }
    return {pk: f"researcher {number}" for number, pk in enumerate(sorted(who), start=1)}
