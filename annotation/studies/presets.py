"""Ready-made studies: the numbers of a design and, per language, the texts."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.basics.categories import Categories
from annotation.basics.reviewed import Review
from annotation.basics.scale import Scale
from annotation.models.kinds import QuestionKind


@dataclass(frozen=True)
class Preset:
    key: str
    name: str | Promise
    description: str | Promise
    parameters: dict[str, Any]
    max_booklets: int = 1
    # Which default texts: those about dialogues, those that fit items of any kind, those for
    # ratings of pairs ("ratings") or of answers to a question ("answers"), those for sentences
    # selected from reports ("selection"), those for pairs put into categories ("labels"), for
    # experts ("expert") or for what a measure and people differ in ("discrepancy").
    texts: str = "items"
    kind: QuestionKind = QuestionKind.BEST_WORST
    # Ends and step of the scale of a rating study; its words are among the texts.
    scale: Mapping[str, str] = field(default_factory=dict)
    # Why it looks at items of a scored study again; it cannot do without one.
    review: Review | None = None

    @property
    def continues(self) -> tuple[QuestionKind, ...]:
        """What an earlier study asked that such a study can go on with."""
        if self.review:
            return (QuestionKind.BEST_WORST, QuestionKind.RATING)
        return (QuestionKind.RATING, QuestionKind.SELECTION) if self.is_rating else ()

    @property
    def is_rating(self) -> bool:
        return self.kind == QuestionKind.RATING

    @property
    def is_label(self) -> bool:
        return self.kind == QuestionKind.LABEL

    def categories_in(self, language: str) -> dict[str, Any]:
        """The categories with their explanations in a language, as a study stores them."""
        if not self.is_label:
            return {}
        return Categories.of(texts(language, self.texts)["categories"]).as_json

    def scale_in(self, language: str) -> dict[str, Any]:
        """The scale with its words in a language, as a study stores it."""
        if not self.scale:
            return {}
        plain = Scale.of(self.scale)
        words = texts(language, self.texts)["scale_labels"]
        if self.texts == "answers":
            labels = dict(zip(plain.points, words["answers"], strict=True))
        else:
            labels = {plain.low: words["ends"][0], plain.high: words["ends"][1]}
        return Scale(plain.low, plain.high, plain.step, labels).as_json


ZERO_TO_SIX = {"low": "0", "high": "6", "step": "1"}


def _one_phase(**numbers: Any) -> dict[str, Any]:
    """Numbers of a rating design in which everybody rates their pairs once, without context."""
    return {
        "arrangement": "free",
        "n_teams": 1,
        "questions_per_screen": 1,
        "phases": [{"condition": "context_free", "delay_hours": 0.0, "closes_after_days": None}],
        "calibration": [],
        "n_repeats": 0,
        "repeat_from": "booklet",
        "repeat_distance": 20,
        **numbers,
    }


PRESETS = {
    preset.key: preset
    for preset in (
        Preset(
            key="best-worst",
            name=_("Best-worst scaling"),
            description=_(
                "4 items a tuple, twice as many tuples as items, 5 annotations a tuple."
                " The usual plan for words, sentences or pairs."
            ),
            parameters={
                "tuple_size": 4,
                "factor": 2.0,
                "annotations_per_tuple": 5,
                "questions_per_screen": 1,
                "screens_per_booklet": 20,
                "strata": [],
            },
        ),
        Preset(
            key="giccs",
            name=_("Dialogues (GiCCS): sentences compared with the last turn"),
            description=_(
                "As in the German benchmark GiCCS: 5 candidates a dialogue in all ten"
                " 3-tuples, 5 annotations a tuple; each screen shows one 3-turn and one 5-turn"
                " dialogue."
            ),
            parameters={
                "tuple_size": 3,
                "factor": 2.0,
                "annotations_per_tuple": 5,
                "questions_per_screen": 2,
                "screens_per_booklet": 10,
                "strata": ["turns"],
            },
            max_booklets=0,
            texts="dialogues",
        ),
        Preset(
            key="sts-context",
            name=_("Sentence pairs alone and in context (Czech news, round 3)"),
            description=_(
                "Ratings from 0 to 6, nine a pair, 50 pairs a person. After 72 hours, and within"
                " 14 days, everybody rates the same pairs again in context. Name six calibration"
                " pairs on the design page; 5 pairs come twice."
            ),
            parameters={
                "ratings_per_item": 9,
                "items_per_booklet": 50,
                "arrangement": "grouped",
                "n_teams": 1,
                "questions_per_screen": 1,
                "phases": [
                    {"condition": "context_free", "delay_hours": 0.0, "closes_after_days": None},
                    {
                        "condition": "context_dependent",
                        "delay_hours": 72.0,
                        "closes_after_days": 14.0,
                    },
                ],
                "calibration": [],
                "n_repeats": 5,
                "repeat_from": "booklet",
                "repeat_distance": 20,
            },
            texts="ratings",
            kind=QuestionKind.RATING,
            scale=ZERO_TO_SIX,
        ),
        Preset(
            key="czech-round-1",
            name=_("Sentences selected from reports (Czech news, round 1)"),
            description=_(
                "Items are incidents: a summary and the reports that it was made from. For every"
                " sentence of the summary a person chooses three sentences of the reports, the"
                " most similar, one in between and the least similar, and rates each from 0 to 6;"
                " 6 incidents a person. The next round turns what was chosen into pairs."
            ),
            parameters={"incidents_per_booklet": 6, "people_per_incident": 1},
            texts="selection",
            kind=QuestionKind.SELECTION,
            scale=ZERO_TO_SIX,
        ),
        Preset(
            key="czech-round-2",
            name=_("Sentence pairs divided among three (Czech news, round 2)"),
            description=_(
                "Ratings from 0 to 6, one a pair. Pairs come in tuples of three, of which three"
                " people rate one each: 30 pairs a person for every 30 tuples. For an exploratory"
                " check of the pairs before more people rate them."
            ),
            parameters=_one_phase(ratings_per_item=1, items_per_booklet=30, arrangement="grouped"),
            texts="ratings",
            kind=QuestionKind.RATING,
            scale=ZERO_TO_SIX,
        ),
        Preset(
            key="training",
            name=_("Training data: one rating for each pair"),
            description=_(
                "Ratings from 0 to 6, one a pair, 50 pairs a booklet; a person may answer as many"
                " booklets as are left. For a large set from which a model learns; it says"
                " nothing about agreement."
            ),
            parameters=_one_phase(ratings_per_item=1, items_per_booklet=50),
            max_booklets=0,
            texts="ratings",
            kind=QuestionKind.RATING,
            scale=ZERO_TO_SIX,
        ),
        Preset(
            key="stss-131",
            name=_("Short texts from 0.00 to 4.00 (STSS-131)"),
            description=_(
                "As in the English benchmark STSS-131: 32 people rate all 64 pairs of a booklet in"
                " steps of 0.01. Name two calibration pairs on the design page; they are kept"
                " out of the scores."
            ),
            parameters=_one_phase(ratings_per_item=32, items_per_booklet=64),
            texts="ratings",
            kind=QuestionKind.RATING,
            scale={"low": "0", "high": "4", "step": "0.01"},
        ),
        Preset(
            key="answer-similarity",
            name=_("Answers compared: different, partly the same, the same (0, 1, 2)"),
            description=_(
                "As in the answer similarity data of SQuAD, GermanQuAD and NQ-open: three people"
                " put every pair of answers to a question into one of three classes."
            ),
            parameters=_one_phase(
                ratings_per_item=3, items_per_booklet=100, questions_per_screen=5
            ),
            max_booklets=0,
            texts="answers",
            kind=QuestionKind.RATING,
            scale={"low": "0", "high": "2", "step": "1"},
        ),
        Preset(
            key="labels",
            name=_("Pairs put into named categories"),
            description=_(
                "Three people put every pair into a category of yours, or into several. What most"
                " of them say is the label; where they are torn, an expert can decide."
            ),
            parameters=_one_phase(ratings_per_item=3, items_per_booklet=50),
            max_booklets=0,
            texts="labels",
            kind=QuestionKind.LABEL,
        ),
        Preset(
            key="expert-check",
            name=_("Expert check of a scored study"),
            description=_(
                "As in GiCCS: two experts say of every item whether its similarity is above or"
                " below the middle. They see no scores; the result lists the items whose score"
                " contradicts them."
            ),
            parameters=_one_phase(ratings_per_item=2, items_per_booklet=100),
            texts=Review.EXPERTS,
            kind=QuestionKind.LABEL,
            review=Review.EXPERTS,
        ),
        Preset(
            key="discrepancy-review",
            name=_("Review of where a measure and people differ"),
            description=_(
                "The items of a scored study in which a measure and the people differ most, put"
                " into categories of yours: what did the measure miss, where did people err?"
                " The measure is a column of the items, or a table."
            ),
            parameters=_one_phase(ratings_per_item=2, items_per_booklet=100),
            texts=Review.DISCREPANCIES,
            kind=QuestionKind.LABEL,
            review=Review.DISCREPANCIES,
        ),
    )
}

TEXT_LANGUAGES = ("en", "de", "cs")
# Parts of the files of default texts for label studies; the first is the base of the others.
LABEL_TEXTS = ("labels", *Review)


def review_of(preset: str) -> Review | None:
    """Why a study that was made from a preset looks at scored items again; None if it does not."""
    chosen = PRESETS.get(preset)
    return chosen.review if chosen else None


@cache
def texts(language: str, kind: str = "dialogues") -> dict[str, Any]:
    """The default texts in a language, or the English ones where there are none.

    Those for items of any kind have no worked example: nobody but the researcher can give one.
    """
    base = language.split("-", maxsplit=1)[0]
    chosen = base if base in TEXT_LANGUAGES else "en"
    data = _stored("dialogues", chosen)
    if kind != "dialogues":
        data = {**data, "worked_example": {}, "comprehension": {}, **_stored("items", chosen)}
    if kind in {"ratings", "answers", "selection"}:
        of_ratings = _stored("ratings", chosen)
        of_answers = of_ratings.pop("answers")
        data = {**data, **of_ratings, **(of_answers if kind == "answers" else {})}
    if kind in LABEL_TEXTS:
        of_labels = _stored("labels", chosen)
        data = {**data, **of_labels["labels"], **of_labels[kind]}
    if kind == "selection":
        data = {**data, **_stored("selection", chosen)}
    return data


def _stored(what: str, language: str) -> dict[str, Any]:
    """A file of texts, of our own writing; all but that of dialogues say what differs from it."""
    file = Path(__file__).with_name("texts") / f"{what}.{language}.json"
    texts: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return texts


def placeholders(text: str) -> list[str]:
    """Things in square brackets that are no links: what the default texts leave to be filled."""
    return re.findall(r"\[[^\]\[\n]{3,}\](?!\()", text)


def unfilled_contact(consent: str) -> str:
    """The place for the researcher's name that a plan's text left; empty where it was filled."""
    return next((one for one in placeholders(consent) if one in _places_for_a_contact()), "")


def says_only_answers(consent: str) -> bool:
    """Whether a text says of what is stored exactly what the default texts say."""
    return any(one in _paragraphs(consent) for one in _default_paragraphs_of_storing())


def _paragraphs(text: str) -> list[str]:
    return [one.strip() for one in text.replace("\r\n", "\n").split("\n\n")]


@cache
def _default_paragraphs_of_storing() -> frozenset[str]:
    # The one of what is stored names the IP address in every language.
    return frozenset(
        one
        for language in TEXT_LANGUAGES
        for one in _paragraphs(texts(language)["consent"])
        if "IP" in one
    )


@cache
def _places_for_a_contact() -> frozenset[str]:
    return frozenset(
        one for language in TEXT_LANGUAGES for one in placeholders(texts(language)["consent"])
    )
