"""Sentences that are stored as data, and those that `tuples` and `scoring` make."""

import itertools
import math
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from django.utils import translation

from annotation.answering.services import assignments
from annotation.basics.numbers import decimal, grouped, percent
from annotation.basics.sentences import in_words, ngettext, read, stored, translated
from annotation.basics.sentences import sentence as _
from annotation.basics.strata import stratum_name
from annotation.core.services import jobs
from annotation.kinds.best_worst.queries import certificates
from annotation.kinds.best_worst.services.scoring import RULES
from annotation.models import Job, Result
from scoring import (
    BestWorst,
    by_group,
    compliance,
    estimate_noise,
    half_interval,
    mean_over_cells,
    position_bias,
    project,
    rank,
    score_intervals,
    split_half,
    summarise,
)
from scoring.best_worst.ranking import Model
from shell.messages import Message
from tests.support.answering import answer_all
from tests.support.factories import join, make_open_study
from tuples import (
    ImpossibleDesignError,
    certify,
    combine,
    compose_booklets,
    count_tuples,
    make_tuples,
)

# Django's own catalogues have these, so the tests need none of ours.
KNOWN, COUNTED = "This field is required.", ("%(n)d hour", "%(n)d hours")


def test_a_stored_sentence_is_said_in_the_language_of_who_reads_it() -> None:
    line = stored(_(KNOWN))

    with translation.override("de"):
        said = read(line)

    assert (read(line), said) == (KNOWN, "Dieses Feld ist zwingend erforderlich.")


def test_a_stored_sentence_keeps_its_numbers_and_the_sentence_inside_it() -> None:
    inner = ngettext("%(n)s tuple", "%(n)s tuples", 2) % {"n": 2}
    outer = _("line %(line)s: %(problem)s; factor %(factor)s")
    line = stored(outer % {"line": 3, "problem": inner, "factor": 0.5})

    with translation.override("de"):
        in_german = read(line)

    assert "\n" not in line
    assert read(line) == "line 3: 2 tuples; factor 0.5"
    assert in_german.endswith("factor 0,5")


def test_the_plural_follows_the_value_that_is_named() -> None:
    counted = ngettext("%(n)s of %(all)s screens has", "%(n)s of %(all)s screens have", "n")

    assert str(counted % {"n": 1, "all": 9}) == "1 of 9 screens has"
    assert str(counted % {"n": 2, "all": 9}) == "2 of 9 screens have"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "100 % plain",
        '{"say":',
        '{"say": 3}',
        '{"other": 1}',
        '{"say":"%(a)c","with":{"a":99999999}}',
        pytest.param('{"say":' + "[" * 100_000, id="nested deeply"),
    ],
)
def test_text_that_is_no_stored_sentence_is_read_as_it_is(text: str) -> None:
    assert read(text) == text


def test_text_that_looks_like_a_stored_sentence_is_read_as_it_was_written() -> None:
    text = '{"say":"%(a)s","with":{"a":"This study was deleted."}}'

    assert read(stored(text)) == text


def test_a_stored_text_is_one_line() -> None:
    assert stored("one\r\ntwo\u2028three\x85four\n") == "one two three four"


def test_a_half_is_rounded_away_from_zero_as_readers_do() -> None:
    # 28.75 is 28.749999999999996 when it is a hundred times .2875.
    assert [percent(n / 80) for n in (23, 19, 21)] == ["28.8\u00a0%", "23.8\u00a0%", "26.3\u00a0%"]
    assert [decimal(value, 3) for value in (0.0625, -0.0625, 1.0005)] == [
        "0.063",
        "−0.063",
        "1.001",
    ]


def test_numbers_are_written_as_the_language_writes_them() -> None:
    with translation.override("de"):
        assert (grouped(1234567), decimal(0.5, 3)) == ("1.234.567", "0,500")
    with translation.override("en"):
        assert (grouped(1234567), decimal(2 / 3, 2)) == ("1,234,567", "0.67")


# -- tuples and scoring -------------------------------------------------------------------------


