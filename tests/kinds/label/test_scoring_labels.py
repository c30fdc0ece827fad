"""A label study is scored: what is counted, what is stored, what is left out."""

import json

import pytest
from django.core.management import call_command

from annotation.answering.services import withdrawal
from annotation.kinds.label.queries.answers import read_labels
from annotation.kinds.label.queries.items import ItemLabel, ItemLabels
from annotation.models import (
    Annotator,
    AnnotatorStatistics,
    Block,
    Exclusion,
    Judgment,
    Question,
    Study,
)
from annotation.models.kinds import Source
from tests.support.factories import make_user
from tests.support.labelled import (
    SEVERAL,
    adjudicate,
    join,
    label_all,
    label_phase,
    make_label_study,
    said_of,
    score,
)
from tests.support.rating import TWICE

pytestmark = pytest.mark.django_db

KEYS = [f"p{n}" for n in range(1, 7)]
# p1 and p2 are clear, p3 is settled by two of three, p4 is a tie of three, p5 and p6 are others.
ANSWERS = ["ssrsoo", "ssrroo", "ssooor"]


@pytest.fixture
def study() -> Study:
    study = make_label_study(domains=("news", "sport"))
    label_all(study, *([said_of(KEYS, codes)] for codes in ANSWERS))
    return study


def item(study: Study, key: str, phase: int = 0) -> ItemLabel:
    labels = ItemLabels.of(study, read_labels(study, "people"), "people")
    return labels.label(phase, labels.read.items.keys.index(key))


def test_counts_labels_and_ties_are_those_of_the_answers(study: Study) -> None:
    phase = score(study).statistics["phases"][0]
    summary = phase["summary"]

    assert (summary["n_answers"], summary["n_units"], summary["n_annotators"]) == (18, 6, 3)
    assert [category["n_answers"] for category in summary["categories"]] == [7, 4, 7]
    assert [category["n_labels"] for category in summary["categories"]] == [2, 1, 2]
    assert summary["labels"]["n_without_label"] == 1
    assert phase["without_label"] == ["p4"]
    # p1, p2, p5: 3 of 3; p3, p6: 1 of 3; p4: none.
    assert summary["pairwise"]["share"] == pytest.approx((3 + 2 / 3) / 6)
    assert summary["fleiss"]["n_each"] == 3


def test_each_domain_has_its_own_counts(study: Study) -> None:
    by = score(study).statistics["phases"][0]["by"]

    # p1, p3, p5 are news: same three times, related twice, other once and three times.
    assert by["domain"]["groups"]["news"] == {
        "n_items": 3,
        "n_answers": 9,
        "answers": [3, 2, 4],
        "labels": [1, 1, 1],
    }
    assert "source" not in by


def test_how_far_each_agrees_with_the_others_is_stored(study: Study) -> None:
    score(study)

    # Of p4 the others never agree with each other.
    compared = dict(AnnotatorStatistics.objects.values_list("annotator__pk", "n_pairs"))
    shares = list(
        AnnotatorStatistics.objects.order_by("annotator").values_list("compliance", flat=True)
    )
    # p1, p2, p5 compare everybody, p3 and p6 only the one whose others agree: 3 of 4 or 3 of 3.
    assert sorted(compared.values()) == [3, 3, 5]
    assert sorted(shares) == [pytest.approx(3 / 5), 1.0, 1.0]


def test_simulated_answers_are_scored_alone(study: Study) -> None:
    simulated = make_label_study(pairs=2)
    label_all(simulated, [said_of(KEYS[:2], "ss")], [said_of(KEYS[:2], "sr")])
    label_all(simulated, [said_of(KEYS[:2], "oo")], source=Source.SIMULATED)

    real, others = score(simulated), score(simulated, "simulated")

    named = [
        [
            category["n_answers"]
            for category in result.statistics["phases"][0]["summary"]["categories"]
        ]
        for result in (real, others)
    ]
    assert named == [[3, 1, 0], [0, 0, 2]]
    assert (real.n_judgments, others.n_judgments) == (4, 2)


def test_only_the_main_block_is_scored(study: Study) -> None:
    Block.objects.filter(phase__design=study.design).update(purpose=Block.Purpose.CHECK)

    phase = score(study).statistics["phases"][0]

    assert phase["summary"]["n_answers"] == 0
    assert phase["summary"]["labels"]["reason"] == "there are no answers"
    assert phase["summary"]["alpha"]["nominal"]["reason"] == "there are no answers"


def test_excluded_withdrawn_and_unsent_answers_do_not_count(study: Study) -> None:
    excluded, two, _three = Annotator.objects.filter(study=study).order_by("pk")
    Exclusion.objects.create(annotator=excluded, reason="hurried", by=make_user())
    withdrawal.withdraw(annotator=two)
    late = make_label_study(pairs=2)
    label_phase(join(late), lambda _key: ["same"], send=False)

    assert score(study).n_judgments == 6
    assert score(late).n_judgments == 0


