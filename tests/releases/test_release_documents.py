"""The documents of a release: made of a study of each kind, read as a stranger would."""

import csv
import hashlib
import io
import json
import re
import subprocess
import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from django.conf import settings
from django.db import transaction
from django.utils import translation
from hypothesis import Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import scoring
from annotation.answering.services import withdrawal
from annotation.core.exports import markdown
from annotation.core.exports.figures import interval, interval_cell, notes, number
from annotation.core.exports.prose import markdown as in_markdown
from annotation.core.exports.release_facts import Author, Change
from annotation.core.queries import consents
from annotation.kinds.best_worst.exports.methods import agreement_rows, reliability
from annotation.models import Person
from annotation.releases.exports import archive
from annotation.releases.exports.documents import citation, licences, paper
from annotation.releases.exports.documents.croissant import croissant
from annotation.releases.exports.documents.datasheet import UNANSWERED, datasheet
from annotation.releases.exports.documents.front_matter import front_matter
from annotation.releases.exports.documents.known import KnownFacts
from annotation.releases.exports.documents.questions import QUESTIONS
from annotation.releases.exports.documents.readme import readme
from annotation.releases.exports.documents.references import REFERENCES
from scoring.best_worst.judgments import BestWorst
from tests.support import release_studies
from tests.support.clock import CLOCK
from tests.support.hostile_texts import HOSTILE, shown
from tests.support.release_studies import MADE_AT, facts, files_of, write

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

KINDS = ("best_worst", "ratings", "labels", "selections")
# Once a study was made, these stand beside its tables.
DOCUMENTS = {
    *("README.md", "DATASHEET.md", "METHODS.md", "methods.tex", "tables.tex", "references.bib"),
    *("tables.md", "LICENSE", "CITATION.cff", "croissant.json"),
}


@dataclass(frozen=True)
class Made:
    content: bytes
    again: bytes
    # From a database that keeps the keys of JSON in another order.
    reordered: bytes
    known: KnownFacts
    # What the data set itself must say, as the database has it: by column, row by row.
    truth: dict[str, list[Any]]

    @property
    def files(self) -> dict[str, bytes]:
        return files_of(self.content)

    def text(self, name: str) -> str:
        return self.files[name].decode()


@pytest.fixture(scope="module")
def made(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Made]:
    """Each kind of study once for all tests; the database is left as it was."""
    found = {}
    known: list[KnownFacts] = []
    documents = archive.documents.write

    def noted(made: Any, release: Any) -> None:
        documents(made, release)
        known.append(KnownFacts.of(made, release))

    with (
        django_db_blocker.unblock(),
        pytest.MonkeyPatch.context() as patch,
        transaction.atomic(),
    ):
        patch.setattr(settings, "DATA", tmp_path_factory.mktemp("data"))
        patch.setattr(archive.documents, "write", noted)
        for name in KINDS:
            study = getattr(release_studies, name)()
            for n, annotator in enumerate(study.annotators.all()):
                annotator.person = Person.objects.create(
                    platform="roster",
                    platform_id=f"worker-{n}-of-{name}",
                    name=f"Zephyrine {n} Unlikely",
                    email=f"zephyrine{n}@example.net",
                )
                annotator.save()
            content = write(study, facts())
            # A year later, read by somebody who works in German.
            with pytest.MonkeyPatch.context() as later, translation.override("de"):
                CLOCK.set(datetime(2030, 1, 1, tzinfo=UTC))
                later.setattr(settings, "CLOCK", "tests.support.clock.now", raising=False)
                again = write(study, facts())
            release_studies.reorder_json()
            reordered = write(study, facts())
            found[name] = Made(content, again, reordered, known[-1], release_studies.truth(study))
        transaction.set_rollback(True)
    return found


