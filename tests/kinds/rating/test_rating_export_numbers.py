"""The files of a rating study give the same numbers as its page."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from annotation.models import (
    Item,
    Pool,
)
from annotation.models.kinds import Source
from tests.support.rated_studies import (
    FREE,
    Rated,
    make_rated,
)
from tests.support.rating_exports import SAID, export, rated_with_texts, rows, score
from tests.support.release_studies import facts, files_of, write
from tests.support.researcher_pages import signed_in, text, url
from tests.support.scored_ratings import small

pytestmark = pytest.mark.django_db


@pytest.fixture
def rated() -> Rated:
    return rated_with_texts()


def command_on(
    content: bytes, tmp_path: Path, *options: str, command: str = "ratings"
) -> dict[str, Any]:
    path = tmp_path / "ratings.tsv"
    path.write_bytes(content)
    ran = subprocess.run(
        [sys.executable, "-m", "scoring", command, path, *options],
        cwd=settings.BASE_DIR,
        capture_output=True,
        check=True,
        text=True,
    )
    printed: dict[str, Any] = json.loads(ran.stdout)
    return printed


def assert_same(page: Any, command: Any, path: str = "") -> None:
    """What the page has is what the command prints; the command prints more."""
    if isinstance(page, dict):
        for name, value in page.items():
            assert_same(value, command[name], f"{path}.{name}")
    elif isinstance(page, list):
        assert len(page) == len(command), path
        for n, value in enumerate(page):
            assert_same(value, command[n], f"{path}.{n}")
    elif isinstance(page, float):
        assert command == pytest.approx(page, rel=1e-12, abs=1e-12), path
    else:
        assert page == command, path


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2])
def test_the_command_on_the_exported_ratings_gives_the_pages_numbers(
    rated: Rated, tmp_path: Path, number: int
) -> None:
    # What must not matter is there, too.
    rated.answer(*SAID[0], is_counted=False)
    rated.answer({"a": 1}, is_complete=False)
    rated.answer(*SAID[0], source=Source.SIMULATED)
    statistics = score(rated.study)
    files = export(rated.study)

    options = "--low 0 --high 6"
    printed = command_on(files[f"ratings_{number}.tsv"], tmp_path, *options.split())

    assert options in files["README.md"].decode()
    summary = statistics["phases"][number - 1]["summary"]
    for kind, icc in summary["icc"].items():
        # The page says it without the command's numbers of people and units.
        if icc["reason"] is not None:
            assert printed["icc"][kind].pop("reason") is not None
            icc.pop("reason")
    summary["raters"].pop("n_raters")
    study = command_on(files[f"ratings_{number}.tsv"], tmp_path, command="generalizability")
    assert_same(statistics["phases"][number - 1]["generalizability"], study)
    assert summary["n_repeats"] == (3 if number == 1 else 0)
    assert summary["alpha"]["interval"]["alpha"] is not None
    assert_same(summary, printed)


@pytest.mark.slow
def test_groups_are_drawn_as_wholes_from_ten_on_by_page_and_command(tmp_path: Path) -> None:
    keys = [f"{letter}{n}" for n in range(2) for letter in "abcdefghijk"]
    rated = make_rated(["first", *keys], conditions=(FREE,))
    # Last in the file and first in the study: numbered otherwise by either, drawn alike by both.
    pools = {
        letter: Pool.objects.create(study=rated.study, key=f"tuple {letter}", number=n)
        for n, letter in enumerate("kabcdefghij", start=2)
    }
    Item.objects.filter(pk=rated.items["first"].pk).update(pool=pools["k"])
    for key in keys:
        Item.objects.filter(pk=rated.items[key].pk).update(pool=pools[key[0]])
    for shift in range(3):
        rated.answer({key: (n * (shift + 1)) % 7 for n, key in enumerate(keys)})

    alpha = score(rated.study)["phases"][0]["summary"]["alpha"]["interval"]
    files = export(rated.study)

    assert alpha["interval"]["over"] == "pools"
    assert alpha["interval"]["low"] is not None
    assert rows(files["ratings_1.tsv"])[0]["pool"] == "tuple a"
    options = "--low 0 --high 6"
    printed = command_on(files["ratings_1.tsv"], tmp_path, *options.split())
    # The command does not know the item that nobody rated.
    assert alpha.pop("n_dropped") == 1
    assert_same(alpha, printed["alpha"]["interval"])
    page = text(signed_in(rated.study.owner).get(url(rated.study, "results")))
    assert "other pools but the same people" in page
    assert "because the answers used come from 3 people, fewer than 30." in page


def test_the_files_read_back_give_the_pages_numbers(rated: Rated) -> None:
    statistics = score(rated.study)

    files = export(rated.study)

    means = {condition: [] for condition in ("free", "dependent")}
    for condition, stored_means in means.items():
        for row in rows(files[f"test_{condition}.tsv"]):
            values = json.loads(row["ratings"])
            assert float(row["mean"]) == pytest.approx(sum(values) / len(values))
            assert int(row["n"]) == len(values) == 3
            stored_means.append(float(row["mean"]))
    for condition, phase in zip(means, statistics["phases"], strict=True):
        average = sum(means[condition]) / 4
        assert phase["summary"]["distribution"]["mean"] == pytest.approx(average)
    gains = [b - a for a, b in zip(means["free"], means["dependent"], strict=True)]
    of_context = statistics["context"]["tests"]["pooled"]
    assert of_context["gains"]["mean"] == pytest.approx(sum(gains) / 4)
    items = {row["id"]: row for row in rows(files["items.tsv"])}
    assert float(items["b"]["gain"]) == pytest.approx(17 / 3 - 7 / 3)
    n_below = sum(float(row["p_pooled"] or 1) < 0.05 for row in items.values())
    assert n_below == of_context["n_below"] == 1
    facts = json.loads(files["study.json"])
    assert facts["statistics"] == statistics
    assert facts["result"]["is_current"] is True


def test_the_judgments_that_count_in_the_main_block_are_those_of_the_scores(rated: Rated) -> None:
    rated.answer(*SAID[0], is_counted=False)
    files = export(rated.study)

    counted = [
        (row["annotator"], row["item"], row["rating"], row["order"])
        for row in rows(files["judgments.tsv"])
        if (row["status"], row["block"], row["phase"]) == ("counted", "main", "2")
    ]

    scored = [
        (row["annotator"], row["unit"], row["value"], row["order"])
        for row in rows(files["ratings_2.tsv"])
    ]
    assert sorted(counted) == sorted(scored)
    assert len(counted) == 12


@pytest.mark.slow
def test_without_the_time_of_every_rating_the_commands_file_has_no_times(tmp_path: Path) -> None:
    rated = make_rated(["a", "b"], conditions=(FREE,))
    for value in (1, 2):
        assignment = rated.answer({"a": value, "b": 3})
    assignment.judgments.filter(rating=3).update(active_ms=None)

    files = export(rated.study)

    assert "thinking_ms" not in rows(files["ratings_1.tsv"])[0]
    readme = " ".join(files["README.md"].decode().split())
    assert "`thinking_ms` is left out" in readme
    assert "error by thinking time" in readme
    assert command_on(files["ratings_1.tsv"], tmp_path)["n_ratings"] == 4


def test_the_means_of_the_main_block_are_the_scores_and_repeats_are_marked(rated: Rated) -> None:
    score(rated.study)
    files = export(rated.study)

    ratings: dict[str, list[float]] = {}
    of_phase = rows(files["ratings_1.tsv"])
    for row in of_phase:
        if row["block"] == "main":
            ratings.setdefault(row["unit"], []).append(float(row["value"]))

    assert [row["unit"] for row in of_phase if row["block"] == "repeat"] == ["a"] * 3
    means = {row["id"]: row["mean_1"] for row in rows(files["items.tsv"]) if row["mean_1"]}
    assert len(means) == 4
    for item, mean in means.items():
        assert sum(ratings[item]) / 3 == pytest.approx(float(mean))


@pytest.mark.slow
def test_the_methods_have_the_paired_test_beside_the_pooled_one(rated: Rated) -> None:
    tests = score(rated.study)["context"]["tests"]
    rated.study.refresh_from_db()

    methods = files_of(write(rated.study, facts()))["METHODS.md"].decode()

    assert {tests[name]["n_tested"] for name in ("pooled", "paired")} != {0}
    for words, name in (("pooled t-test", "pooled"), ("paired t-test", "paired")):
        [sentence] = [part for part in methods.split(". ") if words in part]
        assert f"{tests[name]['n_below']} of {tests[name]['n_tested']} item" in sentence
    # The phase in context is the later one here.
    assert methods.count("came second") == 1


@pytest.mark.slow
def test_the_methods_say_how_many_items_could_not_be_tested() -> None:
    study = small().study
    pooled = score(study)["context"]["tests"]["pooled"]
    study.refresh_from_db()

    methods = files_of(write(study, facts()))["METHODS.md"].decode()

    n_not_tested = pooled["n_pairs"] - pooled["n_tested"]
    assert n_not_tested == 2
    assert f"{n_not_tested} further items could not be tested" in methods
