"""Reviews of scored items as a page shows them: formatting, no statistics."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.basics.numbers import grouped, number, percent, signed
from annotation.basics.reviewed import Reviewed
from annotation.basics.sentences import in_words
from annotation.core.shown_items import ShownItem, people_value
from annotation.items.queries import item_rows
from annotation.kinds.best_worst.queries.figures import Figure, Text
from annotation.kinds.rating.queries.tables import Table
from annotation.reviews.queries.discrepancy_reviews import SortedItems
from annotation.reviews.queries.expert_checks import CheckedScores
from annotation.reviews.queries.reviewed_answers import ComparedResult, ReviewedAnswers
from scoring import ExpertCheck, Proportion
from scoring.arrays import FloatArray, IntArray
from scoring.measures.discrepancies import DEFINITIONS

# Items of one list that a page shows; the file has all.
MAX_LISTED_ITEMS = 100


@dataclass(frozen=True)
class ShownReviewed:
    """An item with what it is compared with."""

    item: ShownItem
    group: str
    score: str
    # Of an expert check: how far from the middle, and what each expert says.
    distance: str = ""
    labels: list[str] = field(default_factory=list)
    # Of a discrepancy.
    value: str = ""
    difference: str = ""
    n_chose: str = ""


@dataclass(frozen=True)
class ShownList:
    """Some of the items, under a heading."""

    name: str
    rows: list[ShownReviewed]
    n: int
    remark: str = ""

    @property
    def n_more(self) -> int:
        return self.n - len(self.rows)


@dataclass(frozen=True)
class ShownCheck:
    sides: tuple[str, str]
    compared: list[ComparedResult]
    n_items: int
    # Pseudonyms.
    people: list[str]
    # Of how many items the headline says nothing, and why.
    left_out: list[str]
    figures: list[Figure]
    experts: Table
    contradicted: ShownList
    others: list[ShownList]


def shown_check(scores: CheckedScores) -> ShownCheck:
    """An expert check: the figures, and the items as GiCCS's table 4 lists them."""
    check, answers = scores.check, scores.answers
    torn, middle = check.torn.tolist(), check.at_middle.tolist()
    others = [
        ShownList(
            _("The experts disagree"),
            _checked(scores, torn[:MAX_LISTED_ITEMS]),
            len(torn),
            _("The experts are evenly split, so they do not contradict the score."),
        ),
        ShownList(
            _("Scores exactly in the middle"),
            _checked(scores, middle[:MAX_LISTED_ITEMS]),
            len(middle),
            _(
                "These scores are neither above nor below the middle, so they cannot be "
                "contradicted."
            ),
        ),
    ]
    wrong = check.contradicted.tolist()
    return ShownCheck(
        sides=scores.sides,
        compared=answers.compared,
        n_items=len(scores.items),
        people=answers.people,
        left_out=_left_out(check),
        figures=_figures(check),
        experts=_experts(scores),
        contradicted=ShownList(
            _("Scores that the experts contradict"),
            _checked(scores, wrong[:MAX_LISTED_ITEMS]),
            len(wrong),
        ),
        others=[table for table in others if table.n],
    )


def _left_out(check: ExpertCheck) -> list[str]:
    """Items that are neither contradicted nor confirmed, reason by reason."""
    unlabelled, torn, middle = len(check.unlabelled), len(check.torn), len(check.at_middle)
    counts = [
        (
            unlabelled,
            ngettext(
                "%(n)s item on which no expert took a side",
                "%(n)s items on which no expert took a side",
                unlabelled,
            ),
        ),
        (
            torn,
            ngettext(
                "%(n)s item on which the experts are evenly split",
                "%(n)s items on which the experts are evenly split",
                torn,
            ),
        ),
        (
            middle,
            ngettext(
                "%(n)s item with a score exactly in the middle",
                "%(n)s items with a score exactly in the middle",
                middle,
            ),
        ),
    ]
    return [sentence % {"n": grouped(n)} for n, sentence in counts if n]


def _figures(check: ExpertCheck) -> list[Figure]:
    definition = in_words(check.definition)
    shares = [
        (_("Contradicted"), check.overall, True),
        (_("Contradicted among scores above the middle"), check.above, False),
        (_("Contradicted among scores below the middle"), check.below, False),
        (_("Contradicted by at least one expert"), check.by_any, False),
    ]
    by_nobody = _("no labelled item has a score above or below the middle")
    undecided = _("the experts have no majority for any item with such a score")
    figures = [
        _share(
            name,
            share,
            definition if n == 0 else "",
            by_nobody if not check.by_any.n else undecided,
            is_headline=is_headline,
        )
        for n, (name, share, is_headline) in enumerate(shares)
    ]
    figures.append(
        _share(
            _("Pairwise agreement of experts"),
            check.same,
            _("Every pair of experts of every item counts once. Not corrected for chance."),
            _("no item was labelled by two experts"),
            is_headline=True,
            no_interval=in_words(check.same_reason),
        )
    )
    figures.append(
        Figure(
            _("Cohen's kappa of the two experts"),
            number(None if check.kappa_reason else check.kappa),
            _("Agreement beyond chance on the items that both experts labelled [Cohen1960]."),
            reason=in_words(check.kappa_reason),
            is_headline=check.kappa_reason is None,
        )
    )
    alpha = check.alpha
    figures.append(
        Figure(
            _("Krippendorff's alpha, nominal"),
            number(None if alpha.reason else alpha.value),
            in_words(alpha.definition),
            reason=in_words(alpha.reason),
        )
    )
    return figures


