"""Pairs of a target and a candidate, one on each line of JSON Lines; each perhaps in a context."""

from dataclasses import dataclass, field
from typing import Any

from annotation.basics.sentences import Problem, Said
from annotation.basics.sentences import sentence as _
from annotation.items.imports.groups import group_problem
from annotation.items.imports.json_entry import Entry, with_turns
from annotation.items.imports.json_lines import kind_of
from annotation.items.imports.marks import CLOSE, OPEN, marked
from annotation.items.imports.parsed import ParsedContext, ParsedItem, ParsedTurn, Spot
from annotation.items.imports.problems import of_item, shown, text_problem

_KNOWN = {"id", "group", "target", "candidate", "intended_class", "earlier_rating"}
_IN_SIDE = {"context", "sentences", "position", "text", "domain", "source"}


@dataclass
class _Side:
    """A target or a candidate as the line has it."""

    text: str = ""
    # The id of its context; None: the context has none of its own.
    context: str | None = None
    # The turns of its context; None if the line only refers to it.
    turns: tuple[ParsedTurn, ...] | None = None
    position: int = 0
    domain: str = ""
    source: str = ""
    context_metadata: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def is_in_context(self) -> bool:
        return bool(self.position)


class Pair(Entry):
    def read(self) -> None:
        entry = self.entry
        n_before = len(self.builder.problems)
        key = self.key(entry, "id")
        group = self.group()
        target, candidate = self.side("target"), self.side("candidate")
        check = self.check(entry)
        expected = self.expected(entry, "expected", check)
        earlier = self.number("earlier_rating")
        intended_class = self.intended_class(entry, "intended_class")
        sides = [side for side in (target, candidate) if side and side.is_in_context]
        known = _KNOWN | self.known_of_check(entry)
        if sides:
            known |= {"domain", "source"}
            domain = self.name(entry, "domain", "domain")
            source = self.name(entry, "source", "source")
            for side in sides:
                side.domain, side.source = side.domain or domain, side.source or source
        metadata = self.further(entry, "", known)
        for where, text in (("target", target), ("candidate", candidate)):
            if text and text.metadata:
                metadata[where] = text.metadata
        target_at = self.spot("target", target)
        candidate_at = self.spot("candidate", candidate)
        pool = self.builder.pool_in(self.line, group, entry)
        if key is None or not target or not candidate or len(self.builder.problems) > n_before:
            return
        self.builder.add_item(
            self.line,
            "id",
            ParsedItem(
                key,
                self.text_at(candidate, candidate_at),
                candidate_at=candidate_at,
                target=self.text_at(target, target_at),
                target_at=target_at,
                pool=pool,
                expected=expected,
                earlier_rating=earlier,
                intended_class=intended_class,
                metadata=metadata,
                check=check,
            ),
            group or "",
        )

    def group(self) -> str | None:
        """The name of the group, empty if there is none; None if it cannot be read."""
        if self.entry.get("group") in (None, ""):
            return ""
        group = self.key(self.entry, "group", name="group")
        if group is not None and (problem := group_problem(group)):
            self.add("group", problem)
            return None
        return group

    def side(self, where: str) -> _Side | None:
        """One of the two texts; None if it cannot be read, which is then a problem."""
        value = self.entry.get(where)
        if value is None:
            self.add(
                where,
                Problem(
                    "missing",
                    _("%(field)s is missing"),
                    _("write a text, or an object with sentences and position"),
                ),
            )
            return None
        if isinstance(value, str):
            text = self.text_of(value, where)
            return None if text is None else _Side(text)
        if not isinstance(value, dict):
            self.add(
                where,
                Problem(
                    "wrong_value",
                    _("%(field)s is %(kind)s"),
                    _("write a text, or an object with sentences and position"),
                ),
                kind=kind_of(value),
            )
            return None
        n_before = len(self.builder.problems)
        side = _Side(
            context=self.key(value, f"{where}.context", name="context", required=False),
            domain=self.name(value, "domain", f"{where}.domain"),
            source=self.name(value, "source", f"{where}.source"),
            metadata=self.further(value, f"{where}.", _IN_SIDE),
        )
        if "text" in value:
            self.marked_text(side, value, where)
        elif "sentences" in value:
            turns, extras = self.sentences(value, "sentences", f"{where}.sentences")
            side.turns = tuple(turns)
            side.context_metadata = with_turns({}, extras)
            side.position = self.position(value, where, len(turns))
        elif side.context is not None:
            side.position = self.position(value, where, 0)
        elif value.get("context") is None:
            self.add(
                where,
                Problem(
                    "missing",
                    _(
                        "%(field)s has neither sentences nor a text nor the id of an earlier"
                        " context"
                    ),
                    _("write one of them"),
                ),
            )
        if len(self.builder.problems) == n_before:
            return side
        self.keep_name(side)
        return None

    def marked_text(self, side: _Side, value: dict[str, Any], where: str) -> None:
        """A text with marks, or one that stands alone."""
        for other in ("sentences", "position"):
            if other in value:
                self.add(
                    f"{where}.{other}",
                    Problem(
                        "conflict",
                        _("%(field)s is given together with a text"),
                        _("write a text with marks, or sentences"),
                    ),
                )
        text = value["text"]
        is_marked = isinstance(text, str) and (OPEN in text or CLOSE in text)
        if side.context is None and not is_marked:
            side.text = self.text(value, f"{where}.text") or ""
            return
        if not isinstance(text, str) or not text.strip():
            self.text(value, f"{where}.text")
            return
        turns, position, problem = marked(text)
        if problem := text_problem(text) or problem:
            self.add(
                of_item(f"{where}.text", self.entry.get("id")) if turns else f"{where}.text",
                problem,
            )
        else:
            side.turns, side.position = turns, position

    def position(self, value: dict[str, Any], where: str, n: int) -> int:
        """The position of the rated sentence among `n`; 0 for n: how many is not known yet."""
        position = value.get("position")
        place = f"{where}.position"
        if position is None:
            self.add(
                place,
                Problem(
                    "missing",
                    _("%(field)s is missing"),
                    _("write the number of the rated sentence, from 1 on"),
                ),
            )
        elif isinstance(position, bool) or not isinstance(position, int):
            self.add(
                place,
                Problem(
                    "wrong_value",
                    _("%(field)s is %(kind)s"),
                    _("write the number of the rated sentence, from 1 on"),
                ),
                kind=_("not a whole number") if isinstance(position, float) else kind_of(position),
            )
        elif position < 1 or (n and position > n):
            self.out_of_range(place, n)
        else:
            return position
        return 0

    def out_of_range(self, place: str, n: int) -> None:
        if n:
            self.add(
                place,
                Problem(
                    "unknown",
                    _("%(field)s is not one of the sentences"),
                    _("write one from 1 to %(n)s"),
                ),
                n=n,
            )
        else:
            self.add(
                place,
                Problem(
                    "unknown", _("%(field)s is not one of the sentences"), _("they count from 1")
                ),
            )

    def keep_name(self, side: _Side) -> None:
        """Let later lines refer to a context that is broken: that is one problem, not many."""
        if side.context is not None and self.builder.named_context(side.context) is None:
            self.builder.add_named_context(self.line, ParsedContext(side.context, ()))

    def spot(self, where: str, side: _Side | None) -> Spot | None:
        """Where the text stands; its context is added unless it was there before."""
        if side is None or not side.is_in_context:
            return None
        if side.context is not None:
            return self.spot_in_named(where, side, side.context)
        assert side.turns is not None  # what has neither is not in a context
        context = ParsedContext("", side.turns, side.domain, side.source, side.context_metadata)
        return Spot(self.builder.nameless_context(self.line, context), side.position)

    def spot_in_named(self, where: str, side: _Side, key: str) -> Spot | None:
        named = self.builder.named_context(key)
        if named is None and side.turns is None:
            self.add(
                f"{where}.context",
                Problem(
                    "unknown",
                    _("%(field)s %(key)s: no earlier line has the sentences of this context"),
                    _("write them here, or move the line with them to an earlier place"),
                ),
                key=shown(key),
            )
            return None
        if named is None:
            assert side.turns is not None
            number = self.builder.add_named_context(
                self.line,
                ParsedContext(key, side.turns, side.domain, side.source, side.context_metadata),
            )
            return Spot(number, side.position)
        number, line = named
        context = self.builder.contexts[number]
        if not context.turns:
            return None  # broken where it was given
        if not self.agrees(where, side, context, line):
            return None
        if side.position > len(context.turns):
            self.out_of_range(f"{where}.position", len(context.turns))
            return None
        return Spot(number, side.position)

    def agrees(self, where: str, side: _Side, context: ParsedContext, line: int) -> bool:
        """Whether the line says nothing of a context that an earlier one says otherwise."""
        differs: Said = ""
        if side.turns not in (None, context.turns):
            differs = _("other sentences")
        elif side.context_metadata and side.context_metadata != context.metadata:
            differs = _("sentences with other properties")
        elif side.domain not in ("", context.domain):
            differs = _("another domain")
        elif side.source not in ("", context.source):
            differs = _("another source")
        if differs:
            self.add(
                f"{where}.context",
                Problem(
                    "conflict",
                    _("%(field)s %(key)s: %(what)s than in line %(line)s"),
                    _("write the same, leave it out, or give this context another id"),
                ),
                key=shown(context.key),
                what=differs,
                line=line,
            )
        return not differs

    def text_at(self, side: _Side, spot: Spot | None) -> str:
        if spot is None:
            return side.text
        return self.builder.contexts[spot.context].turns[spot.position - 1].text
