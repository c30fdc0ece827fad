"""The groups that the items of a file are in: where each begins, and how large it is."""

from array import array
from collections import Counter
from collections.abc import Iterator

from annotation.basics.sentences import Problem, Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.items.imports.ids import DistinctIds
from annotation.items.imports.problems import shown
from annotation.models.items import ONE_POOL


class Groups:
    def __init__(self) -> None:
        self.ids = DistinctIds()
        # The first line of each group.
        self.lines: dict[str, int] = {}
        # Checks are not counted.
        self.sizes: Counter[str] = Counter()
        # Lines of items that have no group.
        self.lines_without = array("l")
        self._with_checks: set[str] = set()

    def add(self, line: int, group: str, *, is_check: bool) -> None:
        self.lines.setdefault(group, line)
        self.sizes[group] += not is_check
        if is_check:
            self._with_checks.add(group)

    def missing(self, *, are_compared: bool) -> Iterator[tuple[int, Said]]:
        """A problem for each item without a group, if other items have one."""
        for line in self.lines_without:
            yield (
                line,
                Problem(
                    "missing",
                    _("group is missing, but others have one"),
                    _("give every item a group, or none"),
                )
                if are_compared
                else Problem(
                    "missing",
                    _("group is missing, but others have one"),
                    _(
                        "give every item a group, or none (only a pair with an expected value"
                        " may do without)"
                    ),
                ),
            )

    def too_small(self, tuple_size: int) -> Iterator[tuple[int, Said]]:
        """A problem for each group that has fewer items than are shown at once."""
        for group, n in self.sizes.items():
            # A check shows all of its items at once, however few they are.
            if n < tuple_size and group not in self._with_checks:
                problem = Problem(
                    "conflict",
                    ngettext(
                        "group %(group)s has %(n)s item, but the design shows %(size)s at once",
                        "group %(group)s has %(n)s items, but the design shows %(size)s at once",
                        n,
                    ),
                    _("add items, or choose a smaller tuple size"),
                )
                yield (
                    self.lines[group],
                    problem % {"group": shown(group), "n": n, "size": tuple_size},
                )


def group_problem(text: str) -> Said:
    """What keeps a text that is not empty from being the name of a group."""
    if text == ONE_POOL:
        return Problem(
            "conflict",
            _("%(field)s %(text)s is reserved for items without a group"),
            _("rename it"),
        ) % {"text": shown(text)}
    return ""