def _answers(n_items: int, size: int, picks: list[list[tuple[int, int]]]) -> BestWorst:
    """`picks[t]`: places of best and worst in the answers to tuple t."""
    tuples = np.array(list(itertools.combinations(range(n_items), size))[: len(picks)])
    number = [t for t, answers in enumerate(picks) for _pick in answers]
    places = [pick for answers in picks for pick in answers]
    return BestWorst(
        tuples=tuples,
        tuple_number=np.array(number, dtype=np.int64),
        best=np.array(
            [tuples[t][b] for t, (b, _w) in zip(number, places, strict=True)], dtype=int
        ),
        worst=np.array(
            [tuples[t][w] for t, (_b, w) in zip(number, places, strict=True)], dtype=int
        ),
        n_items=n_items,
        # Of two people, who answer by turns.
        annotator=np.arange(len(number)) % 2,
    )


def _texts(value: object, key: str = "") -> list[str]:
    """The definitions, reasons, notes and warnings of a statistic.

    What `definitions` says of single figures is for files, and in English.
    """
    if isinstance(value, dict):
        return [text for k, v in value.items() if k != "definitions" for text in _texts(v, k)]
    if isinstance(value, list):
        return [text for of_one in value for text in _texts(of_one, key)]
    is_sentence = key in {"definition", "reason", "note", "notes", "warning"}
    return [value] if is_sentence and isinstance(value, str) else []


ALIKE, OTHER = (0, 1), (1, 0)
BATCHES = {
    "nothing": [[]],
    "single answers": [[ALIKE], [OTHER], [ALIKE]],
    "some single answers": [[ALIKE], [OTHER, ALIKE], [ALIKE] * 4],
    "odd numbers": [[ALIKE, OTHER, ALIKE], [OTHER] * 3, [ALIKE] * 5],
    "some odd numbers": [[ALIKE, OTHER], [OTHER] * 3, [ALIKE] * 4],
    "one tuple": [[ALIKE, ALIKE]],
    "all the same slot": [[ALIKE] * 4] * 9 + [[(0, 2), (2, 0)]],
    "against one another": [[ALIKE, OTHER]] * 6,
    "hardly any items": [[ALIKE, OTHER, (0, 2)]],
}


@pytest.mark.parametrize("name", BATCHES)
def test_every_sentence_of_the_statistics_is_a_message(name: str) -> None:
    answers = _answers(5, 3, BATCHES[name])

    rng = np.random.default_rng(1)
    statistics = [
        summarise(answers, n_splits=20, rules=RULES, with_intervals=True, rng=rng),
        summarise(answers.of_judgments(answers.annotator == 0), with_intervals=True, rng=rng),
        *mean_over_cells(by_group(answers, ["a"] * len(answers.tuples), rng=rng)).values(),
        score_intervals(answers),
        score_intervals(replace(answers, annotator=None)),
        compliance(answers),
        position_bias(answers.slots("best"), answers.slots("worst"), n_positions=3),
        *(rank(answers, model=model) for model in get_args(Model)),
        estimate_noise(answers, rng=rng),
        *(
            project(answers, split_half(answers, rule=rule, rng=rng), n_answers=[9])
            for rule in RULES
        ),
    ]
    texts = [text for statistic in statistics for text in _texts(statistic.as_dict())]
    reason = half_interval(answers, pool=np.zeros(5, dtype=np.int64), rng=rng).reason
    texts += [reason] if reason else []
    assert len(texts) > 50
    assert [text for text in texts if not isinstance(text, Message)] == []


@pytest.mark.django_db
def test_every_sentence_of_a_stored_result_is_a_message() -> None:
    study = make_open_study()
    # Nobody else answers, so that there is nobody to compare with.
    joined = join(study)
    answer_all(joined.assignment)
    assignments.submit(assignment=joined.assignment)
    job = jobs.run_here(
        study=study, kind=Job.Kind.SCORE, parameters={"population": "people", "n_splits": 5}
    )

    texts = _texts(Result.objects.get(job=job).statistics)

    assert "no two people answered the same items" in texts
    assert [text for text in texts if not isinstance(text, Message)] == []


