"""`manage.py baseline`: measures computed here, the leaderboard printed or written."""

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.core.services import model_process as baseline_process
from annotation.models import BaselineReport, Job, Study
from scoring import pearson
from tests.support.baseline_studies import make_pairs
from tests.support.factories import make_study

pytestmark = pytest.mark.django_db

SOURCE = Path(__file__).resolve().parents[3] / "shared" / "data" / "stss131.tsv"


@pytest.fixture
def study() -> Study:
    return make_pairs(sd=["0.5"] * 6, kind=["a", "b", "a", "b", "a", "a"])


def run(study: Study, *arguments: str) -> str:
    output = io.StringIO()
    call_command("baseline", study.slug, *arguments, "--resamples", "20", stdout=output)
    return output.getvalue()


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter="\t"))


def test_the_leaderboard_is_printed(study: Study) -> None:
    found = rows(run(study, "--people", "column:mean:sd=sd:n=32"))

    assert len(found) == 9
    assert {row["subset"] for row in found} == {"all"}
    # As on the page: the best one first.
    known = [float(row["pearson"]) for row in found if row["pearson"]]
    assert known == sorted(known, reverse=True)
    [first] = [row for row in found if row["measure"] == "SQuAD F1"]
    human = [float(item.metadata["mean"]) for item in study.items.order_by("number")]
    values = study.baselines.get(measure="squad_f1").array
    assert float(first["pearson"]) == pytest.approx(float(pearson(human, values)), abs=1e-12)
    assert float(first["pearson_bca_low"]) < float(first["pearson"])
    assert 0.9 < float(first["ceiling"]) < 1
    assert (first["device"], float(first["seconds"]) >= 0) == ("cpu", True)


def test_tables_are_written_into_files(study: Study, tmp_path: Path) -> None:
    tsv, latex = tmp_path / "table.tsv", tmp_path / "table.tex"

    printed = run(
        study,
        *("--people", "column:mean", "--measure", "squad_f1", "--measure", "chrf"),
        *("--by", "kind,word_overlap", "--expression", "has_digit(first)"),
        *("--tsv", str(tsv), "--latex", str(latex)),
    )

    assert printed == ""
    found = rows(tsv.read_text(encoding="utf-8"))
    assert {row["measure"] for row in found} == {"SQuAD F1", "chrF2"}
    assert list(dict.fromkeys(row["subset"] for row in found)) == [
        "all",
        "kind: a",
        "kind: b",
        "no shared word",
        "shared word",
        "has_digit(first)",
        "not (has_digit(first))",
    ]
    tables = latex.read_text(encoding="utf-8")
    assert tables.count(r"\begin{tabular}") == 2
    assert tables.count("% People's scores: column mean of the items.\n") == 2


@pytest.mark.slow
def test_only_some_items_count(study: Study) -> None:
    found = rows(run(study, "--people", "column:mean", "--where", 'kind == "a"'))

    assert {row["n"] for row in found} == {"4"}


@pytest.mark.slow
def test_a_measure_with_a_model_has_its_settings(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import json, sys\n"
        "import numpy as np\n"
        "request = json.load(open(sys.argv[2]))\n"
        "np.save(request['values'], np.arange(6.0))\n"
        "print(json.dumps({'done': {'figures': request['settings']}}))\n"
    )
    monkeypatch.setattr(baseline_process, "COMMAND", (sys.executable, str(program)))

    run(
        study,
        *("--people", "column:mean", "--model", "bi_encoder:org/name:context=front:turns=2"),
        *("--model", "word_vectors:vectors.txt:lower=true"),
    )

    one = study.baselines.get(measure="bi_encoder")
    assert (one.figures["context"], one.figures["turns"]) == ("front", 2)
    words = study.baselines.get(measure="word_vectors")
    assert (words.settings["file"], words.settings["lower"]) == ("vectors.txt", True)
    # All lexical ones beside them.
    assert study.baselines.count() == 11


def test_what_fails_is_said_after_the_rest_was_printed(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "program.py"
    refusal = {"refused": {"template": "There is no model %(given)s.", "values": {"given": "x"}}}
    program.write_text(f"import sys; print({json.dumps(refusal)!r}); sys.exit(2)")
    monkeypatch.setattr(baseline_process, "COMMAND", (sys.executable, str(program)))
    output = io.StringIO()

    with pytest.raises(CommandError) as refused:
        call_command(
            "baseline",
            study.slug,
            *("--people", "column:mean", "--model", "bi_encoder:x", "--resamples", "0"),
            stdout=output,
        )

    assert str(refused.value) == "Bi-encoder x: There is no model x."
    assert len(rows(output.getvalue())) == 9


def test_without_scores_there_are_values_and_a_hint(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(study) == ""

    assert "--people" in capsys.readouterr().err
    assert study.baselines.count() == 9


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--people", "mean"], "--people: 'mean'"),
        (["--people", "column:mean:sd"], "'sd' is not a setting"),
        (["--people", "column:mean:n=many"], "--people: 'column:mean:n=many'"),
        (["--people", "phase:1"], "Nobody has answered"),
        (["--people", "column:nothing"], "no item has a value in the column 'nothing'"),
        (["--model", "moverscore:x"], "--model: 'moverscore'"),
        (["--model", "bi_encoder"], "names no model"),
        (["--model", "bi_encoder:x:layers=3"], "'layers=3' is not a setting"),
        (["--model", "bi_encoder:x:turns=some"], "turns must be a whole number"),
        (["--model", "word_vectors:x:lower=1"], "lower must be true or false"),
        (["--model", "bi_encoder:x:context=behind"], "context"),
        (["--model", "multiple_choice:x:style=own"], "style is 'own': choose plain or giccs"),
        (["--level", "2"], "choose a number between 0 and 1"),
        (["--where", "1 +"], "cannot be read"),
        (["--by", "mood", "--people", "column:mean"], "No item has a value for mood"),
    ],
)
def test_what_is_wrong_is_one_sentence(study: Study, arguments: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=said) as refused:
        run(study, "--measure", "squad_f1", *arguments)

    assert "\n" not in str(refused.value)


