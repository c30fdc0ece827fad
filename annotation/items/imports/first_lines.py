"""Where somebody answered something first: two numbers for each answer, and no object."""

from array import array


class FirstLines:
    """Who answered what in which line; what was answered twice is found at once."""

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._keys = array("q")
        self._lines = array("q")
        # Made when the first is looked for: most files say nothing twice.
        self._by_key: dict[int, int] = {}

    def note(self, person: int, thing: int, line: int) -> int | None:
        """The line in which this person answered the same before; None: now it is known."""
        key = (person << 32) | thing
        if key in self._seen:
            if not self._by_key:
                self._by_key = dict(zip(self._keys, self._lines, strict=True))
            return self._by_key[key]
        self._seen.add(key)
        self._keys.append(key)
        self._lines.append(line)
        if self._by_key:
            self._by_key[key] = line
        return None
