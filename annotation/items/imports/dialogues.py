"""Dialogues with candidates: each is an object, as a line of JSON Lines has it."""

from annotation.basics.sentences import Problem, ngettext
from annotation.basics.sentences import sentence as _
from annotation.items.imports.checks import COLUMNS, is_check
from annotation.items.imports.json_entry import Entry, with_turns
from annotation.items.imports.parsed import ParsedContext, ParsedItem, ParsedTurn, Spot
from annotation.items.imports.problems import key_problem, shown

_KNOWN = {"id", "domain", "source", "turns", "candidates"}
_KNOWN_OF_CANDIDATE = {"id", "text", "intended_class"}


class Dialogue(Entry):
    """Its last turn is the target of all candidates."""

    def read(self) -> None:
        entry = self.entry
        key = self.key(entry, "id")
        if key is not None and not self.builder.is_new_context(self.line, self.called("id"), key):
            key = None
        domain = self.name(entry, "domain", "domain")
        source = self.name(entry, "source", "source")
        turns: list[ParsedTurn] = []
        extras = []
        for where, value in self.objects(entry, "turns", '[{"speaker": "A", "text": "..."}]'):
            turn, extra = self.turn(value, where)
            turns.append(turn)
            extras.append(extra)
        # What is said of the dialogue is said of its candidates, unless they say otherwise.
        self.of_all = {name: entry[name] for name in COLUMNS if name in entry and "check" in entry}
        metadata = with_turns(self.further(entry, "", _KNOWN | self.of_all.keys()), extras)
        number = self.builder.add_context(
            self.line, ParsedContext(key or "", tuple(turns), domain, source, metadata)
        )
        pool = self.builder.dialogue_pool(key or "", number)
        self.candidates(key, Spot(number, len(turns)), pool)

    def candidates(self, dialogue: str | None, target: Spot, pool: int) -> None:
        places: dict[str, int] = {}
        listed = self.entry.get("candidates")
        has_check = False
        for where, candidate in self.objects(self.entry, "candidates", '[{"text": "..."}]'):
            number = int(where[len("candidates[") : -1])
            text = self.text(candidate, f"{where}.text")
            before = number if text is None else places.setdefault(text, number)
            if text is not None and before != number:
                self.add(
                    f"{where}.text",
                    Problem(
                        "duplicate",
                        _("%(field)s %(text)s is the same text as %(other)s"),
                        _("remove one of them"),
                    ),
                    text=shown(text),
                    other=self.called(f"candidates[{before}]"),
                )
            key = self.key(candidate, f"{where}.id", required=False)
            if candidate.get("id") is None and dialogue is not None:
                key = f"{dialogue}-{number}"
                if problem := key_problem(key):
                    self.add(
                        f"{where}.id",
                        _("%(field)s is missing, and %(problem)s"),
                        problem=problem % {"field": shown(key)},
                    )
                    key = None
            intended_class = self.intended_class(candidate, f"{where}.intended_class")
            as_check = {**self.of_all, **candidate}
            check = self.check(as_check, f"{where}.")
            has_check = has_check or is_check(as_check)
            expected = None
            known = _KNOWN_OF_CANDIDATE | (COLUMNS if "check" in as_check else set())
            if is_check(as_check):
                expected = self.expected(candidate, f"{where}.expected", check)
                known |= {"expected"}
            metadata = self.further(candidate, f"{where}.", known)
            if key is not None and before == number:
                self.builder.add_item(
                    self.line_of(where),
                    self.called(f"{where}.id"),
                    ParsedItem(
                        key,
                        text or "",
                        target_at=target,
                        pool=pool,
                        expected=expected,
                        intended_class=intended_class,
                        metadata=metadata,
                        check=check,
                    ),
                )
        if has_check:
            return  # a check shows all of its candidates, however few they are
        if isinstance(listed, list) and 0 < len(listed) < self.builder.tuple_size:
            self.add(
                "candidates",
                Problem(
                    "conflict",
                    ngettext(
                        "%(field)s has %(n)s entry, but the design shows %(size)s at once",
                        "%(field)s has %(n)s entries, but the design shows %(size)s at once",
                        len(listed),
                    ),
                    _("add candidates, or choose a smaller tuple size"),
                ),
                n=len(listed),
                size=self.builder.tuple_size,
            )