def test_a_study_that_is_not_there_has_none_and_one_without_items(study: Study) -> None:
    with pytest.raises(CommandError, match="There is no study 'nothing'"):
        call_command("baseline", "nothing")
    with pytest.raises(CommandError, match="has no items"):
        call_command("baseline", make_study(dialogues=0).slug)


def test_values_computed_elsewhere_stand_on_the_leaderboard(study: Study, tmp_path: Path) -> None:
    keys = list(study.items.order_by("number").values_list("key", flat=True))
    file = tmp_path / "values.tsv"
    lines = "".join(f"{key}\t{n}\t{n * n}\n" for n, key in enumerate(keys))
    file.write_text(f"id\tSTASIS\tLSA\n{lines}")

    board = rows(run(study, "--people", "column:mean", "--values", str(file)))

    assert {"STASIS", "LSA"} <= {row["measure"] for row in board}
    # The command as it is printed in the documentation, a second time.
    again = io.StringIO()
    values = ("--people", "column:mean", "--values", str(file), "--resamples", "20")
    call_command("baseline", study.slug, *values, stdout=io.StringIO(), stderr=again)
    assert "STASIS, LSA" in again.getvalue()
    assert study.baselines.filter(name__in=["STASIS", "LSA"]).count() == 2
    file.write_text(file.read_text().replace("\t1\t1\n", "\t7\t1\n"))
    with pytest.raises(CommandError, match=r"values\.tsv: A measure STASIS with other values"):
        run(study, "--values", str(file))
    with pytest.raises(CommandError, match="No such file"):
        run(study, "--values", str(tmp_path / "none.tsv"))


def test_a_linked_folder_of_a_model_is_named(study: Study, tmp_path: Path, settings: Any) -> None:
    settings.MODELS = tmp_path / "models"
    outside = tmp_path / "outside"
    outside.mkdir()
    settings.MODELS.mkdir()
    (settings.MODELS / "linked").symlink_to(outside)

    with pytest.raises(CommandError) as refused:
        run(study, "--model", "bi_encoder:linked")

    assert str(settings.MODELS) in str(refused.value)
    assert "<models>" not in str(refused.value)


def test_two_at_a_time_are_refused(study: Study) -> None:
    job = Job.objects.create(study=study, kind=Job.Kind.BASELINES)

    with pytest.raises(CommandError, match=rf"Job {job.pk} of {study.slug}"):
        run(study)


def test_a_file_that_cannot_be_written_is_named(study: Study, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"missing/table\.tsv: No such file"):
        run(study, "--people", "column:mean", "--tsv", str(tmp_path / "missing" / "table.tsv"))

    # What was computed is there all the same.
    assert BaselineReport.objects.filter(study=study).exists()
    assert not list(tmp_path.glob("**/*.part*"))


def test_published_pairs_have_a_leaderboard_without_any_answer(tmp_path: Path) -> None:
    if not SOURCE.is_file():
        pytest.skip("the published pairs (shared/data) are not beside this checkout")
    from tests.support.factories import make_user

    owner = make_user("researcher")
    create = ("--create", "--title", "STSS-131", "--preset", "stss-131", "--owner", owner.username)
    call_command("import_items", "stss", str(SOURCE), *create)
    study = Study.objects.get(slug="stss")

    found = rows(run(study, "--people", "column:mean:sd=sd:n=32", "--where", 'calibration == "0"'))

    published = rows(SOURCE.read_text(encoding="utf-8"))
    assert {row["n"] for row in found} == {"64"}
    counting = [row for row in published if row["calibration"] == "0"]
    values = dict(
        zip(
            study.items.order_by("number").values_list("key", flat=True),
            study.baselines.get(measure="squad_f1").array,
            strict=True,
        )
    )
    expected = pearson(
        [float(row["mean"]) for row in counting], [values[row["pair_id"]] for row in counting]
    )
    [first] = [row for row in found if row["measure"] == "SQuAD F1"]
    assert float(first["pearson"]) == pytest.approx(float(expected), abs=1e-12)
    assert 0.9 < float(first["ceiling"]) < 1


def test_a_folder_for_the_tables_is_made(tmp_path: Path) -> None:
    study = make_pairs(label=["0", "1", "0", "1", "2", "2"])
    folder = tmp_path / "new" / "tables"

    run(study, "--people", "column:label", "--measure", "chrf", "--tables", str(folder))

    assert (folder / "labelled_pairs.tsv").exists()


def test_a_folder_that_cannot_be_made_is_refused_before_anything_is_computed(
    study: Study, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(CommandError, match="Not a directory"):
        run(study, "--people", "column:mean", "--tables", str(tmp_path / "file" / "tables"))

    assert not Job.objects.exists()