def _share(
    name: str,
    share: Proportion,
    definition: str,
    nothing: str,
    *,
    is_headline: bool,
    no_interval: str = "",
) -> Figure:
    """`nothing`: why there is no share; `no_interval`: why it has no interval."""
    if not share.n:
        return Figure(name, "–", definition, reason=nothing)
    if no_interval:
        spread = _("No interval: %(reason)s.") % {"reason": no_interval}
    else:
        spread = _("95 %% interval for other items and the same experts: %(interval)s") % {
            "interval": _interval(share)
        }
    return Figure(
        name,
        percent(share.share),
        definition,
        spread=spread,
        remark=_of(share),
        is_headline=is_headline,
    )


def _of(share: Proportion) -> str:
    return _("%(count)s of %(n)s.") % {"count": grouped(share.count), "n": grouped(share.n)}


def _interval(share: Proportion) -> str:
    return f"{percent(share.low)} – {percent(share.high)}"


def _experts(scores: CheckedScores) -> Table:
    check = scores.check
    beside = [
        *zip(scores.answers.people, check.experts_beside, strict=True),
        (_("majority"), check.majority_beside),
    ]
    rows: list[tuple[Text, list[str]]] = []
    remarks: list[tuple[Text, str, bool]] = []
    for name, figures in beside:
        has_some = figures.agreement.n > 0
        rows.append(
            (
                name,
                [
                    grouped(figures.agreement.n),
                    percent(figures.agreement.share) if has_some else "–",
                    _interval(figures.agreement) if has_some else "–",
                    number(None if figures.reason else figures.point_biserial),
                ],
            )
        )
        if figures.reason:
            remarks.append((name, in_words(figures.reason), True))
    return Table(
        _("Experts compared with the scores"),
        [
            _("items"),
            _("same side as the score"),
            _("interval (95 %; other items, the same experts)"),
            _("point-biserial r"),
        ],
        rows,
        remarks,
    )


def _checked(scores: CheckedScores, places: Sequence[int]) -> list[ShownReviewed]:
    shown = _shown(scores.answers, places)
    return [
        ShownReviewed(
            shown[scores.items[place].pk],
            scores.items[place].group,
            number(scores.items[place].reviewed.score),
            distance=number(scores.distance(place)),
            labels=scores.expert_labels(place),
        )
        for place in places
    ]


def _shown(answers: ReviewedAnswers, places: Sequence[int]) -> dict[int, ShownItem]:
    """By the item's primary key."""
    pks = [answers.items[place].pk for place in places]
    items = list(item_rows.of_study(answers.study).filter(pk__in=pks))
    shown = item_rows.shown(items)
    return {item.pk: text for item, text in zip(items, shown, strict=True)}


@dataclass(frozen=True)
class ShownReview:
    measure: str
    definition: str
    compared: list[ComparedResult]
    n_items: int
    n_labelled: int
    n_people: int
    counts: Table
    lists: list[ShownList]
    # By thresholds nobody computed any.
    has_differences: bool


def shown_review(items: SortedItems) -> ShownReview:
    """A review of discrepancies: how many items each category has, and which."""
    first = items.items[0].reviewed
    lists = [
        _listed(items, name, items.of_category(n), n) for n, name in enumerate(items.categories)
    ]
    lists.append(_listed(items, _("no majority category"), items.without, None))
    return ShownReview(
        measure=first.measure,
        definition=_definition(first),
        compared=items.answers.compared,
        n_items=len(items.items),
        n_labelled=int((items.n_people > 0).sum()),
        n_people=len(items.answers.people),
        counts=_counts(items, first.measure),
        lists=[table for table in lists if table.n],
        has_differences=not first.rule,
    )


def _definition(first: Reviewed) -> str:
    """How the items were found that differ."""
    if first.rule:
        return _("Items that meet these thresholds: %(rule)s.") % {"rule": first.rule}
    return in_words(DEFINITIONS["standardized" if first.by == "standardized" else "ranks"])


def _counts(items: SortedItems, measure: str) -> Table:
    counts = items.counts
    rows: list[tuple[Text, list[str]]] = [
        (name, [*_cells(counts.n_chosen[n], counts.share[n]), grouped(int(of_all))])
        for n, (name, of_all) in enumerate(
            zip(items.categories, items.is_chosen.sum(axis=0), strict=True)
        )
    ]
    n_items = counts.n_items
    rows.append(
        (
            _("no majority category"),
            [*_cells(counts.n_without, counts.share_without), grouped(len(items.without))],
        )
    )
    labelled = [grouped(int(n)) for n in n_items]
    n_labelled = grouped(int((items.n_people > 0).sum()))
    rows.append((_("labelled items"), [labelled[0], "–", labelled[1], "–", n_labelled]))
    return Table(
        _("Categories by direction"),
        [
            _("people higher"),
            _("share"),
            _("%(measure)s higher") % {"measure": measure},
            _("share"),
            _("all"),
        ],
        rows,
        [],
    )


def _cells(n: IntArray, share: FloatArray) -> list[str]:
    return [
        cell
        for count, part in zip(n, share, strict=True)
        for cell in (grouped(int(count)), percent(None if np.isnan(part) else float(part)))
    ]


def _listed(
    items: SortedItems, name: str, places: Sequence[int], category: int | None
) -> ShownList:
    listed = places[:MAX_LISTED_ITEMS]
    shown = _shown(items.answers, listed)
    rows = []
    for place in listed:
        item = items.items[place]
        votes = "" if category is None else grouped(int(items.votes[place, category]))
        rows.append(
            ShownReviewed(
                shown[item.pk],
                item.group,
                people_value(item.reviewed),
                value=number(item.reviewed.value, 3 if item.reviewed.value_digits else 0),
                difference=signed(item.reviewed.difference),
                n_chose=votes
                and _("%(n)s of %(all)s")
                % {"n": votes, "all": grouped(int(items.n_people[place]))},
            )
        )
    return ShownList(name, rows, len(places))
