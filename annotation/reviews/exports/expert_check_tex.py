"""An expert check as tables in LaTeX: how many scores are contradicted, by whom, and which."""

from annotation.core.exports import latex
from annotation.core.exports.figures import count, number, percent
from annotation.core.queries.item_texts import item_texts
from annotation.reviews.queries.expert_checks import SIDES, CheckedScores, shares
from scoring import Proportion

_INTERVALS = "Intervals (95 %): Wilson's, for other items and the same experts."


def expert_check_tex(checked: CheckedScores) -> str:
    """Shares, experts and items; the last one is left out where nothing is contradicted."""
    check = checked.check
    first = latex.table(
        "Scores that the experts contradict: the majority of them and the score are on different"
        f" sides of the middle, .5. {_INTERVALS}",
        "tab:expert-check",
        ["scores", "items", "contradicted", "share", "interval"],
        [_share(_NAMES[name], share) for name, share in shares(check).items()],
        notes=[
            f"Left out: {count(len(check.torn), 'item')} without a majority of experts,"
            f" {len(check.at_middle):,} with a score of exactly .5, and"
            f" {len(check.unlabelled):,} for which no expert chose a side."
        ],
    )
    tables = [first, _experts(checked)]
    return "\n".join([*tables, *([_contradicted(checked)] if len(check.contradicted) else [])])


_NAMES = {
    "all": "all",
    "above": "above the middle",
    "below": "below the middle",
    "any": "contradicted by at least one expert",
}


def _experts(checked: CheckedScores) -> str:
    """Each expert and the majority beside the scores; how far the experts agree."""
    check, rows = checked.check, []
    beside = [*zip(checked.answers.people, check.experts_beside, strict=True)]
    for name, figures in [*beside, ("majority", check.majority_beside)]:
        _name, n, _count, share, interval = _share(name, figures.agreement)
        rows.append(
            [name, n, share, interval, number(None if figures.reason else figures.point_biserial)]
        )
    same = check.same
    kappa = f"undefined ({check.kappa_reason})" if check.kappa_reason else f"{number(check.kappa)}"
    alpha = check.alpha
    nominal = f"undefined ({alpha.reason})" if alpha.reason else number(alpha.value)
    return latex.table(
        f"Experts beside the scores: items on the same side of the middle. {_INTERVALS}",
        "tab:expert-check-experts",
        ["expert", "items", "same side", "interval", "point-biserial r"],
        rows,
        notes=[
            f"Pairs of experts who agree: {same.count:,} of {same.n:,}"
            + (f" ({percent(same.share)})." if same.n else ".")
            + (f" No interval: {check.same_reason}." if check.same_reason else ""),
            f"Cohen's kappa of the two experts: {kappa}.",
            f"Krippendorff's alpha, nominal: {nominal}.",
        ],
    )


def _share(name: str, share: Proportion) -> list[str]:
    interval = f"{percent(share.low)} to {percent(share.high)}" if share.n else "–"
    return [
        name,
        f"{share.n:,}",
        f"{share.count:,}",
        percent(share.share if share.n else None),
        interval,
    ]


def _contradicted(checked: CheckedScores) -> str:
    """Each contradicted item with its texts, the farthest from the middle first."""
    texts = {text.key: text for text in item_texts(checked.answers.study)}
    rows = []
    for place in checked.check.contradicted.tolist():
        item = checked.items[place]
        text = texts[item.key]
        experts = SIDES[int(checked.check.majority[place])]
        cells = [text.target.text, text.candidate.text, number(item.reviewed.score), experts]
        rows.append([item.key, *cells])
    return latex.table(
        "Items whose score the experts contradict, the farthest from the middle first.",
        "tab:expert-check-items",
        ["item", "target", "candidate", "score", "experts"],
        rows,
        layout=r"lp{.3\linewidth}p{.3\linewidth}rl",
    )
