"""Very many finished answers: neither a page nor the import holds or reads them all."""

import random
import tracemalloc
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from annotation.answering.services import withdrawal
from annotation.core.queries import counted_answers, progress
from annotation.core.services import imported_totals
from annotation.items.services.imported_judgments import import_judgments, known_items
from annotation.kinds.best_worst.queries import plans
from annotation.kinds.services.design_rows import add_places
from annotation.models import (
    Annotator,
    Assignment,
    Booklet,
    Exclusion,
    ImportedTotals,
    Item,
    Judgment,
    Place,
    Question,
    Study,
)
from annotation.models.kinds import Source
from annotation.people.services import exclusions
from annotation.studies.queries import overview
from tests.support.annotating import watched
from tests.support.factories import make_study, make_user
from tests.support.finished_files import MAKE, TURK, imported
from tests.support.researcher_pages import signed_in, url

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

N_ITEMS = 60
# An object of a model alone has more than a thousand.
MAX_BYTES_PER_ANSWER = 600


def write(path: Path, *, n_tuples: int, n_people: int) -> Path:
    """Everybody answers every tuple, in an order of their own."""
    rng = random.Random(3)
    tuples = rng.sample(list(combinations(range(N_ITEMS), 3)), n_tuples)
    with path.open("w") as file:
        file.write("Annotator,Item1,Item2,Item3,BestItem,WorstItem\n")
        for person in range(n_people):
            for items in tuples:
                a, b, c = rng.sample(items, 3)
                file.write(f"p{person},i{a},i{b},i{c},i{b},i{a}\n")
    return path


def large_study(folder: Path, *, n_people: int, n_tuples: int = 40) -> Study:
    study = make_study(dialogues=0)
    path = write(folder / f"{n_people}.csv", n_tuples=n_tuples, n_people=n_people)
    import_judgments(study=study, path=path)
    study.refresh_from_db()
    return study


def from_rows(study: Study, look: Callable[[], Any]) -> Any:
    """The same figures where nothing was counted when the answers were stored."""
    kept = ImportedTotals.objects.get(design=study.design)
    kept.delete()
    seen = look()
    kept.save(force_insert=True)
    return seen


def figures(study: Study) -> dict[str, Any]:
    user = study.owner
    (card,) = [one for one in overview.studies(user, page="1").object_list if one.study == study]
    return {
        "basis": [counted_answers.basis(study, of) for of in counted_answers.POPULATIONS],
        "progress": progress.progress(study),
        "places": {source: of for source, of in progress.places(study).items() if of.total},
        "card": card,
    }


# -- Pages --------------------------------------------------------------------------------------


def steps(request: Callable[[], object]) -> int:
    """What SQLite does for it, in thousands of its own instructions."""
    n = 0

    def count() -> int:
        nonlocal n
        n += 1
        return 0

    connection.ensure_connection()
    connection.connection.set_progress_handler(count, 1000)
    try:
        request()
    finally:
        connection.connection.set_progress_handler(None, 0)
    return n


def work(request: Callable[[], object]) -> int:
    """On SQLite what the database does; elsewhere how many queries it is asked."""
    with watched() as queries:
        done = steps(request) if connection.vendor == "sqlite" else 0
        if connection.vendor != "sqlite":
            request()
    return done + len(queries.captured_queries)


@pytest.mark.parametrize("page", ["studies", "change", "results"])
def test_a_page_costs_the_same_with_ten_times_the_answers(tmp_path: Path, page: str) -> None:
    costs = []
    for n_people in (10, 100):
        study = large_study(tmp_path, n_people=n_people)
        client = signed_in(study.owner)
        address = reverse("admin:index") if page == "studies" else url(study, page)
        assert client.get(address).status_code == 200
        costs.append(work(lambda to=address, by=client: by.get(to)))  # type: ignore[misc]

    small, large = costs
    assert large <= 1.3 * small


def test_the_start_page_asks_no_more_for_more_imported_studies(tmp_path: Path) -> None:
    study = large_study(tmp_path, n_people=3)
    one = len(_queries_of_index(signed_in(study.owner)))
    for _study in range(3):
        Study.objects.filter(pk=large_study(tmp_path, n_people=3).pk).update(owner=study.owner)

    assert len(_queries_of_index(signed_in(study.owner))) == one


def _queries_of_index(client: Client) -> list[Any]:
    with watched() as queries:
        client.get(reverse("admin:index"))
    return list(queries.captured_queries)


# -- Figures ------------------------------------------------------------------------------------


