"""Going on from the instructions, past the comprehension question if there is one."""

from django.db.models import F

from annotation.basics import clock
from annotation.models import Annotator


def begin(*, annotator: Annotator) -> None:
    """Note when somebody first went on; going on twice changes nothing."""
    Annotator.objects.filter(pk=annotator.pk, instructed_at=None).update(instructed_at=clock.now())


def try_comprehension(*, annotator: Annotator, chosen: int) -> bool:
    """Count a try at the comprehension question; the right one lets them begin."""
    Annotator.objects.filter(pk=annotator.pk, instructed_at=None).update(
        comprehension_tries=F("comprehension_tries") + 1
    )
    if chosen != annotator.study.comprehension["right"]:
        return False
    begin(annotator=annotator)
    return True
