"""Items of a file beside those that a draft has: calibration for an earlier round's pairs."""

from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.basics.errors import FrozenError, ImportProblemsError, StateError
from annotation.core.services import jobs
from annotation.designs.services import designs, rounds
from annotation.items.services import imports
from annotation.models import Job, Study, Turn
from annotation.models.kinds import QuestionKind
from annotation.studies.services import studies
from tests.designs.test_rounds_from_selections import answered
from tests.items.test_researcher_importing import upload
from tests.support.factories import make_study
from tests.support.item_files import empty_study, import_text, jsonl, pair, within
from tests.support.rating import make_rating_study
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db

CALIBRATION = jsonl(pair("c1", expected=0), pair("c2", expected=6))
INCIDENT = {"summary": ["It burnt."], "reports": [{"id": "r", "sentences": ["a", "b", "c"]}]}


def add(study: Study, folder: Path, content: str) -> imports.ImportedItems:
    path = folder / "more.jsonl"
    path.write_text(content)
    return imports.import_items(study=study, path=path, filename=path.name, add=True)


def draft(folder: Path) -> Study:
    """Two groups of two pairs, and one for calibration in none."""
    study = empty_study()
    rows = [pair(f"{group}{n}", group=group) for group in "ab" for n in (1, 2)]
    known = pair("p", expected=3, target=within())
    import_text(study, folder, jsonl(*rows, known), "first.jsonl")
    return study


def test_they_come_after_those_that_are_there(tmp_path: Path) -> None:
    study = draft(tmp_path)

    imported = add(study, tmp_path, CALIBRATION)

    assert imported.n_items == 2
    items = study.items.order_by("number")
    assert [item.key for item in items] == ["a1", "a2", "b1", "b2", "p", "c1", "c2"]
    assert [item.number for item in items] == list(range(1, 8))
    assert [item.expected for item in items][-2:] == [0, 6]
    # Those in no group share the pool that stands for that.
    assert list(study.pools.order_by("number").values_list("key", flat=True)) == ["a", "b", "all"]
    assert {item.pool.key for item in items[4:]} == {"all"}
    assert Turn.objects.filter(context__study=study).count() == 3


def test_new_groups_contexts_and_incidents_stand_beside_the_old_ones(tmp_path: Path) -> None:
    study = draft(tmp_path)
    selection = empty_study(QuestionKind.SELECTION)
    import_text(selection, tmp_path, jsonl({"id": "i1", **INCIDENT}), "i.jsonl")

    add(study, tmp_path, jsonl(*(pair(f"z{n}", group="z") for n in (1, 2))))
    other = {**INCIDENT, "reports": [{"id": "r2", "sentences": ["d", "e", "f"]}]}
    add(selection, tmp_path, jsonl({"id": "i2", **other}))

    pools = study.pools.order_by("number").values_list("key", "number")
    assert list(pools) == [("a", 1), ("b", 2), ("all", 3), ("z", 4)]
    assert [group.key for group in selection.context_groups.order_by("pk")] == ["i1", "i2"]
    assert selection.contexts.count() == 4


@pytest.mark.parametrize("clashing", [pair("a\u00a01"), pair("new", group="a\u200b")])
def test_an_id_that_looks_like_one_that_is_there_is_refused(
    tmp_path: Path, clashing: dict[str, object]
) -> None:
    study = draft(tmp_path)
    n_items = study.items.count()
    rows = [clashing, *([pair("new2", group="a\u200b")] if "group" in clashing else [])]

    with pytest.raises(ImportProblemsError) as caught:
        add(study, tmp_path, jsonl(*rows))

    (problem,) = caught.value.problems
    assert "a1" in problem or "'a'" in problem
    assert study.items.count() == n_items


