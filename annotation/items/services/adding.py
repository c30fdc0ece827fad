"""Items that are added to those a draft has: calibration for pairs of an earlier round, say."""

from collections.abc import Iterator

from django.db.models import Manager, Model

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.items.imports.ids import look_of, similar_problem
from annotation.items.imports.parsed import ParsedItems
from annotation.kinds.registry import kind_of
from annotation.models import Study
from annotation.models.items import ONE_POOL

# A database takes only so many values in one question.
_AT_ONCE = 500


def can_add(study: Study) -> bool:
    """Items can be added if they are judged alone; items that are compared come from one file."""
    return not kind_of(study).items.why_no_additions


def clashes(study: Study, parsed: ParsedItems) -> list[Said]:
    """Why these items cannot stand beside those of the study; empty if they can."""
    names = (
        (
            study.items,
            (item.key for item in parsed.items),
            _("The study already has an item %(key)s. Change the id in the file."),
        ),
        (
            study.pools,
            (pool.key for pool in parsed.pools if pool.key != ONE_POOL),
            _("The study already has a group %(key)s. Change the name in the file."),
        ),
        (
            study.contexts,
            (context.key for context in parsed.contexts),
            _("The study already has a context %(key)s. Change the id in the file."),
        ),
        (
            study.context_groups,
            parsed.groups,
            _("The study already has an incident %(key)s. Change the id in the file."),
        ),
    )
    # Single texts may be their own ids.
    is_text = parsed.shape == "single"
    problems: list[Said] = []
    for rows, keys, sentence in names:
        every = list(keys)
        if (key := next(_there(rows, every), None)) is not None:
            problems.append(sentence % {"key": key})
        elif pair := _similar(rows, every, is_text=is_text):
            problems.append(similar_problem(*pair, _("the study")))
    return problems


def _similar(rows: "Manager[Model]", keys: list[str], *, is_text: bool) -> tuple[str, str] | None:
    """The first id of a file that people could not tell from one that is there, and that one."""
    known = {
        look_of(key, is_text=is_text): key
        for key in rows.values_list("key", flat=True).iterator(chunk_size=_AT_ONCE)
    }
    for key in keys:
        other = known.get(look_of(key, is_text=is_text), key)
        if other != key:
            return key, other
    return None


def _there(rows: "Manager[Model]", keys: list[str]) -> Iterator[str]:
    for first in range(0, len(keys), _AT_ONCE):
        some = keys[first : first + _AT_ONCE]
        yield from rows.filter(key__in=some).order_by("key").values_list("key", flat=True)
