"""What is wrong with a table in which one mistake is made in many lines."""

from annotation.basics.sentences import Said, Sentence
from annotation.basics.sentences import sentence as _
from annotation.items.imports.problems import Problems

# Problems of one kind that are listed.
ALIKE = 5


class AlikeProblems(Problems):
    """The first problems of each kind are listed, and the others of it counted."""

    def __init__(self) -> None:
        super().__init__()
        self._n_of: dict[str, int] = {}
        # The line of the last listed problem of each kind.
        self._last: dict[str, int] = {}

    def add(self, line: int | None, message: Said) -> None:
        kind = message.singular if isinstance(message, Sentence) else message
        self._n_of[kind] = self._n_of.get(kind, 0) + 1
        if self._n_of[kind] <= ALIKE:
            super().add(line, message)
            self._last[kind] = line or 0
        else:
            self._n += 1

    @property
    def sentences(self) -> list[Said]:
        """In the order of lines; how many of a kind are not listed stands after its last one."""
        more = [
            (self._last[kind], _("and %(n)s more like this") % {"n": n - ALIKE})
            for kind, n in self._n_of.items()
            if n > ALIKE
        ]
        # Sorting is stable: of one line its own problem comes first.
        listed: list[tuple[int, Said]] = [*self._listed, *more]
        return [sentence for _line, sentence in sorted(listed, key=lambda entry: entry[0])]