def test_a_name_that_is_taken_is_refused_and_nothing_is_added(tmp_path: Path) -> None:
    study = draft(tmp_path)
    clashing = jsonl(
        pair("c1", expected=0),
        pair("b2", expected=6),
        *(pair(f"new{n}", group="a") for n in (1, 2)),
    )
    selection = empty_study(QuestionKind.SELECTION)
    import_text(selection, tmp_path, jsonl({"id": "i1", **INCIDENT}), "i.jsonl")

    with pytest.raises(ImportProblemsError) as caught:
        add(study, tmp_path, clashing)
    with pytest.raises(ImportProblemsError) as of_incidents:
        add(selection, tmp_path, jsonl({"id": "i1", **INCIDENT}))

    assert caught.value.problems == [
        "The study already has an item b2. Change the id in the file.",
        "The study already has a group a. Change the name in the file.",
    ]
    assert of_incidents.value.problems == [
        "The study already has a context i1/summary. Change the id in the file.",
        "The study already has an incident i1. Change the id in the file.",
    ]
    assert study.items.count() == 5


def test_a_design_that_was_made_without_them_is_forgotten(tmp_path: Path) -> None:
    study = make_rating_study(pairs=2, open_it=False)
    designs.make(design=study.design)

    add(study, tmp_path, CALIBRATION)

    assert not study.design.is_made
    assert study.items.count() == 4


def test_an_opened_study_and_one_whose_items_are_compared_take_none(tmp_path: Path) -> None:
    opened, compared = make_rating_study(), make_study()

    with pytest.raises(FrozenError):
        add(opened, tmp_path, CALIBRATION)
    with pytest.raises(
        StateError, match="All items of a best-worst study must come from one file"
    ):
        add(compared, tmp_path, jsonl(*map(pair, "abcd")))

    assert compared.items.count() == 10


def test_the_command_adds(tmp_path: Path) -> None:
    study = draft(tmp_path)
    path = tmp_path / "calibration.jsonl"
    path.write_text(CALIBRATION)

    call_command("import_items", study.slug, str(path), "--add")

    assert study.items.count() == 7


# -- The page -----------------------------------------------------------------------------------


def looked_at(client: Client, study: Study, content: str) -> tuple[str, str]:
    """The page that shows an upload before it is imported, and the upload's name."""
    there = upload(client, study, content.encode(), "more.jsonl")["Location"]
    return text(client.get(there)), there.split("/preview/")[1].split("/")[0]


def test_the_page_asks_whether_to_keep_what_is_there(tmp_path: Path) -> None:
    study = draft(tmp_path)
    client = signed_in(study.owner)

    page, name = looked_at(client, study, CALIBRATION)
    start = url(study, "import_start", name)
    refused = client.post(start, {"filename": "more.jsonl"}, follow=True)
    assert not Job.objects.exists()
    client.post(start, {"filename": "more.jsonl", "replace": "no"})
    jobs.run(Job.objects.get().pk)

    assert "The study has 5 items." in page
    assert 'name="replace" value="no"' in page
    assert refused.status_code == 400
    assert refused.context["undecided"]
    assert study.items.count() == 7


def test_the_page_says_why_they_cannot_be_added(tmp_path: Path) -> None:
    study = draft(tmp_path)

    page, _name = looked_at(signed_in(study.owner), study, jsonl(pair("p")))

    assert "The study already has an item p. Change the id in the file." in page
    assert 'value="no"' not in page
    assert 'name="replace" value="yes"' in page


def test_of_a_rating_study_pairs_are_kept_and_not_their_incidents() -> None:
    first = answered(incidents=2, sentences=2)
    study = studies.create(
        owner=first.owner, title="Round 2", preset="czech-round-2", earlier_round=first
    )
    rounds.begin(study=study, earlier=first)
    client = signed_in(study.owner)

    _page, name = looked_at(client, study, CALIBRATION)
    context = client.get(url(study, "import_preview", name)).context

    assert (context["n_there"], context["n_incidents_there"]) == (study.items.count(), 0)
    assert study.context_groups.exists()


def test_a_best_worst_study_is_not_offered_to_keep_its_items(tmp_path: Path) -> None:
    study = make_study()
    client = signed_in(study.owner)

    _page, name = looked_at(client, study, jsonl(*map(pair, "abcd")))
    page = text(client.get(url(study, "import_preview", name)))
    start = url(study, "import_start", name)
    refused = client.post(start, {"filename": "more.jsonl", "replace": "no"}, follow=True)

    assert 'value="no"' not in page
    assert refused.status_code == 400
    assert refused.context["undecided"]
