"""What `tuples` and `scoring` say in English, and stored results repeat, in the reader's language.

Those two know no Django and no languages; exports carry their sentences as they are.
"""

import re
from collections.abc import Mapping
from functools import cache

from annotation.numbers import decimal
from annotation.reported_labels import KNOWN_OF_LABELS
from annotation.reported_measures import KNOWN_OF_MEASURES
from annotation.reported_ratings import KNOWN_OF_RATINGS
from annotation.reported_reviews import KNOWN_OF_REVIEWS
from annotation.sentences import Said, Sentence, ngettext, translated
from annotation.sentences import sentence as _
from shell.messages import Message

# The English of each is theirs, word for word; a test makes them say all of it.
KNOWN: tuple[Sentence, ...] = (
    # tuples.design
    _("tuples of %(size)s leave nothing to choose between: use a size of at least 2"),
    ngettext(
        "%(n)s item cannot fill a tuple of %(size)s: use tuples of at most %(most)s, or add items",
        "%(n)s items cannot fill a tuple of %(size)s: use tuples of at most %(most)s, or add"
        " items",
        "n",
    ),
    ngettext(
        "%(n)s item cannot fill a tuple of %(size)s: add items",
        "%(n)s items cannot fill a tuple of %(size)s: add items",
        "n",
    ),
    _("the factor must be a number above 0, but is %(factor)s: 2 is usual"),
    ngettext(
        "factor %(factor)s asks for less than one tuple of %(n)s item: use a factor of at least"
        " %(least)s",
        "factor %(factor)s asks for less than one tuple of %(n)s items: use a factor of at least"
        " %(least)s",
        "n",
    ),
    _(
        "factor %(factor)s asks for %(wanted)s tuples, more than the %(most)s that are made at"
        " once: use a factor of at most %(limit)s"
    ),
    ngettext(
        "%(items)s items give only %(n)s distinct tuple of %(size)s, but factor %(factor)s asks"
        " for %(wanted)s: use factor %(limit)s",
        "%(items)s items give only %(n)s distinct tuples of %(size)s, but factor %(factor)s asks"
        " for %(wanted)s: use factor %(limit)s",
        "n",
    ),
    ngettext(
        "%(items)s items give only %(n)s distinct tuple of %(size)s, but factor %(factor)s asks"
        " for %(wanted)s: use factor %(limit)s, or tuples of %(other)s (%(possible)s exist)",
        "%(items)s items give only %(n)s distinct tuples of %(size)s, but factor %(factor)s asks"
        " for %(wanted)s: use factor %(limit)s, or tuples of %(other)s (%(possible)s exist)",
        "n",
    ),
    # scoring.noise
    _("no tuple has two answers, so nothing says how much people differ"),
    _("people agree as if there were no noise: below %(least)s"),
    _("people agree no more often than by chance"),
    # tuples.booklets
    ngettext(
        "%(n)s of %(screens)s screens has fewer than %(size)s questions, at least %(least)s:"
        " %(tuples)s tuples do not fill %(screens)s screens.",
        "%(n)s of %(screens)s screens have fewer than %(size)s questions, at least %(least)s:"
        " %(tuples)s tuples do not fill %(screens)s screens.",
        "n",
    ),
    ngettext(
        "%(n)s of %(booklets)s booklets has fewer than %(size)s screens, at least %(least)s:"
        " %(screens)s screens do not fill %(booklets)s booklets.",
        "%(n)s of %(booklets)s booklets have fewer than %(size)s screens, at least %(least)s:"
        " %(screens)s screens do not fill %(booklets)s booklets.",
        "n",
    ),
    _(
        "Stratum %(stratum)s has %(tuples)s tuples for %(screens)s screens: %(few)s on"
        " %(with_few)s and %(many)s on %(with_many)s of them."
    ),
    ngettext(
        "%(n)s screen shows more than one tuple of a pool, at most %(most)s: the largest pool has"
        " %(tuples)s tuples for %(screens)s screens.",
        "%(n)s screens show more than one tuple of a pool, at most %(most)s: the largest pool has"
        " %(tuples)s tuples for %(screens)s screens.",
        "n",
    ),
    ngettext(
        "A booklet shows up to %(most)s tuples of one pool: the largest pool has %(tuples)s tuples"
        " for %(n)s booklet.",
        "A booklet shows up to %(most)s tuples of one pool: the largest pool has %(tuples)s tuples"
        " for %(n)s booklets.",
        "n",
    ),
    _("The answers were imported: each tuple is a booklet of its own."),
    # scoring.reliability
    _(
        "The answers to each tuple are split at random into halves; an odd one goes to either half"
        " by a coin [KM2017]. Correlation of the halves' counting scores over items."
    ),
    _(
        "The answers to each tuple are split at random into halves; half A always takes the"
        " smaller part, 2 of 5 [GiCCS]. Correlation of the halves' counting scores over items."
    ),
    _(
        "The annotators are split at random into halves, each with all their answers; of an odd"
        " number half A takes one fewer. Correlation of the halves' counting scores over items."
    ),
    _(
        "The answered tuples are split at random into halves, each with all its answers; of an odd"
        " number half A takes one fewer. Correlation of the halves' counting scores over items."
    ),
    _("there is only one annotator, which cannot be halved"),
    _("there is only one answered tuple, which cannot be halved"),
    ngettext(
        "%(n)s annotators part into %(smaller)s and %(greater)s, and the formula needs halves",
        "%(n)s annotators part into %(smaller)s and %(greater)s, and the formula needs halves",
        "n",
    ),
    ngettext(
        "%(n)s answered tuples part into %(smaller)s and %(greater)s, and the formula needs"
        " halves",
        "%(n)s answered tuples part into %(smaller)s and %(greater)s, and the formula needs"
        " halves",
        "n",
    ),
    _("the scores of the halves have no correlation: %(reason)s"),
    _("there are fewer than two pairs of values"),
    _("the values of one side are all equal"),
    _("%(n)s of %(splits)s splits are left out: %(reason)s."),
    _("there are no judgments"),
    _("no tuple has two judgments, so half A of every tuple is empty"),
    _(
        "No tuple has two judgments, so nothing is split: each tuple goes whole to half B, and the"
        " halves are scored from different tuples."
    ),
    _(
        "No tuple has two judgments, so nothing is split: each tuple goes whole to either half by"
        " a coin, and the halves are scored from different tuples."
    ),
    ngettext(
        "%(n)s of %(tuples)s tuples has one judgment, which goes to half B.",
        "%(n)s of %(tuples)s tuples have one judgment, which goes to half B.",
        "n",
    ),
    ngettext(
        "%(n)s of %(tuples)s tuples has one judgment, which goes to either half by a coin.",
        "%(n)s of %(tuples)s tuples have one judgment, which goes to either half by a coin.",
        "n",
    ),
    _(
        "Every tuple has an odd number of answers: the coin gives such a tuple more weight in one"
        " half than in the other, so complete agreement need not reach 1. In 60 pools of five"
        " items, each with all ten tuples of three and 3, 5 or 7 answers that all agree, Spearman"
        " is .956; with 4 or 6 it is 1.000."
    ),
    ngettext(
        "%(n)s of %(tuples)s tuples has an odd number of answers: the coin gives such a tuple more"
        " weight in one half than in the other, so complete agreement need not reach 1. In 60"
        " pools of five items, each with all ten tuples of three and 3, 5 or 7 answers that all"
        " agree, Spearman is .956; with 4 or 6 it is 1.000.",
        "%(n)s of %(tuples)s tuples have an odd number of answers: the coin gives such a tuple"
        " more weight in one half than in the other, so complete agreement need not reach 1. In 60"
        " pools of five items, each with all ten tuples of three and 3, 5 or 7 answers that all"
        " agree, Spearman is .956; with 4 or 6 it is 1.000.",
        "n",
    ),
    _(
        "the rule 'fixed' makes parts of unequal size from an odd number of answers, and the"
        " formula needs halves; see the rule 'random'"
    ),
    _("there is no correlation to step up"),
    _("the halves correlate negatively (%(correlation)s), which no reliability does"),
    _(
        "2r / (1 + r) of the mean Pearson correlation r of the halves [Spearman1910] [Brown1910];"
        " undefined for a negative r."
    ),
    # scoring.agreement
    _(
        "Krippendorff's alpha (nominal) [Krippendorff2011], tuples being units, of"
        " %(picks)s; %(coding)s."
    ),
    _("the best picks"),
    _("the worst picks"),
    _("the best and the worst picks as separate units"),
    _("best and worst pick together, the same only if both are"),
    _("coded by their place in the tuple's stored order"),
    _("coded by item, so not corrected for chance: see the chance level"),
    _("with the expected disagreement of a random choice [Bennett1954]"),
    _("no tuple has two judgments"),
    _("all values are equal, so there is no disagreement by chance to compare with"),
    _(
        "The slots' margins are far from uniform (one is off by %(deviation)s): the disagreement"
        " expected from them is %(share)s%% below that of a random choice, so alpha depends on"
        " the stored order of the tuples; see the uniform coding."
    ),
    # scoring.agreement_interval
    _(
        "there is only one of the tuples to draw from, and drawing one again and again says"
        " nothing about others"
    ),
    _(
        "there is only one of the pools to draw from, and drawing one again and again says"
        " nothing about others"
    ),
    _("all values of every resample are equal"),
    # scoring.item_intervals
    _(
        "Percentile bootstrap (95 %) of the counting scores, drawing of each tuple n - 1 of its n"
        " answers, each counting n / (n - 1) [RaoWu1988] [Efron1993]. Sure share: pairs of items"
        " of which one scores higher in at least 95 % of the resamples; equal scores are no order."
    ),
    ngettext(
        "%(n)s of %(tuples)s tuples have one judgment, which says nothing of how it varies: the"
        " %(items)s items that they show have no interval, and their pairs are not counted.",
        "%(n)s of %(tuples)s tuples have one judgment, which says nothing of how it varies: the"
        " %(items)s items that they show have no interval, and their pairs are not counted.",
        "n",
    ),
    ngettext(
        "%(n)s items have a standard error of 0, because all answers to each of their tuples are"
        " the same: more answers may differ.",
        "%(n)s items have a standard error of 0, because all answers to each of their tuples are"
        " the same: more answers may differ.",
        "n",
    ),
    # scoring.ranking, scoring.newton
    _(
        "Utilities of the max-diff logit, P(best i, worst j) proportional to exp(u_i - u_j)"
        " [Marley2005], by maximum likelihood within each pool, centred there. Standard errors"
        " from the inverse information. Utilities of different pools are not on one scale. Where"
        " the estimate does not exist a ridge is used, and the pool's note names it."
    ),
    _(
        "the fit of %(n)s items did not converge in %(most)s iterations: the last step was"
        " %(step)s logits"
    ),
    _("the fit of %(n)s items: conjugate gradients did not converge in %(most)s iterations"),
    # scoring.compliance
    _(
        "Share of the pairs that the annotator's answers imply (best over all others, all others"
        " over worst) whose order is that of the counting scores from everybody else; equal scores"
        " count a half. Pairs with an item that nobody else was shown are left out. Random"
        " clicking gives about .5."
    ),
    # scoring.positions
    _(
        "Pearson's chi-square test of the displayed positions of the picks against a uniform"
        " distribution, k - 1 degrees of freedom; of each annotator, and of all answers together."
        " Among many annotators a few have a small p by chance."
    ),
    _("there are no picks"),
    _(
        "too few picks: %(expected)s expected in each position, and below %(least)s the p-value is"
        " a rough approximation [Cochran1954]"
    ),
    # annotation.services.scoring
    _("nobody's answers can be compared with another's"),
    _("the order in which the options were shown is not known"),
    # scoring.majorities
    _(
        "Share of tuples in which at least ceil(0.8 n) of n answers, 4 of 5, picked the same item"
        " as best [GiCCS]. Tuples of fewer than %(least)s answers are left out."
    ),
    _(
        "Share of tuples in which at least ceil(0.8 n) of n answers, 4 of 5, picked the same item"
        " as worst [GiCCS]. Tuples of fewer than %(least)s answers are left out."
    ),
    _("no tuple has three judgments"),
    # scoring.summary
    _("the figure is undefined in every cell"),
    *KNOWN_OF_RATINGS,
    *KNOWN_OF_LABELS,
    *KNOWN_OF_REVIEWS,
    *KNOWN_OF_MEASURES,
)

