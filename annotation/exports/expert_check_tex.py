"""An expert check as tables in LaTeX: how many scores are contradicted, and which ones."""

from annotation.exports.documents import latex
from annotation.exports.documents.figures import number, percent
from annotation.queries.expert_checks import SIDES, CheckedScores
from annotation.queries.item_texts import item_texts
from scoring import Proportion


def expert_check_tex(checked: CheckedScores) -> str:
    """Both tables; the second one is left out where nothing is contradicted."""
    check = checked.check
    shares = latex.table(
        "Scores that the experts contradict: more of them say above the middle, .5, and the score"
        " is below it, or the other way round. Intervals: Wilson's, 95 %.",
        "tab:expert-check",
        ["scores", "items", "contradicted", "share", "interval"],
        [
            _share("all", check.overall),
            _share("above the middle", check.above),
            _share("below the middle", check.below),
        ],
        notes=[
            f"Left out: {len(check.torn):,} items of which as many experts say above as below,"
            f" {len(check.at_middle):,} whose score is the middle,"
            f" {len(check.unlabelled):,} that no expert put on either side."
        ],
    )
    return "\n".join([shares, *([_contradicted(checked)] if len(check.contradicted) else [])])


def _share(name: str, of: Proportion) -> list[str]:
    interval = f"{percent(of.low)} to {percent(of.high)}" if of.n else "–"
    return [name, f"{of.n:,}", f"{of.count:,}", percent(of.share if of.n else None), interval]


def _contradicted(checked: CheckedScores) -> str:
    """Each contradicted item with its texts, the farthest from the middle first."""
    texts = {text.key: text for text in item_texts(checked.answers.study)}
    rows = []
    for place in checked.check.contradicted.tolist():
        item = checked.items[place]
        text = texts[item.key]
        experts = SIDES[int(checked.check.majority[place])]
        said = [text.target.text, text.candidate.text, number(item.reviewed.score), experts]
        rows.append([item.key, *said])
    return latex.table(
        "Items whose score the experts contradict, the farthest from the middle first.",
        "tab:expert-check-items",
        ["item", "target", "candidate", "score", "experts"],
        rows,
        layout=r"lp{.3\linewidth}p{.3\linewidth}rl",
    )
