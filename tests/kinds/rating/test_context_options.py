"""Which test of the effect of context is the main one, and which effect would matter."""

import json
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from scipy import stats

from annotation.answering.services import withdrawal
from annotation.kinds.queries import study_facts
from annotation.kinds.rating.exports import methods
from annotation.kinds.rating.queries.people_scores import changed_by_context
from annotation.models import Job, Release, Result, Study
from annotation.people.services import exclusions
from tests.support.factories import make_open_study
from tests.support.rated_studies import Rated, make_rated
from tests.support.rating_exports import export, rows, score
from tests.support.researcher_pages import said, signed_in, text, url

pytestmark = pytest.mark.django_db

KEYS = [f"i{n}" for n in range(12)]
# Context does not change the first four items, and changes the next four.
SHIFTS = [0, 1.2, 0]
N_PEOPLE, MARGIN = 8, 1.25


def rated_by_the_same_people() -> Rated:
    """Eight people who differ in level; the last four items are rated by guessing."""
    rng = np.random.default_rng(5)
    rated = make_rated(KEYS)
    for person in range(N_PEOPLE):
        free, dependent = {}, {}
        for n, key in enumerate(KEYS):
            noise = 2 if n >= 8 else 0.4
            level = person % 4
            free[key] = int(np.clip(round(level + noise * rng.normal()), 0, 6))
            shift = SHIFTS[n // 4]
            dependent[key] = int(np.clip(round(level + shift + noise * rng.normal()), 0, 6))
        rated.answer(free, dependent)
    return rated


def rated_by_others() -> Rated:
    rated = make_rated(["a", "b"])
    for value in (1, 2, 3):
        rated.answer({"a": value, "b": value})
        rated.answer({}, {"a": value + 2, "b": value})
    return rated


def command(study: Study, *options: str) -> Result:
    call_command("score", study.slug, *options)
    return study.results.latest("pk")


def context(study: Study, *options: str) -> dict[str, Any]:
    found: dict[str, Any] = command(study, *options).statistics["context"]
    return found


@pytest.mark.slow
def test_the_main_test_is_paired_where_the_same_people_rated_most_items() -> None:
    same, others = rated_by_the_same_people().study, rated_by_others().study

    assert score(same)["context"]["main_test"] == "paired"
    assert score(others)["context"]["main_test"] == "pooled"
    for study, name in ((same, "paired"), (others, "pooled")):
        page = signed_in(study.owner).get(url(study, "results"))
        shown = page.context["context"]
        assert shown.main_test.startswith(f"Main test: {name} t-test.")
        assert shown.main_test in text(page)
        # Behind the gain, the main test is the first one.
        assert f"{name} t-test" in shown.figures[1].name
        assert [plot for plot in shown.plots if f"in the {name} t-test" in plot.caption] or (
            study == others
        )


@pytest.mark.slow
def test_files_and_tables_select_items_by_the_main_test() -> None:
    study = rated_by_the_same_people().study
    selected = {}
    for test in ("paired", "pooled"):
        result = command(study, "--test", test)
        files = export(study)
        selected[test] = changed_by_context(study)
        rows_of_files = rows(files["test_significant_free.tsv"])
        items = rows(files["items.tsv"])
        assert {row["id"] for row in rows_of_files} == selected[test]
        assert selected[test] == {r["id"] for r in items if float(r[f"p_{test}"] or 1) < 0.05}
        assert json.loads(files["study.json"])["export"]["test"] == test
        figure = rows(files["figure_gains_significant.tsv"])
        assert sum(int(row["items"]) for row in figure) == len(selected[test])
        assert result.parameters["test"] == test
        effects = {row["test"]: row["main"] for row in rows(files["context_effect.tsv"])}
        assert [name for name, is_main in effects.items() if is_main == "yes"] == [test]
    # People differ in level, which the pooled test counts as error.
    assert selected["pooled"] < selected["paired"]


def test_without_a_margin_nothing_is_said_of_equivalence() -> None:
    study = rated_by_the_same_people().study

    assert context(study)["tests"]["paired"]["equivalence"] is None

    files = export(study)
    assert "effect_size" not in rows(files["items.tsv"])[0]
    assert "equivalent" not in rows(files["context_effect.tsv"])[0]
    shown = signed_in(study.owner).get(url(study, "results")).context["context"]
    assert len(shown.figures) == 3


@pytest.mark.slow
def test_page_and_files_count_the_items_with_an_effect_smaller_than_the_margin() -> None:
    rated = rated_by_the_same_people()
    study = rated.study
    statistics = command(study, "--margin", str(MARGIN)).statistics
    figures = statistics["context"]["tests"]["paired"]["equivalence"]

    files = export(study)
    page = signed_in(study.owner).get(url(study, "results"))

    items = [row for row in rows(files["items.tsv"]) if row["id"] in KEYS]
    expected, p_margin = judged_by_scipy(files)
    assert [row["effect_size"] for row in items] == expected
    assert [float(row["p_equivalent"] or "nan") for row in items] == pytest.approx(
        p_margin, nan_ok=True
    )
    counts = {name: expected.count(name) for name in ("equivalent", "different", "undecided")}
    assert min(counts.values()) > 0
    assert {name: figures[f"n_{name}"] for name in counts} == counts
    of_table = {row["test"]: row for row in rows(files["context_effect.tsv"])}["paired"]
    assert {name: int(of_table[name]) for name in counts} == counts
    assert float(of_table["margin"]) == MARGIN
    sentence = page.context["context"].figures[-1].remark
    assert sentence == (
        f"Tested items: {sum(counts.values())}. Equivalent: {counts['equivalent']}; "
        f"different: {counts['different']}; undecided: {counts['undecided']}. "
        "Margin, in points: 1.25."
    )
    assert sentence in text(page)
    assert "Schuirmann" in text(page)
    paragraphs = methods.reliability({"statistics": statistics})
    printed = "".join(part for words in paragraphs for part in words if isinstance(part, str))
    assert "the effect of context is the paired one, because most items were rated" in printed
    assert f"between -1.25 and 1.25 points for {counts['equivalent']} item" in printed


def judged_by_scipy(files: dict[str, bytes]) -> tuple[list[str], list[float]]:
    """Outcome and p-value of each item, by scipy's t-tests of the answers in the files."""
    answers: list[dict[str, dict[str, float]]] = [{}, {}]
    for row in rows(files["judgments.tsv"]):
        by_person = answers[int(row["phase"]) - 1].setdefault(row["item"], {})
        by_person[row["annotator"]] = float(row["rating"])
    p_zero, p_margin = [], []
    for key in KEYS:
        people = sorted(answers[0][key])
        free, dependent = (np.array([said[key][who] for who in people]) for said in answers)
        p_zero.append(stats.ttest_rel(dependent, free).pvalue)
        one = stats.ttest_rel(dependent + MARGIN, free, alternative="greater").pvalue
        other = stats.ttest_rel(dependent - MARGIN, free, alternative="less").pvalue
        p_margin.append(max(one, other))
    is_tested = ~np.isnan(p_zero)
    adjusted = [np.full(len(KEYS), np.nan) for _ in range(2)]
    for values, p in zip(adjusted, (p_zero, p_margin), strict=True):
        values[is_tested] = stats.false_discovery_control(np.array(p)[is_tested])
    outcomes = [
        ""
        if np.isnan(zero)
        else "equivalent"
        if small <= 0.05
        else "different"
        if zero <= 0.05
        else "undecided"
        for zero, small in zip(*adjusted, strict=True)
    ]
    return outcomes, np.where(is_tested, p_margin, np.nan).tolist()


@pytest.mark.slow
def test_what_is_chosen_holds_until_something_else_is() -> None:
    study = rated_by_the_same_people().study
    client = signed_in(study.owner)

    def scored(**given: str) -> dict[str, Any]:
        client.post(url(study, "score"), given)
        return Job.objects.filter(kind=Job.Kind.SCORE).latest("pk").parameters

    command(study, "--test", "pooled", "--margin", "0.5")
    again = command(study)
    assert (again.parameters["test"], again.parameters["margin"]) == ("pooled", 0.5)
    assert again.statistics["context"]["is_chosen"] is True
    form = client.get(url(study, "results")).context["options_form"]
    assert form.initial == {"test": "pooled", "margin": 0.5}
    parameters = command(study, "--test", "auto", "--margin", "0").parameters
    assert (parameters["test"], parameters["margin"]) == ("auto", None)
    wanted = scored(test="paired", margin="2")
    assert (wanted["test"], wanted["margin"]) == ("paired", 2.0)


@pytest.mark.parametrize("margin", ["-1", "0", "many"])
def test_the_page_refuses_a_margin_that_cannot_be(margin: str) -> None:
    study = rated_by_others().study

    response = signed_in(study.owner).post(
        url(study, "score"), {"test": "auto", "margin": margin}, follow=True
    )

    assert said(response)[0].startswith("Smallest effect that matters: ")
    assert not Job.objects.filter(kind=Job.Kind.SCORE).exists()


def test_commands_and_api_refuse_what_cannot_be() -> None:
    study, of_tuples = rated_by_others().study, make_open_study(dialogues=1)

    with pytest.raises(CommandError, match="Smallest effect that matters"):
        call_command("score", study.slug, "--margin", "-1")
    with pytest.raises(CommandError, match="Only rating studies"):
        call_command("score", of_tuples.slug, "--test", "pooled")
    address = f"/api/v1/studies/{study.slug}/results/"
    client = signed_in(study.owner)
    refused = client.post(address, {"margin": -1}, content_type="application/json")
    assert refused.status_code == 400
    assert "Smallest effect" in refused.content.decode()
    taken = client.post(address, {"test": "paired"}, content_type="application/json")
    assert taken.status_code == 202
    assert Job.objects.get(kind=Job.Kind.SCORE).parameters["test"] == "paired"


@pytest.mark.slow
def test_a_release_has_the_test_of_the_result_or_its_own_and_the_next_one_too() -> None:
    rated = rated_by_the_same_people()
    study = rated.study
    study.owner.first_name, study.owner.last_name = "Ada", "Lovelace"
    study.owner.save()
    command(study, "--test", "pooled", "--margin", "1")

    def released(*options: str) -> tuple[dict[str, Any], Result]:
        call_command("release", study.slug, *options)
        return Release.objects.latest("number").options, study.results.latest("pk")

    assert released()[0]["test"] == "auto"
    options, _result = released("--test", "welch", "--level", "0.1", "--corrected")
    assert (options["test"], options["level"], options["corrected"]) == ("welch", 0.1, True)
    # A result that a release has to compute anew is computed as the one before.
    exclusions.exclude(annotator=rated.people[-1], reason="Clicked.", by=study.owner)
    options, result = released("--no-corrected")
    assert (options["test"], options["level"], options["corrected"]) == ("welch", 0.1, False)
    assert (result.parameters["test"], result.parameters["margin"]) == ("pooled", 1.0)
    assert study.results.count() == 2


def test_a_withdrawal_keeps_what_was_chosen() -> None:
    rated = rated_by_the_same_people()
    study = rated.study
    command(study, "--test", "pooled", "--margin", "0.5")

    withdrawal.withdraw(annotator=study.annotators.earliest("pk"))

    assert not study.results.exists()
    assert command(study).parameters["test"] == "pooled"
    assert study.results.latest("pk").parameters["margin"] == 0.5


def test_what_was_chosen_for_people_is_not_chosen_for_simulated_answers() -> None:
    study = rated_by_the_same_people().study
    command(study, "--test", "pooled")

    assert study_facts.chosen_options(study.design, "people").test == "pooled"
    assert study_facts.chosen_options(study.design, "simulated").test == "auto"
