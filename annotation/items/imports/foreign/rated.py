"""Ratings and labels of other tools: one answer of one person to one item."""

from collections.abc import Iterable, Sequence

from annotation.basics.categories import MAX_CATEGORIES, Categories, CategoriesError, check_one
from annotation.basics.scale import Scale
from annotation.basics.sentences import Problem, Said
from annotation.basics.sentences import sentence as _
from annotation.items.imports.first_lines import FirstLines
from annotation.items.imports.foreign.compared import questions_in_task
from annotation.items.imports.foreign.entries import Entry
from annotation.items.imports.foreign.parsed_answers import Answer, Pair, ParsedAnswers, Value
from annotation.items.imports.foreign.roles import Roles
from annotation.items.imports.ids import DistinctIds, similar_problem
from annotation.items.imports.numbers import number_in
from annotation.items.imports.problems import (
    Problems,
    item_text_problem,
    key_problem,
    long_text_problem,
    of_item,
    shown,
)


def read(
    entries: Iterable[Entry],
    several: Sequence[Roles],
    problems: Problems,
    *,
    known: Sequence[Pair],
    scale: Scale | None,
    categories: Categories | None,
) -> ParsedAnswers:
    """Take each answer for what the study asks: a point of its scale, or its categories.

    Without a scale, labels are read; without categories, those that the file names.
    Raises ImportProblemsError with every problem.
    """
    reader = _Reader(problems, known, scale, categories)
    for entry in entries:
        for roles in questions_in_task(entry, several):
            reader.read(entry, roles)
    if not len(reader.parsed) and not problems:
        problems.add(
            None,
            Problem("missing", _("the file has no answers"), _("export the file with answers")),
        )
    if not known:
        reader.check_items()
    if scale is None and categories is None:
        reader.check_categories()
    problems.raise_if_any()
    return reader.parsed