def test_a_changed_answer_counts_once_as_it_is_now() -> None:
    study = make_label_study(pairs=1)
    held = join(study)
    label_phase(held, lambda _key: ["same"], send=False)
    label_phase(held, lambda _key: ["other"])

    summary = score(study).statistics["phases"][0]["summary"]

    assert [category["n_answers"] for category in summary["categories"]] == [0, 0, 1]


def test_repeats_are_in_no_count_but_in_the_agreement_with_oneself() -> None:
    study = make_label_study(pairs=4, n_repeats=2, repeat_from="booklet", repeat_distance=1)
    for turn in range(3):
        held = join(study)
        label_phase(held, lambda key, turn=turn: ["same" if turn else "other"])

    summary = score(study).statistics["phases"][0]["summary"]

    n_again = Question.objects.filter(block__purpose="repeat").count()
    assert n_again == 6
    assert sum(category["n_answers"] for category in summary["categories"]) == 12
    assert (summary["intra"]["n"], summary["intra"]["share"]) == (6, 1.0)


def test_change_with_context_is_counted_by_item_and_by_answer() -> None:
    study = make_label_study(pairs=4, phases=TWICE, ratings_per_item=2)
    keys = KEYS[:4]
    label_all(
        study,
        [said_of(keys, "ssrs"), said_of(keys, "rsro")],
        [said_of(keys, "ssrr"), said_of(keys, "rsro")],
    )

    change = score(study).statistics["change"]

    # p1 goes from same to related; p2 and p3 stay; p4 is a tie without context.
    assert change["items"]["table"] == [[1, 1, 0], [0, 1, 0], [0, 0, 0]]
    assert (change["items"]["n"], change["items"]["n_changed"]) == (3, 1)
    assert change["items"]["bowker"]["statistic"] == 1.0
    # p4 adds same to other, and related to other.
    assert change["answers"]["table"] == [[2, 2, 1], [0, 2, 1], [0, 0, 0]]


def test_without_two_conditions_there_is_a_reason_for_no_change(study: Study) -> None:
    several = make_label_study(pairs=1, categories=SEVERAL, phases=TWICE)

    assert "lacks a phase" in score(study).statistics["change"]["reason"]
    assert "several categories" in score(several).statistics["change"]["reason"]


def test_several_categories_have_all_three_distances() -> None:
    study = make_label_study(pairs=2, categories=SEVERAL)
    label_all(
        study,
        *(
            [{"p1": first, "p2": two}]
            for first, two in (("same|related", "other"), ("same", "other"), ("related", "other"))
        ),
    )

    summary = score(study).statistics["phases"][0]["summary"]

    assert summary["alpha"]["masi"]["alpha"] > summary["alpha"]["nominal"]["alpha"]
    assert summary["together"] == [[2, 1, 0], [1, 2, 0], [0, 0, 3]]
    # Two of three chose each of the first two.
    assert item(study, "p1").final == ("same", "related")


def test_an_experts_label_stands_and_that_of_the_people_is_kept(study: Study) -> None:
    before = score(study).statistics
    adjudicate(study, "p4", "related")
    adjudicate(study, "p1", "other")

    torn, overridden, clear = item(study, "p4"), item(study, "p1"), item(study, "p2")

    assert (torn.mode, torn.is_tied, torn.final) == ((), True, ("related",))
    assert (overridden.mode, overridden.final) == (("same",), ("other",))
    assert (clear.adjudicated, clear.final) == ((), ("same",))
    assert not torn.is_undecided
    # Agreement is between people.
    assert score(study).statistics == before


def test_nothing_of_an_expert_is_put_beside_simulated_answers(study: Study) -> None:
    adjudicate(study, "p1", "other")

    labels = ItemLabels.of(study, read_labels(study, "simulated"), "simulated")

    assert labels.label(0, 0).final == ()


def test_a_lifted_adjudication_no_longer_stands(study: Study) -> None:
    adjudication = adjudicate(study, "p4", "related")
    adjudication.lifted_at = adjudication.made_at
    adjudication.save()

    assert item(study, "p4").is_undecided


def test_the_command_scores_and_says_what_it_found(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("score", study.slug)

    printed = json.loads(capsys.readouterr().out)
    assert printed["judgments"] == 18
    assert printed["phases"][0]["n_without_label"] == 1
    assert -1 <= printed["phases"][0]["alpha_nominal"] <= 1


def test_a_result_knows_which_answers_it_was_computed_from(study: Study) -> None:
    result = score(study)

    keys = Judgment.objects.values_list("pk", flat=True)
    assert result.kind == "label"
    assert result.parameters["sum_of_keys"] == sum(key**2 % (2**31 - 1) for key in keys)
    assert result.last_judgment == max(keys)
