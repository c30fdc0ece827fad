"""A study's history: who changed what, in the words of a sentence that is said anew to readers."""

import json
from collections.abc import Collection, Sequence

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.utils.functional import Promise

from annotation.models import Study
from annotation.sentences import Sentence, stored
from annotation.sentences import sentence as _


def write(
    *,
    study: Study,
    said: str | Promise,
    by: User | None,
    flag: int = CHANGE,
    through_api: bool = False,
) -> None:
    """One line of it; what the software did by itself has nobody to be named."""
    if by is None:
        return
    if through_api:
        said = _("%(what)s (Through the API.)") % {"what": said}
    LogEntry.objects.log_actions(
        user_id=by.pk,
        queryset=[study],
        action_flag=flag,
        change_message=stored(said),
        single_object=True,
    )


def latest(study: Study, known: Collection[Sentence], *, n: int) -> Sequence[LogEntry]:
    """The last lines that say one of some sentences, whatever their values."""
    entries = LogEntry.objects.filter(
        content_type__app_label="annotation",
        content_type__model="study",
        object_id=str(study.pk),
    )
    found = entries.none()
    for sentence in known:
        # As `stored` begins one with its text.
        begin = f'{{"say": {json.dumps(sentence.singular, ensure_ascii=False)}'
        found |= entries.filter(change_message__startswith=begin)
    return list(found.select_related("user").order_by("-action_time", "-pk")[:n])
