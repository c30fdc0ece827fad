"""Checks in a file of items: what has a known answer, and how somebody is told of it."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from annotation.basics.scale import Scale, plain
from annotation.basics.sentences import Problem, Said
from annotation.basics.sentences import sentence as _
from annotation.items.imports.numbers import is_empty, number_in
from annotation.items.imports.parsed import ParsedCheck, ParsedItem, ParsedPool
from annotation.items.imports.problems import length_problem, shown, text_problem
from annotation.kinds.contract.items import AnswerForm, ItemsPart

COLUMNS = frozenset({"check", "explanation", "tolerance"})
EXPLANATION_LIMIT = 2000
STYLES = ("tutorial", "loud", "silent")
SEPARATOR = "|"
# A best-worst question can show so many options.
MAX_CHECK_ITEMS = 8

# Takes the name of a field and what is wrong with it; the problem leaves %(field)s open.
Add = Callable[[str, Said], None]


def is_check(entry: Mapping[str, Any]) -> bool:
    """Whether an entry calls itself a check, rightly or not."""
    return not is_empty(entry.get("check"))


def read_check(
    entry: Mapping[str, Any], kind: ItemsPart, add: Add, names: Sequence[str] = ()
) -> ParsedCheck | None:
    """The check that an entry is, if it is one; what is wrong with it is added.

    `names`: those of the categories of a label study, as far as they are known.
    """
    if "check" not in entry:
        return None
    style = entry["check"]
    if not is_check(entry):
        for name in ("explanation", "tolerance"):
            if not is_empty(entry.get(name)):
                add(
                    name,
                    Problem(
                        "conflict",
                        _("%(field)s is given, but check is empty"),
                        _("write tutorial, loud or silent into check, or leave both empty"),
                    ),
                )
        return None
    if not isinstance(style, str) or style.strip().lower() not in STYLES:
        add(
            "check",
            Problem(
                "wrong_value",
                _("%(field)s is %(value)s"),
                _("write tutorial, loud or silent, or leave it empty"),
            )
            % {"value": shown(str(style))},
        )
        return None
    explanation = entry.get("explanation") or ""
    if not isinstance(explanation, str):
        add(
            "explanation",
            Problem(
                "wrong_value", _("%(field)s is not a text"), _("write a text in quotation marks")
            ),
        )
        return None
    if problem := text_problem(explanation):
        add("explanation", problem)
    elif len(explanation) > EXPLANATION_LIMIT:
        add("explanation", length_problem(len(explanation), EXPLANATION_LIMIT))
    return ParsedCheck(
        style.strip().lower(),
        explanation.strip(),
        _tolerance(entry, kind, add),
        _categories(entry, add, names) if kind.answer_form == AnswerForm.NAMES else (),
    )


def _tolerance(entry: Mapping[str, Any], kind: ItemsPart, add: Add) -> Decimal:
    if kind.answer_form != AnswerForm.NUMBER and not is_empty(entry.get("tolerance")):
        add(
            "tolerance",
            Problem("wrong_value", _("%(field)s is for ratings only"), _("leave it empty")),
        )
        return Decimal(0)
    number, problem = number_in(entry.get("tolerance"))
    if problem:
        add("tolerance", problem)
    if number is not None and number < 0:
        add(
            "tolerance",
            Problem(
                "wrong_value",
                _("%(field)s is below 0"),
                _("write how far a rating can be from the known answer and still be right"),
            ),
        )
    return number or Decimal(0)


def _categories(entry: Mapping[str, Any], add: Add, names: Sequence[str]) -> tuple[str, ...]:
    value = entry.get("expected")
    parts = value.split(SEPARATOR) if isinstance(value, str) else []
    categories = tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))
    if not categories:
        add(
            "expected",
            Problem(
                "missing",
                _("%(field)s is missing"),
                _("write the right category; separate several with |"),
            ),
        )
    for name in categories:
        if problem := text_problem(name):
            add("expected", problem)
        elif names and name not in names:
            add(
                "expected",
                Problem(
                    "unknown",
                    _("%(field)s has %(name)s, which is not a category of the study"),
                    _("choose from %(all)s"),
                )
                % {"name": shown(name), "all": ", ".join(names)},
            )
    return categories


def known_answer_problem(
    check: ParsedCheck | None, kind: ItemsPart, expected: Decimal | None
) -> Said:
    """Why nobody could say whether a rating is right; empty if everybody can."""
    if check and kind.answer_form == AnswerForm.NUMBER and expected is None:
        return Problem(
            "missing", _("%(field)s is missing"), _("write the known answer of the check")
        )
    return ""


def scale_problem(expected: Decimal | None, scale: Scale | None) -> Said:
    """What is wrong with a known answer that lies outside the scale; empty if nothing is."""
    if expected is None or scale is None or scale.low <= expected <= scale.high:
        return ""
    return Problem(
        "wrong_value",
        _("%(field)s is %(value)s, but the scale goes from %(low)s to %(high)s"),
        _("write a value of the scale, or change the scale in the description first"),
    ) % {
        "value": plain(expected),
        "low": scale.text(scale.low),
        "high": scale.text(scale.high),
    }


def pool_problem(pool: ParsedPool, items: Sequence[ParsedItem]) -> tuple[ParsedItem, Said] | None:
    """What keeps items that are compared from being one check, and the item where it shows.

    None for a pool without checks, too.
    """
    checks = [item for item in items if item.check]
    if not checks:
        return None
    first = checks[0]
    if pool.context is None and not pool.is_group:
        return first, Problem(
            "conflict",
            _("%(pool)s: a check must have its own pool"),
            _("give the items of a check their own group"),
        )
    if others := [item for item in items if not item.check]:
        return others[0], Problem(
            "conflict",
            _("%(pool)s mixes a check's items with others"),
            _("write the same value into check for all of them, or give the check its own group"),
        )
    if different := [i for i in checks if i.check and i.check.style != _style(first)]:
        return different[0], Problem(
            "conflict",
            _("%(pool)s has two kinds of checks"),
            _("write the same value into check for all of its items"),
        )
    if not 2 <= len(items) <= MAX_CHECK_ITEMS:
        return first, Problem(
            "conflict",
            _("%(pool)s has %(n)s items, but a check shows all of them at once"),
            _("give it from 2 to %(most)s"),
        )
    known = [item for item in items if item.expected is not None]
    values = sorted(item.expected for item in known if item.expected is not None)
    if len(known) < 2:
        return first, Problem(
            "missing",
            _("%(pool)s is a check with fewer than two known answers"),
            _(
                "write expected at least for the best of its items (the highest) and for the"
                " worst (the lowest)"
            ),
        )
    if values[-1] == values[-2] or values[0] == values[1]:
        return first, Problem(
            "conflict",
            _("%(pool)s is a check with two best or two worst items"),
            _("give one item the highest value of expected and one the lowest"),
        )
    explanations = {
        item.check.explanation for item in checks if item.check and item.check.explanation
    }
    if len(explanations) > 1:
        return first, Problem(
            "conflict",
            _("%(pool)s is a check with two explanations"),
            _("write it once, or the same for all of its items"),
        )
    return None


def _style(item: ParsedItem) -> str:
    return item.check.style if item.check else ""


def check_of_pool(items: Sequence[ParsedItem]) -> ParsedCheck | None:
    """The check that items to be compared are; one of them explains it for all."""
    checks = [item.check for item in items if item.check]
    if not checks:
        return None
    return next((check for check in checks if check.explanation), checks[0])
