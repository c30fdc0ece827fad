"""Lexical statistics of a study's texts: computed in a job, shown, written into files."""

import csv
import io
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from annotation.basics.errors import AnnotationError
from annotation.core.services import jobs
from annotation.items.queries import lexical
from annotation.items.services import lexical as services
from annotation.models import Check, Context, Item, Job, Pool, Relabelling, Study, Turn
from annotation.releases.release_description import Description
from annotation.releases.services import releases
from scoring.texts.texts import lemmatise
from tests.support import release_studies
from tests.support.factories import make_study
from tests.support.rated_studies import add_context, make_rated
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db


def compute(study: Study) -> list[dict]:
    job = services.compute_here(study=study)
    assert job.state == Job.State.DONE, job.error
    assert lexical.current(study) is not None
    return job.figures["rows"]


def find(rows: list[dict], part: str, level: str, source: str = "", turns: str = "") -> dict:
    wanted = (part, level, source, turns)
    [row] = [
        row for row in rows if (row["part"], row["level"], row["source"], row["turns"]) == wanted
    ]
    return row


def tsv_rows(table: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table, newline=""), delimiter="\t"))


def mtld_of(words: list[str]) -> float:
    """Independent of `scoring`: mean of both directions, threshold .72."""

    def one_way(sequence: list[str]) -> float:
        start, factors = 0, 0.0
        for end in range(1, len(sequence) + 1):
            stretch = sequence[start:end]
            if len(set(stretch)) / len(stretch) <= 0.72:
                start, factors = end, factors + 1
        rest = sequence[start:]
        if rest:
            factors += (1 - len(set(rest)) / len(rest)) / (1 - 0.72)
        return len(sequence) / factors

    return (one_way(words) + one_way(words[::-1])) / 2


@pytest.fixture
def study() -> Study:
    """Four dialogues of two sources, of 3 and 5 turns."""
    study = make_study(dialogues=4, language="de")
    study.contexts.filter(key__in=["d3", "d4"]).update(source="film")
    return study


@pytest.mark.slow
def test_the_table_has_a_row_for_each_source_and_number_of_turns(study: Study) -> None:
    rows = compute(study)

    contexts = [
        (row["level"], row["source"], row["turns"], row["n_texts"], row["n_turns"])
        for row in rows
        if row["part"] == "contexts"
    ]
    assert contexts == [
        ("cell", "film", "3", 1, 3),
        ("cell", "film", "5", 1, 5),
        ("source", "film", "", 2, 8),
        ("cell", "written", "3", 1, 3),
        ("cell", "written", "5", 1, 5),
        ("source", "written", "", 2, 8),
        ("turns", "", "3", 2, 6),
        ("turns", "", "5", 2, 10),
        ("all", "", "", 4, 16),
    ]
    # Their targets are turns, so they are no texts of their own. Each dialogue has 5 candidates.
    assert not [row for row in rows if row["part"] == "targets"]
    assert find(rows, "candidates", "all")["n_texts"] == 20
    assert find(rows, "candidates", "cell", "film", "5")["n_turns"] == 5


@pytest.mark.slow
def test_figures_equal_an_independent_computation(study: Study) -> None:
    row = find(compute(study), "contexts", "source", "film")

    # Dialogues 3 and 4: "Turn 1 of dialogue 3." and so on. Words have no digits.
    words = ["turn", "of", "dialogue"] * 8
    assert (row["n_tokens"], row["n_words"], row["n_types"]) == (5 * 8, 24, 3)
    assert row["mean_turn_length"] == 5
    assert row["rttr"] == pytest.approx(3 / 24**0.5)
    assert row["mtld"] == pytest.approx(mtld_of(words))
    assert row["mean_rttr"] == pytest.approx((3 / 9**0.5 + 3 / 15**0.5) / 2)
    assert row["mean_mtld"] == pytest.approx((mtld_of(words[:9]) + mtld_of(words[:15])) / 2)
    turns = Turn.objects.filter(context__source="film").values_list("text", flat=True)
    lemmas = set(lemmatise(list(turns), language="de").lemmas)
    assert row["n_lemmas"] == len([lemma for lemma in lemmas if not lemma.isdigit()]) == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "found_by"),
    [("de-AT", r"simplemma \S+ \(de\)"), ("en", r"simplemma \S+ \(en\)"), ("cs", r".*\(cs\)")],
)
def test_whatever_finds_lemmas_is_named(language: str, found_by: str) -> None:
    study = make_study(language=language)

    rows = compute(study)

    figures = lexical.current(study)
    assert figures
    assert re.fullmatch(found_by, figures["lemma_source"])
    assert find(rows, "contexts", "all")["n_lemmas"] > 0