@pytest.fixture(scope="module")
def read(made: dict[str, Made], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the examples of the READMEs found, in a program of its own."""
    home = tmp_path_factory.mktemp("releases")
    for name, one in made.items():
        (home / name).mkdir()
        for member, content in one.files.items():
            (home / name / member).write_bytes(content)
    cache = tmp_path_factory.mktemp("cache")
    ran = subprocess.run(
        [
            sys.executable,
            Path(__file__).parents[1] / "support" / "release_reader.py",
            cache,
            *(home / name for name in made),
        ],
        capture_output=True,
        check=False,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    answer: dict[str, Any] = json.loads((cache / "found.json").read_text())
    return answer


# -- The whole ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_release_written_again_is_the_same_byte_by_byte(made: dict[str, Made], kind) -> None:
    one, again = made[kind].files, files_of(made[kind].again)

    assert {name for name in one if one[name] != again[name]} == set()
    assert made[kind].content == made[kind].again
    assert set(one) >= DOCUMENTS


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_keys_in_the_database_changes_no_byte(made: dict[str, Made], kind) -> None:
    one, again = made[kind].files, files_of(made[kind].reordered)

    assert {name for name in one if one[name] != again[name]} == set()
    assert made[kind].content == made[kind].reordered


@pytest.mark.parametrize("kind", KINDS)
def test_every_file_has_its_sum_in_both_lists(made: dict[str, Made], kind) -> None:
    files = made[kind].files

    sums = dict(reversed(line.split("  ")) for line in files["SHA256SUMS"].decode().splitlines())
    assert sums == {
        name: hashlib.sha256(content).hexdigest()
        for name, content in files.items()
        if name != "SHA256SUMS"
    }
    listed = {
        one["name"]: (one["sha256"], one["contentSize"])
        for one in json.loads(files["croissant.json"])["distribution"]
    }
    assert listed == {
        name: (sums[name], f"{len(files[name])} B") for name in sums if name != "croissant.json"
    }


@pytest.mark.parametrize("kind", KINDS)
def test_no_document_names_an_annotator(made: dict[str, Made], kind) -> None:
    for name, content in made[kind].files.items():
        text = content.decode()
        for word in ("Zephyrine", "zephyrine", "example.net", "worker-0"):
            assert word not in text, name


# -- Loading ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_examples_of_the_readme_give_back_what_the_database_has(
    made: dict[str, Made], read: dict[str, Any], kind
) -> None:
    of, truth = read[kind], made[kind].truth

    assert of["n_blocks"] == 3
    for column, expected in truth.items():
        for way in ("pandas", "datasets"):
            assert [row[column] for row in of[way]] == expected, (way, column)
    # Its reader takes some texts for nothing, which the README says: keys and numbers it has.
    set_name = next(iter(of["croissant"][0])).partition("/")[0]
    for column, expected in truth.items():
        if not isinstance(expected[0], str) or column in ("id", "annotator", "incident"):
            records = [row[f"{set_name}/{column}"] for row in of["croissant"]]
            assert records == expected, column


@pytest.mark.parametrize("kind", KINDS)
def test_the_croissant_file_validates_and_every_table_loads(
    made: dict[str, Made], read: dict[str, Any], kind
) -> None:
    tables = {
        name.rpartition(".")[0]: len(
            list(
                csv.DictReader(
                    io.StringIO(content.decode(), newline=""),
                    delimiter="\t" if name.endswith(".tsv") else ",",
                )
            )
        )
        for name, content in made[kind].files.items()
        if name.endswith((".tsv", ".csv"))
    }

    assert read[kind]["problems"] == []
    assert read["said"] == []
    assert read[kind]["records"] == tables
    # Its reader refuses a table without rows.
    assert read[kind]["configs"] == {name: n for name, n in tables.items() if n}
    described = json.loads(made[kind].files["croissant.json"])
    assert all(field["description"] for one in described["recordSet"] for field in one["field"])
    assert described["datePublished"] == "2026-11-20"
    assert described["license"] == "https://creativecommons.org/licenses/by/4.0/legalcode"


def test_numbers_that_are_written_as_decimals_are_numbers_all_the_same(made) -> None:
    described = json.loads(made["selections"].files["croissant.json"])

    train = next(one for one in described["recordSet"] if one["@id"] == "train")
    kinds = {field["@id"]: field["dataType"] for field in train["field"]}
    assert kinds["train/rating"] == "sc:Float"
    assert kinds["train/text1"] == "sc:Text"
    assert kinds["train/report_sentence"] == "sc:Integer"


# -- What they say ------------------------------------------------------------------------------


def test_the_head_of_the_readme_is_what_hugging_face_reads(made: dict[str, Made]) -> None:
    for kind, task in zip(
        KINDS, ("sentence-similarity",) * 2 + ("text-classification",), strict=False
    ):
        head = load_yaml(made[kind].text("README.md").split("---\n")[1])

        assert head["pretty_name"] == "Similar answers"
        assert head["license"] == "cc-by-4.0"
        assert head["language"] == ["en"]
        assert head["size_categories"] == ["n<1K"]
        assert head["task_categories"] == [task]
        (default,) = [one for one in head["configs"] if one.get("default")]
        assert default["sep"] == "\t"
    readme_text = made["best_worst"].text("README.md")
    for heading in ("Files", "How to load it", "Licence", "Citation", "Change log", "Limitations"):
        assert f"\n## {heading}\n" in readme_text
    log = readme_text.split("## Change log")[1].split("## Limitations")[0]
    assert log.index("Release 2 (2026-11-20)") < log.index("Release 1 (2026-10-01)")
    assert "- One person withdrew.\n" in log
    assert "## judgments.tsv" in readme_text


def test_the_methods_have_the_numbers_of_the_stored_results(made: dict[str, Made]) -> None:
    best_worst, rated = made["best_worst"], made["ratings"]
    overall = best_worst.known.facts["statistics"]["overall"]
    first, second = rated.known.facts["statistics"]["phases"]

    said = best_worst.text("METHODS.md")
    halves = overall["split_half"]["random"]
    assert f" is {number(halves['spearman']['mean'])} by Spearman's correlation" in said
    ends = halves["interval"]
    assert (ends["low"] is None) or f"{number(ends['low'])} to {number(ends['high'])}" in said
    assert f"[@Krippendorff2011] is {number(overall['alpha']['joint']['slot']['alpha'])}" in said
    # Alpha depends on the coding.
    assert "(slot)" in said
    assert "10 items. They form 2 pools" in said
    assert "tuples of 3 items" in said
    assert "20 tuples (2 times the number of items); each item appeared in 6 of them" in said
    assert "2 annotators gave 40 answers" in said
    assert (
        "The answers of 1 annotator excluded by the researchers are not part of any score." in said
    )
    # What could not be computed has its reason.
    reason = overall["strong_agreement"]["best"]["reason"]
    assert "tuples with strong agreement on the best or the worst item" in said
    assert f"could not be computed: {reason}." in said

    said = rated.text("METHODS.md")
    for phase in (first, second):
        icc = phase["summary"]["icc"]["1,k"]
        # Of so few items there is no interval.
        assert icc["interval"]["low"] is None
        assert f"is {number(icc['icc'])}." in said
    assert "opened no sooner than 72 hours" in said
    assert "from 0 (“nothing in common”) to 6 (“the same meaning”)" in said

    fleiss = made["labels"].known.facts["statistics"]["phases"][0]["summary"]["fleiss"]["kappa"]
    assert f"Fleiss' kappa [@Fleiss1971] is {number(fleiss)}." in made["labels"].text("METHODS.md")
    assert "2 sentences of the summaries of 1 incident" in made["selections"].text("METHODS.md")


def test_an_interval_says_what_it_is_over_and_what_it_does_not_tell() -> None:
    note = {"note": "Over pools only.", "over": "pools"}
    of_these = {"low": 0.1, "high": 0.2, "n_people": 8, **note}
    of_fewer = {**of_these, "n_people": 7}
    over_people = {**of_these, "over": "people and pools", "note": None}
    none = {"low": None, "high": None, "n_people": 8, "reason": "there are few items", **note}

    assert interval(of_these) == " (95 % interval over pools 0.100 to 0.200)"
    assert interval(none) == ""
    assert interval_cell(of_these) == "0.100 to 0.200"
    assert interval_cell(none) == interval_cell({}) == interval_cell(None) == ""
    figures = [("a", 0.15, of_these), ("b", 0.2, none), ("c", 0.15, over_people)]
    figures += [("d", 0.4, None), ("e", None, none), ("f", None, {})]
    assert list(map(in_markdown, notes(*figures))) == [
        "The interval of a accounts for the choice of pools only, because the answers used"
        " come from 8 people, fewer than 30. It does not cover that other people might answer"
        " differently.",
        "B has no interval: there are few items.",
    ]
    (missing,) = notes(("alpha", 0.2, none), ("ICC(1,1)", 0.1, none))
    assert in_markdown(missing) == "Alpha and ICC(1,1) have no interval: there are few items."
    together, alone = notes(("a", 0.15, of_these), ("b", 0.15, of_fewer), ("c", 0.15, of_these))
    assert "The intervals of a and c account for the choice of pools only" in str(together[0])
    assert "The interval of b accounts" in str(alone[0])
    assert "come from 7 people" in str(alone[0])


@pytest.mark.parametrize(("n_single", "halved"), [(6, ""), (2, " of the answers to each tuple")])
def test_a_tuple_with_a_single_answer_is_said_to_be_in_one_half(
    n_single: int, halved: str
) -> None:
    tuples = np.array([[0, 1, 2], [1, 2, 3], [2, 3, 4], [0, 3, 4], [0, 1, 4], [0, 2, 4]])
    answered = np.repeat(np.arange(6), np.where(np.arange(6) < n_single, 1, 3))
    answers = BestWorst(tuples, answered, tuples[answered, 0], tuples[answered, 2], 5)
    overall = scoring.summarise(answers, n_splits=5, rng=np.random.default_rng(1)).as_dict()

    written = [in_markdown(one) for one in reliability({"statistics": {"overall": overall}})]
    (said,) = [n for n, one in enumerate(written) if one.startswith("Mean split-half")]

    assert f"over 5 random splits{halved} is" in written[said]
    assert "random" in written[said + 1]
    assert ("No tuple was answered twice" in written[said + 1]) is (n_single == 6)


def summarised(best: Any, worst: Any) -> dict[str, Any]:
    """Five answers to each of six tuples: the places of the items chosen."""
    tuples = np.array([[0, 1, 2], [1, 2, 3], [2, 3, 4], [0, 3, 4], [0, 1, 4], [0, 2, 4]])
    answered = np.repeat(np.arange(6), 5)
    answers = BestWorst(tuples, answered, tuples[answered, best], tuples[answered, worst], 5)
    return scoring.summarise(answers, n_splits=5, rng=np.random.default_rng(1)).as_dict()


@pytest.mark.parametrize("n_first", [0, 28])
def test_alpha_by_uneven_picks_stands_beside_alpha_by_uniform_chance(n_first: int) -> None:
    place = np.arange(30)
    best = np.where(place < n_first, 0, place % 3)
    worst = np.where(place < n_first, 2, (best + 1 + place // 3 % 2) % 3)
    overall = summarised(best, worst)

    said = [in_markdown(one) for one in reliability({"statistics": {"overall": overall}})]

    alpha = overall["alpha"]["joint"]
    stated = [one for one in said if f"alpha is {number(alpha['uniform']['alpha'])}." in one]
    assert bool(stated) == bool(alpha["slot"]["warning"]) == (n_first == 28)


def test_the_table_of_reliability_has_the_intervals_there_are() -> None:
    overall = summarised(np.arange(30) % 3, (np.arange(30) + 1) % 3)
    overall["split_half"]["random"]["interval"] = {"low": 0.1, "high": 0.2}
    overall["alpha"]["joint"]["slot"]["interval"] = {"low": 0.3, "high": 0.4}

    rows = agreement_rows({"statistics": {"overall": overall}})

    assert {name: ends for name, _value, ends in rows if ends} == {
        "Split-half reliability, Spearman": "0.100 to 0.200",
        "Alpha, joint (slot coding)": "0.300 to 0.400",
    }


def test_strong_agreement_says_of_which_tuples_and_how_strong() -> None:
    strong = {"share": 0.2, "unanimous_share": 0.1, "n_tuples": 20, "n_left_out": 100}
    alpha = {"alpha": None, "reason": "there are no judgments"}
    overall = {
        "n_judgments": 300,
        "n_tuples": 120,
        "split_half": {},
        "alpha": {"joint": {"slot": alpha}},
        "strong_agreement": {"best": strong, "worst": strong},
    }

    said = ["".join(map(str, one)) for one in reliability({"statistics": {"overall": overall}})]

    assert (
        "The following figures are based on 300 answers to 120 tuples (on average 2.5 answers per"
        " tuple)."
    ) in said
    assert (
        "In 20.0 % of the 20 tuples with at least three answers there was strong agreement on the"
        " best item (at least 80 % of the answers), and in 10.0 % all agreed."
    ) in said


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_cited_is_in_the_references(made: dict[str, Made], kind) -> None:
    cited = set(re.findall(r"@(\w+)", made[kind].text("METHODS.md").split("## References")[0]))
    in_tex = re.findall(r"\\cite\{([^}]*)\}", made[kind].text("methods.tex"))
    entries = re.findall(r"^@\w+\{(\w+),$", made[kind].text("references.bib"), re.MULTILINE)
    listed = (settings.BASE_DIR / "docs" / "references.md").read_text()

    assert cited
    assert cited == {key for keys in in_tex for key in keys.split(",")} == set(entries)
    for key in (*REFERENCES, "Gebru2021"):
        assert f"**[{key}]**" in listed


def test_the_tables_have_the_leaderboard_of_the_measures(made: dict[str, Made]) -> None:
    tables = made["best_worst"].text("tables.tex")

    (board, *_differences) = made["best_worst"].known.leaderboards
    assert board in tables
    assert r"\label{tab:leaderboard}" in board
    # Whose scores of which items they are stands in the caption; the rows are those of the page.
    assert "People's scores" in board.split(r"\caption{")[1].split("\n")[0]
    assert "\nSQuAD F1 & " in board
    assert "\nnoise ceiling & " in board
    assert tables.count(r"\toprule") == tables.count(r"\bottomrule") == 4
    assert tables.count("{") - tables.count(r"\{") == tables.count("}") - tables.count(r"\}")


def test_the_tables_have_those_of_the_result(made: dict[str, Made]) -> None:
    tables = made["ratings"].text("tables.tex")

    for name in ("agreement", "set-correlations", "score-sets"):
        assert rf"\label{{tab:{name}}}" in tables, name
    labels = re.findall(r"\\label{(.+?)}", tables)
    assert len(labels) == len(set(labels))
    rows = made["ratings"].text("set_correlations.tsv").splitlines()
    assert rows[0].startswith("set\tvariables\tn\tpearson")
    assert tables.count("{") - tables.count(r"\{") == tables.count("}") - tables.count(r"\}")
    for figure in ("figure_gains.tsv", "figure_scores_1.tsv"):
        assert made["ratings"].text(figure).count("\n") > 1


def test_the_datasheet_has_every_question_and_what_is_known(made: dict[str, Made]) -> None:
    text = made["best_worst"].text("DATASHEET.md")
    answers = dict(
        part.partition("\n")[::2] for part in text.replace("\n## ", "\n### ").split("\n### ")
    )

    assert [one.key for one in QUESTIONS] == list(dict.fromkeys(one.key for one in QUESTIONS))
    assert len({one.heading for one in QUESTIONS}) == 7
    assert all(one.question in answers for one in QUESTIONS)
    asked = {one.key: answers[one.question].strip() for one in QUESTIONS}
    assert asked["ethics"] == UNANSWERED
    assert asked["purpose"].splitlines()[1] == "> # not a heading"
    assert re.findall(r"\d+", asked["instances"]) == ["10", "60", "40"]
    assert "20 excluded" in asked["missing"]
    assert "3 annotators agreed to version 1 of the consent text" in asked["consent"]
    assert asked["pay"] == UNANSWERED
    assert "CC-BY-4.0" in asked["licence"]


def test_nothing_is_allowed_where_no_licence_was_chosen(made: dict[str, Made]) -> None:
    without = replace(made["ratings"].known, release=facts(licence=""))
    unknown = replace(made["ratings"].known, release=facts(licence="GPL-3.0-only"))

    assert "All rights reserved." in licences.licence_text(without.release)
    head = load_yaml(front_matter(without).strip("-\n"))
    assert (head["license"], head["license_name"]) == ("other", "all-rights-reserved")
    assert "license" not in load_yaml(citation.cff(without.release))
    assert json.loads(croissant(without))["license"] == "All rights reserved"
    assert "https://spdx.org/licenses/GPL-3.0-only.html" in licences.licence_text(unknown.release)
    assert "SPDX-License-Identifier: CC-BY-4.0" in made["ratings"].text("LICENSE")


@pytest.mark.parametrize(
    ("name", "given_names", "family"),
    [
        ("Ada Lovelace", "Ada", "Lovelace"),
        ("Ludwig van der Berg", "Ludwig", "van der Berg"),
        ("Novák, Jiří", "Jiří", "Novák"),
        ("De Luca", "De", "Luca"),
        ("Consortium", "", "Consortium"),
        ("J. R. R. Tolkien", "J. R. R.", "Tolkien"),
    ],
)
def test_names_are_split_as_well_as_can_be(name: str, given_names: str, family: str) -> None:
    assert citation.split_name(name) == (given_names, family)


def load_yaml(text: str) -> dict[str, Any]:
    # In C, which is ten times as fast; it builds nothing but plain values, too.
    found: dict[str, Any] = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return found


# -- Hostile texts ------------------------------------------------------------------------------


@pytest.mark.slow
def test_no_text_breaks_a_document(made: dict[str, Made]) -> None:
    # Of one table: writing the head of many takes most of the time.
    usual = made["best_worst"].known
    usual = replace(usual, members=[one for one in usual.members if one.name == "items.tsv"])
    plain = readme(usual), datasheet(usual), front_matter(usual)

    # Each example makes all documents; a failure is told as it was found.
    @hypothesis_settings(max_examples=40, phases=[Phase.explicit, Phase.reuse, Phase.generate])
    @given(said=st.tuples(*[HOSTILE] * 5))
    def holds(said: tuple[str, ...]) -> None:
        check_documents(usual, plain, said)

    holds()


def check_documents(usual: KnownFacts, plain: tuple[str, str, str], said: tuple[str, ...]) -> None:
    """Documents of hostile texts have the shape of plain ones, and say what was written."""
    title, summary, name, word, answer = said
    release = facts(
        title=title,
        summary=summary,
        authors=(Author(name, affiliation=word, orcid=word), Author("Ada Lovelace")),
        keywords=(word, word),
        url=word,
        doi=word,
        licence=word,
        contact=word,
        changes=(Change(1, MADE_AT, (word,)),),
        datasheet=dict.fromkeys((one.key for one in QUESTIONS), answer),
    )
    known = replace(usual, release=release)
    expected = markdown.one_line(title) or "Untitled data set"

    text = readme(known)
    # As Hugging Face takes it out.
    head = re.match(r"\A---[\r\n]+([\S\s]*?)[\r\n]+---(\r\n|\n|\Z)", text)
    assert head
    assert load_yaml(head[1])["pretty_name"] == expected
    assert load_yaml(head[1])["configs"] == load_yaml(plain[2].strip("-\n"))["configs"]
    rest = text[head.end() :]
    assert len(re.findall(r"^```python\n.*?^```$", rest, re.MULTILINE | re.DOTALL)) == 3
    assert len(re.findall("^```", rest, re.MULTILINE)) == 8
    assert _headings(rest, "## ") == _headings(plain[0], "## ")
    assert _headings(datasheet(known), "#") == [
        *_headings(datasheet(known), "# "),
        *_headings(plain[1], "##"),
    ]

    cff = load_yaml(citation.cff(release))
    assert {"cff-version", "message", "title", "authors"} <= set(cff)
    assert cff["cff-version"] == "1.2.0"
    assert cff["title"] == expected
    assert cff["type"] == "dataset"
    assert cff["date-released"] == "2026-11-20"
    assert cff["authors"]
    for author in cff["authors"]:
        assert set(author) <= {"family-names", "given-names", "name", "affiliation", "orcid"}
        assert all(author.values())
        assert ("name" in author) != ("family-names" in author)
    assert re.fullmatch(r"https?://\S+", cff.get("url", "https://a"))
    assert re.fullmatch(
        r"10\.\d{4,9}(\.\d+)?/[A-Za-z0-9:/_;.()\[\]\\-]+", cff.get("doi", "10.1234/a")
    )
    assert len(set(cff.get("keywords", ()))) == len(cff.get("keywords", ()))

    described = json.loads(croissant(known))
    assert described["name"] == expected
    entry = citation.bibtex(release)
    assert entry.count("{") - entry.count(r"\{") == entry.count("}") - entry.count(r"\}")
    assert shown(entry.split("title = {{")[1].split("}},\n")[0]) == expected
    tables = paper.tables_tex(known)
    caption = tables.split(r"\caption{")[1].split(", version 2.0.0: size.}\n")[0]
    assert shown(caption) == expected
    assert tables.count(r"\begin{table}") == tables.count(r"\end{table}") == 4


def _headings(text: str, mark: str) -> list[str]:
    return [line for line in text.split("\n") if line.startswith(mark)]


def test_who_withdrew_has_agreed_and_the_datasheet_says_both() -> None:
    study = release_studies.best_worst()
    withdrawal.withdraw(annotator=study.annotators.earliest("pk"))

    text = files_of(write(study, facts()))["DATASHEET.md"].decode()

    assert consents.texts(study).get().n_agreed == 3
    assert "3 annotators agreed to version 1 of the consent text (1 withdrew later)" in text