@pytest.mark.parametrize(
    ("n_items", "size", "factor"),
    [
        (5, 1, 2),
        (1, 3, 2),
        (2, 3, 2),
        (5, 3, math.nan),
        (5, 3, -1),
        (5, 3, 0.01),
        (5, 3, 3),
        (5, 4, 1.5),
        (3, 3, 2),
        (3000, 4, 10_000),
    ],
)
def test_every_refusal_of_a_design_is_a_message(n_items: int, size: int, factor: float) -> None:
    with pytest.raises(ImpossibleDesignError) as caught:
        count_tuples(n_items, size, factor)

    assert isinstance(caught.value.message, Message)
    assert str(caught.value) == caught.value.message
    with translation.override("de"):
        assert in_words(caught.value.message) != str(caught.value)


def test_every_note_on_booklets_is_a_message() -> None:
    pool = np.repeat(np.arange(3), [10, 6, 1])
    stratum = np.repeat([0, 1, 1], [10, 6, 1])

    notes = [
        note
        for screens, per_screen in ((3, 2), (5, 4), (1, 7), (20, 3))
        for note in compose_booklets(
            pool,
            stratum,
            questions_per_screen=per_screen,
            screens_per_booklet=screens,
            seed=1,
            stratum_names=[
                stratum_name({"turns": "3", "domain": ""}),
                stratum_name({"turns": "5", "domain": "domain"}),
            ],
        ).notes
    ]

    kinds = {" ".join(word for word in note.split() if word.isalpha()) for note in notes}
    assert len(kinds) >= 5
    assert [note for note in notes if not isinstance(note, Message)] == []
    with translation.override("de"):
        in_german = [in_words(note) for note in notes]
    assert any("Zahl der Äußerungen 3 / Domäne unbekannt" in note for note in in_german)
    # What somebody typed stays as it is.
    assert any("Zahl der Äußerungen 5 / Domäne domain" in note for note in in_german)


def test_numbers_inside_a_message_follow_the_language() -> None:
    # The two answers to each tuple contradict each other.
    answers = _answers(5, 3, [[ALIKE, OTHER]] * 6)
    of_halves = summarise(answers, rng=np.random.default_rng(1)).split_half["random"]

    with translation.override("de"):
        said = in_words(of_halves.spearman_brown.reason)

    assert "(−1,000)" in said


def test_a_number_in_a_stored_sentence_is_written_for_who_reads_it() -> None:
    with pytest.raises(ImpossibleDesignError) as caught:
        count_tuples(5, 5, 40)

    kept = stored(translated(caught.value.message))

    assert read(kept) == caught.value.message
    assert read(kept).endswith("factor 40 asks for 200: use factor 0.2")
    with translation.override("de"):
        assert read(kept).endswith("Nehmen Sie Faktor 0,2")


DESIGNS = {
    "one pool": [(10, 4, 2)],
    "few tuples": [(11, 3, 0.4)],
    "uneven": [(7, 3, 1)],
    "every pair once": [(7, 3, 1.0)],
    "all of them": [(5, 3, 2)],
    "two items": [(2, 2, 0.5)],
    "many": [(120, 4, 2)],
    "several pools": [(5, 3, 2)] * 4 + [(6, 3, 1), (9, 3, 0.3)],
    "two kinds": [(5, 3, 2), (5, 3, 1)],
}


@pytest.mark.parametrize("name", DESIGNS)
def test_the_certificate_said_from_its_numbers_is_the_one_that_tuples_says(name: str) -> None:
    certificate = combine(
        [
            certify(make_tuples(n, size=size, factor=factor, seed=number), n_items=n)
            for number, (n, size, factor) in enumerate(DESIGNS[name])
        ]
    )

    said = certificates.sentences({**certificate.as_dict(), "sentences": ["not used"]})

    assert said == [
        # Theirs has no singular where ours has one.
        text.replace(" 1 pairs appear", " 1 pair appears").replace("In 1 pools", "In 1 pool")
        for text in certificate.sentences()
    ]


def test_a_certificate_without_numbers_shows_the_sentences_that_it_has() -> None:
    assert certificates.sentences({"sentences": ["Imported."]}) == ["Imported."]