_STRATA = (_("number of turns"), _("domain"), _("source"))
_UNKNOWN = _("unknown")
# Values that are names or what somebody typed: no sentences, nor numbers to be written anew.
_AS_IT_IS = {"given", "measure", "those"}


def sentence_of(text: str) -> Said:
    """The sentence or sentences that a text is; a text that nobody here knows stays as it is."""
    if isinstance(text, Message):
        return translated(text)
    for known, alone, followed in _patterns():
        if found := followed.fullmatch(text):
            values = found.groupdict()
            following = sentence_of(values.pop("following_"))
            if isinstance(following, Sentence):
                return Sentence("%(first)s %(rest)s") % {
                    "first": _filled(known, values),
                    "rest": following,
                }
        if found := alone.fullmatch(text):
            return _filled(known, found.groupdict())
    return text


def _filled(known: Sentence, values: Mapping[str, str]) -> Sentence:
    return known % {name: _value(name, value) for name, value in values.items()}


def in_words(text: str | None) -> str:
    return str(sentence_of(text)) if text else ""


def stratum(name: str) -> str:
    """A stratum in the words of the certificate, "number of turns 3 / domain unknown", say."""
    said = []
    for part in name.split(" / "):
        for label in _STRATA:
            if part == label.singular or part.startswith(f"{label.singular} "):
                value = part.removeprefix(label.singular).strip()
                value = str(_UNKNOWN) if value == _UNKNOWN.singular else value
                said.append(f"{label} {value}".strip())
                break
        else:
            said.append(part)
    return " / ".join(said)