def timed_study(folder: Path) -> Study:
    """Of a file that says when and how long; its times are of several lengths."""
    rng = random.Random(5)
    path = folder / "batch.csv"
    with path.open("w", newline="") as file:
        file.write(TURK)
        for n in range(48):
            items = [f"i{item}" for item in rng.sample(range(8), 3)]
            shown = ",".join(items)
            file.write(
                f"h{n},a{n},w{n % 8},Approved,Mon Nov {n % 20 + 2:02d} 08:{n % 60:02d}:00 PST"
                f" 2026,{rng.randrange(3, 90)},{shown},{items[0]},{items[1]},\r\n"
            )
    make_user("researcher")
    imported(path, "timed", "mturk", *MAKE)
    return Study.objects.get(slug="timed")


@pytest.mark.parametrize("is_timed", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_figures_are_those_of_the_rows_whatever_happens(
    tmp_path: Path, seed: int, is_timed: bool
) -> None:
    study = timed_study(tmp_path) if is_timed else large_study(tmp_path, n_people=8, n_tuples=6)
    user = make_user()
    rng = random.Random(seed)
    assert figures(study) == from_rows(study, lambda: figures(study))

    for step in rng.sample(["withdraw", "exclude", "include", "cut off"] * 2, k=8):
        annotators = list(study.annotators.filter(withdrawn_at=None).order_by("pk"))
        # The last to answer is the one whose going changes the last answer.
        chosen = rng.choice([*annotators, annotators[-1]])
        match step:
            case "withdraw":
                withdrawal.withdraw(annotator=chosen)
            case "exclude":
                exclusions.exclude_all(annotators=[chosen], reason="in a hurry", by=user)
            case "include":
                exclusions.include_all(annotators=annotators[::2], reason="in order", by=user)
            case _:
                booklet = rng.choice(list(chosen.assignments.order_by("pk")))
                if not booklet.exclusions.in_force().exists():
                    Exclusion.objects.create(assignment=booklet, reason="cut off", by=user)
        assert figures(study) == from_rows(study, lambda: figures(study))


def test_no_answer_is_left_where_everybody_withdrew(tmp_path: Path) -> None:
    study = large_study(tmp_path, n_people=3, n_tuples=4)
    for annotator in study.annotators.all():
        withdrawal.withdraw(annotator=annotator)

    assert counted_answers.basis(study, "people") == counted_answers.NO_ANSWERS
    assert figures(study) == from_rows(study, lambda: figures(study))


def test_once_others_have_places_everything_is_counted_from_the_rows(tmp_path: Path) -> None:
    study = large_study(tmp_path, n_people=3, n_tuples=4)
    # As one that was opened again before imported studies had a state of their own.
    Study.objects.filter(pk=study.pk).update(state="closed", opened_at=study.closed_at)
    add_places(booklets=study.design.booklets.all(), source=Source.SIMULATED, up_to=2)

    assert progress.places(study)[Source.SIMULATED].total == 8
    assert figures(study) == from_rows(study, lambda: figures(study))


def test_items_without_a_tuple_are_counted(tmp_path: Path) -> None:
    study = make_study(dialogues=2, candidates=4)
    path = tmp_path / "x.csv"
    path.write_text("Item1,Item2,BestItem,WorstItem\nd1-1,d1-2,d1-1,d1-2\n")
    import_judgments(study=study, path=path)
    design = study.design
    design.certificate = {"appearances_min": 0}

    assert any("6" in warning for warning in plans.warnings(design))


# -- The import ---------------------------------------------------------------------------------


def peak_of(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_an_import_holds_few_bytes_of_each_answer(tmp_path: Path) -> None:
    """Each answer is to a tuple of its own, which is the most that there can be of it."""
    peaks = []
    for n_answers in (200, 2_000, 8_000):
        study = make_study(dialogues=0)
        path = write(tmp_path / f"{n_answers}.csv", n_tuples=n_answers, n_people=1)
        peaks.append(peak_of(lambda s=study, p=path: import_judgments(study=s, path=p)))  # type: ignore[misc]

    # The first one loads modules, too.
    _first, small, large = peaks
    assert large - small < MAX_BYTES_PER_ANSWER * (8_000 - 2_000)


def test_known_items_are_read_in_one_query(django_assert_num_queries: Any) -> None:
    study = make_study(dialogues=2, candidates=3)

    with django_assert_num_queries(1):
        known = known_items(study)

    assert [item.text for _pk, item in known] == [
        item.candidate for item in Item.objects.filter(study=study).order_by("number")
    ]


def test_nothing_is_stored_when_it_fails_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = make_study(dialogues=0)
    path = write(tmp_path / "x.csv", n_tuples=5, n_people=3)

    def fail(design: object) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as patched:
        patched.setattr(imported_totals, "of", fail)
        with pytest.raises(OSError, match="disk full"):
            import_judgments(study=study, path=path)

    for model in (Item, Annotator, Assignment, Place, Booklet, Question, Judgment):
        assert not model._default_manager.exists()
    study.refresh_from_db()
    assert study.is_draft
    # Keys that were given to nobody do not stand in the way.
    assert import_judgments(study=study, path=path).n_judgments == 15
