"""The README of an export leads somebody who has never seen the application to the data."""

import io
import json
import re

import pytest

from annotation.core.queries.run_status import STATUSES
from annotation.kinds.registry import kind_of
from annotation.models import Study
from annotation.releases.exports.archive import write_archive
from tests.support import factories, labelled, rating, release_studies, selecting
from tests.support.ranking import make_ranking_study
from tests.support.release_studies import facts, files_of, write

pytestmark = pytest.mark.django_db

MADE = {
    "best_worst": factories.make_open_study,
    "rating": lambda: rating.make_rating_study(phases=rating.TWICE, pairs=3),
    "label": lambda: labelled.make_label_study(
        pairs=3,
        categories={"names": ["same", "other"], "several": True},
    ),
    "selection": selecting.make_selection_study,
    "ranking": lambda: make_ranking_study(dialogues=1),
}


def exported(study: Study) -> dict[str, bytes]:
    file = io.BytesIO()
    write_archive(study, "people", file)
    return files_of(file.getvalue())


@pytest.mark.parametrize("kind", MADE)
def test_the_data_set_is_named_first_explained_first_and_read_by_the_example(kind: str) -> None:
    study = MADE[kind]()

    files = exported(study)

    readme = files["README.md"].decode()
    names = kind_of(study).releases.main_files
    data_set = next(name for name in names if name in files)
    start = readme.split("## Where to start\n")[1].split("\n## ")[0]
    assert re.findall(r"`([\w.]+\.tsv)`", start)[0] == data_set
    explained = re.findall(r"^## (\S+\.(?:tsv|csv))", readme, re.MULTILINE)
    assert explained[0] == data_set
    assert f'pandas.read_csv("{data_set}"' in readme


@pytest.mark.parametrize("kind", MADE)
def test_every_status_is_explained_once(kind: str) -> None:
    readme = exported(MADE[kind]())["README.md"].decode()

    listed = re.findall(r"^- `(\w+)`: \S", readme.split("\n## ")[3], re.MULTILINE)
    assert readme.split("\n## ")[3].startswith("Which answers count\n")
    assert listed == list(STATUSES)
    for status, meaning in STATUSES.items():
        assert readme.count(f"`{status}`: {meaning}") == 1


@pytest.mark.parametrize("kind", MADE)
def test_commands_come_with_how_to_run_them(kind: str) -> None:
    readme = exported(MADE[kind]())["README.md"].decode()

    has_commands = "python -m scoring" in readme
    assert has_commands == (kind in ("best_worst", "rating", "label"))
    assert ("`pip install .`" in readme) == has_commands


@pytest.mark.parametrize("kind", MADE)
def test_every_row_about_a_column_has_two_cells(kind: str) -> None:
    readme = exported(MADE[kind]())["README.md"].decode()

    of_columns = [line for line in readme.splitlines() if line.startswith("| `")]
    assert len(of_columns) > 30
    assert [line for line in of_columns if len(re.findall(r"(?<!\\)\|", line)) != 3] == []


@pytest.mark.slow
def test_the_readme_of_a_release_lists_every_file_and_names_the_first() -> None:
    study = release_studies.ratings()

    files = files_of(write(study, facts()))

    readme = files["README.md"].decode()
    listed = readme.split("## Files\n")[1].split("\n## ")[0]
    # The LaTeX of the methods is named beside their Markdown; `items.tex` is in the list, too.
    assert set(re.findall(r"`([\w.]+)`", listed)) >= files.keys() - {"README.md"}
    assert re.findall(r"^Open `([\w.]+)` first", listed, re.MULTILINE) == ["test_free.tsv"]
    moments = json.loads(files["croissant.json"])["recordSet"]
    described = [field["description"] for each in moments for field in each["field"]]
    assert [text for text in described if "|" in text] == []