@cache
def _patterns() -> list[tuple[Sentence, re.Pattern[str], re.Pattern[str]]]:
    """Each known form: alone, and with more sentences after it."""
    found = []
    for known in KNOWN:
        for form in filter(None, (known.singular, known.plural)):
            seen: set[str] = set()
            parts = []
            for part in re.split(r"(%\(\w+\)s|%%)", form):
                if part == "%%" and "%(" in form:
                    parts.append("%")
                elif part.startswith("%("):
                    name = part[2:-2]
                    # What a plural follows is a number; a setting is one word. A second mention is
                    # the same value.
                    value = ".+?"
                    if known.plural and name == known.count:
                        value = r"\d+(?:,\d{3})*"
                    elif name == "setting":
                        value = r"\S+"
                    parts.append(f"(?P={name})" if name in seen else f"(?P<{name}>{value})")
                    seen.add(name)
                else:
                    parts.append(re.escape(part))
            alone = "".join(parts)
            followed = alone + r" (?P<following_>.+)"
            found.append((known, re.compile(alone, re.DOTALL), re.compile(followed, re.DOTALL)))
    return found


def _value(name: str, text: str) -> object:
    if name == "stratum":
        return stratum(text)
    if name in _AS_IT_IS:
        return text
    if re.fullmatch(r"-?\d+|\d{1,3}(,\d{3})+", text):
        return int(text.replace(",", ""))
    if re.fullmatch(r"-?\d+\.\d+", text):
        # As a number it is written in the language of whoever reads the sentence later; one that
        # ends in zeros would lose them, and is written now.
        if repr(float(text)) == text:
            return float(text)
        return decimal(float(text), len(text.partition(".")[2]))
    return sentence_of(text)