def test_without_a_dictionary_there_are_no_lemmas_and_all_the_rest() -> None:
    study = make_study(language="ja")

    row = find(compute(study), "contexts", "all")

    assert row["n_lemmas"] is None
    assert row["mtld"] is not None
    figures = lexical.current(study)
    assert figures
    assert figures["lemma_source"] == ""
    page = signed_in(study.owner).get(url(study, "items"))
    assert page.context["lexical"].lemma_source == ""


@pytest.mark.slow
def test_checks_are_left_out_with_the_contexts_that_only_they_use(study: Study) -> None:
    pool = study.pools.get(key="d4")
    Check.objects.create(study=study, pool=pool, style=Check.Style.SILENT)
    single = study.items.get(key="d1-1")
    Check.objects.create(study=study, item=single, style=Check.Style.SILENT)

    rows = compute(study)

    assert find(rows, "contexts", "cell", "film", "3")["n_texts"] == 1
    assert not [row for row in rows if (row["source"], row["turns"]) == ("film", "5")]
    assert find(rows, "contexts", "all")["n_texts"] == 3
    assert find(rows, "candidates", "all")["n_texts"] == 14


def test_of_pairs_every_rated_sentence_counts_and_no_calibration() -> None:
    rated = make_rated(["a", "b", "c"], calibration={"none": 0, "all": 6})
    turns = add_context(rated.study, "report", ["Before it.", "The sentence.", "After it."])
    Item.objects.filter(pk=rated.items["a"].pk).update(target_text=None, target_turn=turns[1])
    only_practice = add_context(rated.study, "practice", ["One.", "Two."])
    Item.objects.filter(pk=rated.items["all"].pk).update(
        candidate_text=None, candidate_turn=only_practice[0]
    )
    before = lexical.state_of_texts(rated.study)
    design = rated.study.design
    design.parameters = {**design.parameters, "calibration": ["none", "all"]}
    design.save()
    assert lexical.state_of_texts(rated.study) != before

    rows = compute(rated.study)

    n_texts = {
        part: sum(row["n_texts"] for row in rows if (row["part"], row["level"]) == (part, "cell"))
        for part in lexical.PARTS
    }
    assert n_texts == {"contexts": 1, "targets": 3, "candidates": 3}


def test_a_text_that_items_share_counts_once() -> None:
    study = make_study(dialogues=0)
    pool = Pool.objects.create(study=study, key="all", number=1)
    for n in range(1, 4):
        Item.objects.create(
            study=study,
            pool=pool,
            number=n,
            key=f"p{n}",
            target_text="One question.",
            candidate_text=f"Answer {'abc'[n - 1]}.",
            metadata={"source": "exam"},
        )

    rows = compute(study)

    assert [(row["part"], row["level"], row["n_texts"]) for row in rows] == [
        ("targets", "cell", 1),
        ("candidates", "cell", 3),
    ]
    assert {(row["source"], row["turns"]) for row in rows} == {("exam", "")}


def test_a_text_of_several_sources_counts_once_in_all() -> None:
    """Two questions, each once from either source."""
    study = make_study(dialogues=0)
    pool = Pool.objects.create(study=study, key="all", number=1)
    for n in range(1, 5):
        Item.objects.create(
            study=study,
            pool=pool,
            number=n,
            key=f"p{n}",
            target_text=("How does it work?", "Which way leads home today?")[n % 2],
            candidate_text=f"Answer {'abcd'[n - 1]}.",
            metadata={"source": "exam" if n <= 2 else "survey"},
        )

    rows = compute(study)

    for source in ("exam", "survey"):
        cell = find(rows, "targets", "cell", source)
        assert (cell["n_texts"], cell["n_tokens"]) == (2, 9)
    of_all = find(rows, "targets", "all")
    assert (of_all["n_texts"], of_all["n_tokens"], of_all["n_types"]) == (2, 9, 9)
    assert of_all["rttr"] == pytest.approx(9 / 9**0.5)
    assert find(rows, "candidates", "all")["n_texts"] == 4


def test_many_numbers_of_turns_are_put_into_ranges() -> None:
    numbers = (1, 2, 5, 6, 10, 11, 21, 60, 101, 130)
    study = make_study(dialogues=len(numbers), turns=numbers, candidates=1)

    rows = compute(study)

    found = [
        (row["turns"], row["n_texts"])
        for row in rows
        if (row["part"], row["level"]) == ("contexts", "cell")
    ]
    assert found == [
        ("1", 1), ("2-5", 2), ("6-10", 2), ("11-20", 1), ("21-50", 1), ("51-100", 1), ("101+", 2),
    ]  # fmt: skip


