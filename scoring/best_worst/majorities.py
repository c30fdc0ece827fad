"""How many answers to a tuple agree, without correction for chance."""

from dataclasses import dataclass

import numpy as np

from scoring.arrays import IntArray
from scoring.best_worst.judgments import BestWorst, Picked
from scoring.json_values import JsonObject, json_number
from shell.messages import Message
from shell.messages import message as _

MIN_ANSWERS = 3


@dataclass(frozen=True, eq=False)
class StrongAgreement:
    """How often the answers to one tuple agree on the best, or on the worst, item.

    Parameters
    ----------
    on : {"best", "worst"}
        The picks compared.
    share : float
        Share of tuples, in [0, 1], in which at least ceil(.8 n) of n answers picked the same item:
        4 of 5, the paper's rule, and 3 of 3, 4 of 4, 5 of 6; nan where undefined.
    unanimous_share : float
        Share of tuples, in [0, 1], in which all answers picked the same item.
    mean_pairwise_agreement : float
        Share of a tuple's pairs of answers that picked the same item, in [0, 1]: the mean over
        tuples, each counting once.
    n_tuples : int
        Tuples counted, those with at least three answers.
    n_left_out : int
        Tuples with fewer; unanswered ones are among them.
    reason : Message or None
        Why there are no shares.
    """

    on: Picked
    share: float
    unanimous_share: float
    mean_pairwise_agreement: float
    n_tuples: int
    n_left_out: int
    reason: Message | None = None

    @property
    def definition(self) -> Message:
        """What was computed, in words."""
        if self.on == "best":
            return _(
                "Share of tuples for which at least ceil(0.8 n) of the n answers (4 of 5, say)"
                " name the same item as best [GiCCS]. Tuples with fewer than %(least)s answers are"
                " left out.",
                least=MIN_ANSWERS,
            )
        return _(
            "Share of tuples for which at least ceil(0.8 n) of the n answers (4 of 5, say) name"
            " the same item as worst [GiCCS]. Tuples with fewer than %(least)s answers are left"
            " out.",
            least=MIN_ANSWERS,
        )

    def as_dict(self) -> JsonObject:
        """All figures in plain JSON types, with the definition."""
        return {
            "definition": self.definition,
            "on": self.on,
            "share": json_number(self.share),
            "unanimous_share": json_number(self.unanimous_share),
            "mean_pairwise_agreement": json_number(self.mean_pairwise_agreement),
            "n_tuples": self.n_tuples,
            "n_left_out": self.n_left_out,
            "reason": self.reason,
        }


def strong_agreement(answers: BestWorst, *, on: Picked) -> StrongAgreement:
    """Share of tuples whose answers mostly picked the same item.

    Parameters
    ----------
    answers : BestWorst
        m judgments of t tuples.
    on : {"best", "worst"}
        The picks compared.

    Returns
    -------
    StrongAgreement
        Its shares are nan, with the reason, if no tuple has three answers.

    Raises
    ------
    ValueError
        If `on` is unknown.

    References
    ----------
    [GiCCS] in docs/references.md
    """
    if on not in ("best", "worst"):
        raise ValueError(f"on must be one of best, worst, not {on!r}")

    votes = _votes(answers, on)
    n_answers = votes.sum(axis=1)
    is_counted = n_answers >= MIN_ANSWERS
    votes, n_answers = votes[is_counted], n_answers[is_counted]
    n_left_out = answers.n_tuples - len(votes)
    if len(votes) == 0:
        reason = (
            _("no tuple has three answers") if answers.n_judgments else _("there are no answers")
        )
        return StrongAgreement(on, np.nan, np.nan, np.nan, 0, n_left_out, reason)

    most = votes.max(axis=1)
    # ceil(.8 n) in whole numbers: .8 has no exact binary form.
    enough = -(-4 * n_answers // 5)
    agreeing_pairs = (votes * (votes - 1)).sum(axis=1) / (n_answers * (n_answers - 1))
    return StrongAgreement(
        on,
        share=float((most >= enough).mean()),
        unanimous_share=float((most == n_answers).mean()),
        mean_pairwise_agreement=float(agreeing_pairs.mean()),
        n_tuples=len(votes),
        n_left_out=n_left_out,
    )


def _votes(answers: BestWorst, on: Picked) -> IntArray:
    """Picks of each slot of each tuple, shape (t, k)."""
    t, k = answers.tuples.shape
    cells = answers.tuple_number * k + answers.slots(on)
    return np.bincount(cells, minlength=t * k).reshape(t, k)