class _Reader:
    def __init__(
        self,
        problems: Problems,
        known: Sequence[Pair],
        scale: Scale | None,
        categories: Categories | None,
    ) -> None:
        self._roles = Roles()
        self._problems = problems
        self._scale = scale
        self._categories = categories
        self._is_known = bool(known)
        self._pairs = list(known)
        self._by_key = {pair.key: number for number, pair in enumerate(known)}
        self._by_text: dict[tuple[str, str], int | None] = {}
        for number, pair in enumerate(known):
            text = pair.target, pair.candidate
            # None: several items have these texts.
            self._by_text[text] = None if text in self._by_text else number
        self._annotators: dict[str, int] = {}
        self._annotator_ids, self._item_ids = DistinctIds(), DistinctIds()
        self._answered = FirstLines()
        self._chosen: dict[str, int] = {}
        self.parsed = ParsedAnswers()

    def read(self, entry: Entry, roles: Roles) -> None:
        self._roles = roles
        n_before = len(self._problems)
        item = self._item(entry)
        value = self._value(entry)
        comment = " ".join(entry.answers.get(self._roles.comment, ()))
        if problem := long_text_problem(comment):
            self._problems.add(entry.line, problem % {"field": self._roles.comment})
        if problem := key_problem(entry.person):
            self._problems.add(entry.line, problem % {"field": _("the annotator's id")})
        if len(self._problems) > n_before or value is None:
            return
        annotator = self._annotators.setdefault(entry.person, len(self._annotators))
        if annotator == len(self.parsed.annotators):
            self.parsed.annotators.append(entry.person)
            self._check_id(self._annotator_ids, entry.line, _("the annotator's id"), entry.person)
        before = self._answered.note(annotator, item, entry.line)
        if before is not None:
            self._problems.add(
                entry.line,
                Problem(
                    "duplicate",
                    _("annotator %(annotator)s answered this item in %(before)s"),
                    _("keep one of the two answers"),
                )
                % {"annotator": shown(entry.person), "before": self._problems.place(before)},
            )
            return
        self.parsed.append(
            Answer(annotator, item, value, comment, entry.active_ms, entry.answered_at)
        )

    def _item(self, entry: Entry) -> int:
        roles = self._roles
        key = entry.shown.get(roles.id, "")
        target = entry.shown.get(roles.target, "") if roles.target else ""
        candidate = entry.shown.get(roles.candidate, "") if roles.candidate else ""
        if self._is_known:
            return self._known(entry.line, key, target, candidate)
        for name, text in ((roles.target, target), (roles.candidate, candidate)):
            if not name:
                continue
            if problem := item_text_problem(text):
                self._problems.add(entry.line, problem % {"field": of_item(name, key)})
                return -1
            if not text.strip():
                self._problems.add(
                    entry.line,
                    Problem(
                        "missing", _("%(field)s is empty"), _("write the text or remove the line")
                    )
                    % {"field": name},
                )
                return -1
        if not roles.candidate:
            self._problems.add(
                entry.line,
                Problem(
                    "missing",
                    _("the file has ids and no texts"),
                    _("import the items first, then the answers"),
                ),
            )
            return -1
        return self._new(entry.line, key, target, candidate)

    def _known(self, line: int, key: str, target: str, candidate: str) -> int:
        # Texts before ids: what numbers its tasks may use the numbers of other items.
        text = target, candidate
        if candidate and self._by_text.get(text, -1) not in {-1, None}:
            return self._by_text[text] or 0
        number = self._by_key.get(key, -1)
        if number < 0:
            problem = (
                Problem(
                    "conflict",
                    _("%(item)s is the text of several items"),
                    _("give the item's id, too"),
                )
                if candidate and text in self._by_text
                else Problem(
                    "unknown",
                    _("%(item)s is not an item of the study"),
                    _("write an item's id or its texts"),
                )
            )
            self._problems.add(line, problem % {"item": shown(candidate or key)})
        elif candidate and (self._pairs[number].target, self._pairs[number].candidate) != text:
            self._problems.add(
                line,
                Problem(
                    "unknown",
                    _(
                        "item %(key)s has other texts in the study, and %(text)s is not one "
                        "of its items"
                    ),
                    _("write the same texts, or remove the line"),
                )
                % {"key": shown(key), "text": shown(candidate)},
            )
        return number

    def _new(self, line: int, key: str, target: str, candidate: str) -> int:
        text = target, candidate
        number = self._by_text.get(text)
        if number is not None:
            return number
        number = len(self._pairs)
        if key in self._by_key:
            self._problems.add(
                line,
                Problem(
                    "conflict",
                    _("id %(key)s has other texts than before"),
                    _("give every item its own id"),
                )
                % {"key": shown(key)},
            )
            return -1
        if not key or key_problem(key):
            key = f"item-{number + 1}"
        else:
            self._check_id(self._item_ids, line, "id", key, is_text=key == candidate)
        self._by_key[key] = self._by_text[text] = number
        self._pairs.append(Pair(key, target, candidate))
        return number

    def _check_id(
        self, ids: DistinctIds, line: int, field: Said, key: str, *, is_text: bool = False
    ) -> None:
        if similar := ids.similar(key, line, is_text=is_text):
            problem = similar_problem(key, similar[0], self._problems.place(similar[1]))
            self._problems.add(
                line, _("%(field)s %(problem)s") % {"field": field, "problem": problem}
            )

    def _value(self, entry: Entry) -> Value | None:
        name = self._roles.answer
        answers = tuple(answer.strip() for answer in entry.answers.get(name, ()) if answer.strip())
        if not answers:
            self._problems.add(
                entry.line,
                Problem("missing", _("%(field)s is empty"), _("remove the line"))
                % {"field": name},
            )
            return None
        if self._scale is None:
            return self._labels(entry.line, name, answers)
        number, problem = number_in(answers[0])
        if len(answers) > 1:
            problem = Problem(
                "conflict", _("%(field)s has several answers"), _("keep one of them")
            )
        if problem:
            self._problems.add(entry.line, problem % {"field": name})
        elif number is not None and not self._scale.has(number):
            low, high, step = map(
                self._scale.text, (self._scale.low, self._scale.high, self._scale.step)
            )
            self._problems.add(
                entry.line,
                Problem(
                    "wrong_value",
                    _(
                        "%(field)s %(value)s is not on the study's scale, which goes from "
                        "%(low)s to %(high)s in steps of %(step)s"
                    ),
                    _("remove the line, or change the scale"),
                )
                % {
                    "field": name,
                    "value": shown(answers[0]),
                    "low": low,
                    "high": high,
                    "step": step,
                },
            )
        return number

    def _labels(self, line: int, name: str, answers: tuple[str, ...]) -> Value | None:
        chosen = tuple(dict.fromkeys(answers))
        for label in chosen:
            self._chosen.setdefault(label, line)
        self.parsed.is_several |= len(chosen) > 1
        if self._categories is None:
            return chosen
        for label in chosen:
            if label not in self._categories.names:
                self._problems.add(
                    line,
                    Problem(
                        "unknown",
                        _("%(field)s %(value)s is not a category of the study"),
                        _("choose one of %(names)s"),
                    )
                    % {
                        "field": name,
                        "value": shown(label),
                        "names": ", ".join(self._categories.names),
                    },
                )
                return None
        if not self._categories.allow(chosen):
            self._problems.add(
                line,
                Problem("conflict", _("%(field)s has several answers"), _("keep one of them"))
                % {"field": name},
            )
            return None
        return self._categories.in_order(chosen)

    def check_items(self) -> None:
        """Hand over the items that were found."""
        self.parsed.items = self._pairs

    def check_categories(self) -> None:
        """Whether what was chosen can be the categories of the study."""
        names = list(self._chosen)
        if len(names) > MAX_CATEGORIES:
            self._problems.add(
                None,
                Problem(
                    "conflict",
                    _("%(n)s different answers were given"),
                    _("a study has at most %(most)s categories"),
                )
                % {"n": len(names), "most": MAX_CATEGORIES},
            )
            return
        for place, name in enumerate(names):
            try:
                check_one(name, "", earlier=names[:place])
            except CategoriesError as error:
                self._problems.add(self._chosen[name], error.message)
        if len(names) == 1:
            self._problems.add(
                None,
                Problem(
                    "conflict",
                    _("every answer is %(name)s"),
                    _("describe the study's categories first, then import"),
                )
                % {"name": shown(names[0])},
            )
        self.parsed.categories = names