def test_many_sources_are_taken_together() -> None:
    study = make_study(dialogues=51, turns=(3,), candidates=1)
    for n, context in enumerate(study.contexts.all()):
        context.source = f"s{n}"
        context.save()

    rows = compute(study)

    figures = lexical.current(study)
    assert figures
    assert (figures["n_sources"], figures["is_by_source"]) == (51, False)
    assert [(row["source"], row["n_texts"]) for row in rows if row["part"] == "contexts"] == [
        ("", 51)
    ]
    context = signed_in(study.owner).get(url(study, "items")).context
    assert context["lexical"].is_by_source is False


@pytest.mark.slow
def test_figures_of_other_texts_are_not_shown(study: Study) -> None:
    compute(study)
    assert lexical.current(study)

    Relabelling.objects.create(
        study=study, context=study.contexts.first(), field="source", reason="r", by=study.owner,
        before="a", after="b", made_at=study.created_at,
    )  # fmt: skip
    assert lexical.current(study) is None
    compute(study)

    Study.objects.filter(pk=study.pk).update(language="en")
    study.refresh_from_db()
    assert lexical.current(study) is None
    compute(study)

    context = Context.objects.create(study=study, key="new", n_turns=1)
    Turn.objects.create(context=context, position=1, text="New.")
    assert lexical.current(study) is None


@pytest.mark.django_db(transaction=True)
def test_nothing_is_written_while_the_texts_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite would refuse it as soon as anybody else, such as the heartbeat, has written."""
    statements: list[str] = []
    usual = lexical.compute

    def watched(study: Study, progress: Any) -> Any:
        def note(execute: Any, sql: str, *more: Any) -> Any:
            statements.append(sql)
            return execute(sql, *more)

        with connection.execute_wrapper(note):
            return usual(study, progress)

    monkeypatch.setattr(lexical, "compute", watched)
    compute(make_study())

    assert statements
    assert {sql.split()[0] for sql in statements} == {"SELECT"}


def test_a_study_without_texts_is_refused() -> None:
    with pytest.raises(AnnotationError):
        services.start(study=make_study(dialogues=0), by=None)


# -- The page -----------------------------------------------------------------------------------


def test_the_page_offers_to_compute_and_then_shows_the_table(study: Study) -> None:
    client = signed_in(study.owner)
    assert client.get(url(study, "items")).context["lexical"].tables == []
    assert f'action="{url(study, "measure_texts")}"' in text(client.get(url(study, "items")))

    started = client.post(url(study, "measure_texts"))

    job = study.jobs.get(kind=Job.Kind.LEXICAL)
    assert started["Location"] == url(study, "job", job.pk)
    waiting = client.get(url(study, "items"))
    assert waiting.context["lexical"].unfinished == job
    assert url(study, "job", job.pk) in text(waiting)
    jobs.run(job.pk)
    page = client.get(url(study, "items"))
    [contexts, candidates] = page.context["lexical"].tables
    assert (contexts.part, candidates.part) == ("contexts", "candidates")
    assert [row.level for row in contexts.rows].count("cell") == 4
    shown = text(page)
    assert shown.count('data-lexical="') == 2
    assert shown.count('data-level="all"') == 2
    # Read at 360 pixels, where each row is a list: every cell says what it is.
    part = shown.split('data-lexical="contexts"')[1].split("</table>")[0]
    cells = re.findall(r'<td class="number" data-label="([^"]+)" role="cell">', part)
    assert len(cells) == part.count("<td") == 9 * len(contexts.rows)


def test_files_of_the_page(study: Study) -> None:
    client = signed_in(study.owner)
    refused = client.get(url(study, "lexical", "tsv"))
    assert refused["Location"] == url(study, "items")
    rows = compute(study)

    table = client.get(url(study, "lexical", "tsv"))
    latex = client.get(url(study, "lexical", "tex"))

    found = tsv_rows(table.content.decode())
    assert [float(row["mtld"]) for row in found] == [row["mtld"] for row in rows]
    assert table["Content-Disposition"] == f'attachment; filename="{study.slug}-lexical.tsv"'
    assert latex.content.decode().count(r"\begin{table}") == 2
    assert client.get(url(study, "lexical", "csv")).status_code == 404


# -- The command --------------------------------------------------------------------------------


def run(study: Study, *arguments: str) -> str:
    output = io.StringIO()
    call_command("lexical", study.slug, *arguments, stdout=output, stderr=io.StringIO())
    return output.getvalue()


def test_the_command_prints_the_table_and_computes_it_once(study: Study) -> None:
    first, second = tsv_rows(run(study)), tsv_rows(run(study))

    assert first == second
    assert study.jobs.filter(kind=Job.Kind.LEXICAL).count() == 1
    figures = lexical.current(study)
    assert figures
    for found, row in zip(first, figures["rows"], strict=True):
        assert found == {
            name: "" if value is None else str(value)
            for name, value in ((name, row[name]) for name in found)
        }


def test_the_command_writes_files(study: Study, tmp_path: Path) -> None:
    tsv, latex = tmp_path / "lexical.tsv", tmp_path / "lexical.tex"

    printed = run(study, "--tsv", str(tsv), "--latex", str(latex))

    assert printed == ""
    rows = tsv_rows(tsv.read_text(encoding="utf-8"))
    written = latex.read_text(encoding="utf-8")
    assert written.count(r" \\") == len(rows) + 2
    of_all = next(row for row in rows if (row["part"], row["level"]) == ("contexts", "all"))
    line = next(line.strip() for line in written.split("\n") if line.strip().startswith("all &"))
    cells = [cell.strip() for cell in line.removesuffix(r"\\").split("&")]
    assert cells[1:4] == [of_all[name] for name in ("n_texts", "n_turns", "n_tokens")]
    assert cells[7] == f"{float(of_all['mtld']):.2f}"


def test_the_command_refuses_what_is_not_there() -> None:
    with pytest.raises(CommandError):
        call_command("lexical", "nothing")
    with pytest.raises(CommandError):
        call_command("lexical", make_study(dialogues=0).slug)


# -- The export and the release -----------------------------------------------------------------


DESCRIPTION = Description.of(
    {"title": "Dialogues", "authors": [{"name": "Ada Lovelace"}], "licence": "CC-BY-4.0"}
)


def files_of(content: bytes) -> dict[str, str]:
    return {name: member.decode() for name, member in release_studies.files_of(content).items()}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["best_worst", "ratings", "labels", "selections"])
def test_the_archive_of_each_kind_has_the_table_once_the_texts_were_measured(kind: str) -> None:
    study: Study = getattr(release_studies, kind)()
    study.jobs.filter(kind=Job.Kind.LEXICAL).delete()
    before = files_of(release_studies.write(study, release_studies.facts()))
    assert "lexical.tsv" not in before
    assert "tab:lexical" not in before["tables.tex"]

    rows = compute(study)
    found = files_of(release_studies.write(study, release_studies.facts()))

    table = tsv_rows(found["lexical.tsv"])
    assert [row["n_tokens"] for row in table] == [str(row["n_tokens"]) for row in rows]
    [described] = re.findall(r"## lexical\.tsv\n(.*?)\n## ", found["README.md"], flags=re.DOTALL)
    assert re.findall(r"^\| `(\w+)` \|", described, flags=re.MULTILINE) == list(table[0])
    assert "simplemma" in described
    assert found["tables.tex"].count(r"\label{tab:lexical-") == len({row["part"] for row in rows})
    assert "lexical.tsv" in found["croissant.json"]


@pytest.mark.slow
def test_a_release_and_a_prepared_export_measure_the_texts_themselves() -> None:
    study = release_studies.best_worst()
    study.jobs.filter(kind=Job.Kind.LEXICAL).delete()

    job = jobs.run_here(study=study, kind=Job.Kind.EXPORT, parameters={"population": "people"})

    assert job.state == Job.State.DONE, job.problems
    figures = lexical.current(study)
    assert figures
    study.jobs.filter(kind=Job.Kind.LEXICAL).delete()
    made = releases.make_here(study=study, description=DESCRIPTION)
    assert made.state == Job.State.DONE, made.problems
    path = releases.path(made.release)
    with zipfile.ZipFile(path) as archive:
        table = tsv_rows(archive.read("lexical.tsv").decode())
    assert len(table) == len(figures["rows"])


def test_the_command_export_measures_the_texts_itself(study: Study, tmp_path: Path) -> None:
    call_command("export", study.slug, "--output", str(tmp_path / "e.zip"))

    with zipfile.ZipFile(tmp_path / "e.zip") as archive:
        assert tsv_rows(archive.read("lexical.tsv").decode())
    assert lexical.current(study) is not None
