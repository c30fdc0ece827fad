"""What is known of items and contexts can be changed after the import; every change is kept."""

import io
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from annotation.basics import clock
from annotation.basics.errors import AnnotationError, ImportProblemsError, StateError
from annotation.basics.reviewed import RESERVED
from annotation.core.queries import relabellings as queries
from annotation.items.imports import relabels
from annotation.items.imports.relabels import RequestedChange
from annotation.items.services import imports, relabellings
from annotation.kinds.rating.queries.answers import item_table
from annotation.models import Context, Item, Relabelling, Study
from annotation.models.kinds import QuestionKind
from tests.results.test_adjudicating import label, make_labelled
from tests.support.at_once import at_once
from tests.support.clock import Clock
from tests.support.factories import make_open_study, make_study, make_user
from tests.support.rated_studies import add_context, make_rated
from tests.support.rating_exports import export, rows, score

pytestmark = pytest.mark.django_db


def change(study: Study, *wanted: RequestedChange, **more: Any) -> relabellings.RelabellingResult:
    return relabellings.relabel(
        study=study, wanted=wanted, **{"reason": "a typing error", "by": study.owner, **more}
    )


def problems(study: Study, *wanted: RequestedChange) -> list[str]:
    with pytest.raises(ImportProblemsError) as error:
        change(study, *wanted)
    assert not Relabelling.objects.exists()
    return error.value.problems


def domains(study: Study) -> list[str]:
    return list(study.contexts.order_by("key").values_list("domain", flat=True))


# -- Changing -----------------------------------------------------------------------------------


def test_a_context_gets_another_domain_and_the_change_is_kept(clock: Clock) -> None:
    study = make_open_study()

    made = change(
        study, RequestedChange("d1", "domain", "holidays"), reason=" as the authors say "
    )

    assert (made.n_changed, made.n_same) == (1, 0)
    assert domains(study) == ["holidays", "repair"]
    (row,) = study.relabellings.all()
    assert (row.context, row.item) == (study.contexts.get(key="d1"), None)
    assert (row.field, row.before, row.after) == ("domain", "travel", "holidays")
    assert (row.reason, row.by, row.made_at) == ("as the authors say", study.owner, clock.time)


def test_what_is_so_already_is_counted_and_not_logged() -> None:
    study = make_open_study()

    made = change(
        study, RequestedChange("d1", "domain", "travel"), RequestedChange("d2", "domain", "travel")
    )

    assert (made.n_changed, made.n_same) == (1, 1)
    assert study.relabellings.count() == 1


def test_a_name_in_the_metadata_is_added_changed_and_removed() -> None:
    study = make_open_study()
    item = study.items.get(key="d1-1")

    for value in ("easy", "hard", None):
        change(study, RequestedChange("d1-1", "difficulty", value))

    item.refresh_from_db()
    assert item.metadata == {}
    assert list(study.relabellings.values_list("before", "after")) == [
        (None, "easy"),
        ("easy", "hard"),
        ("hard", None),
    ]


def test_an_intended_class_is_a_column_of_items() -> None:
    study = make_open_study()

    change(
        study,
        RequestedChange("d1-1", "intended_class", "3"),
        RequestedChange("d1-1", "author", "B"),
    )

    item = study.items.get(key="d1-1")
    assert (item.intended_class, item.metadata) == ("3", {"author": "B"})


def test_nothing_stays_nothing() -> None:
    study = make_open_study()

    made = change(
        study,
        RequestedChange("d1-1", "difficulty", ""),
        RequestedChange("d1-1", "intended_class", ""),
        RequestedChange("d1", "note", None),
    )

    assert (made.n_changed, made.n_same) == (0, 3)
    assert study.items.get(key="d1-1").metadata == {}


def test_a_text_may_become_empty_which_is_not_missing() -> None:
    study = make_open_study()
    study.items.filter(key="d1-1").update(metadata={"note": "x"})

    change(study, RequestedChange("d1-1", "note", ""))

    assert study.items.get(key="d1-1").metadata == {"note": ""}


@pytest.mark.parametrize(
    ("before", "written", "after"),
    [
        (2019, "2020", 2020),
        (2019, "unknown", "unknown"),
        (0.5, "0.25", 0.25),
        (True, "false", False),
        ("2019", "2020", "2020"),
        (1, "true", "true"),
        (1, "1e400", "1e400"),
        (1, "NaN", "NaN"),
        (1, "1" * 5000, "1" * 5000),
    ],
)
def test_a_value_stays_of_its_kind_so_that_it_can_be_changed_back(
    before: Any, written: str, after: Any
) -> None:
    study = make_open_study()
    study.items.filter(key="d1-1").update(metadata={"year": before})

    change(study, RequestedChange("d1-1", "year", written))
    stored = study.items.get(key="d1-1").metadata["year"]
    change(study, RequestedChange("d1-1", "year", relabellings.written(before)))

    assert (type(stored), stored) == (type(after), after)


# PostgreSQL keeps no NUL in JSON, and neither database a lone surrogate.
TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), min_size=1)


@pytest.mark.slow
@given(st.lists(TEXTS, min_size=1, max_size=5))
def test_the_log_leads_from_each_value_to_the_next(values: list[str]) -> None:
    study = make_study(dialogues=1, candidates=1)

    for value in values:
        change(study, RequestedChange("d1", "note", value))

    said = [None]
    for before, after in study.relabellings.values_list("before", "after"):
        assert before == said[-1]
        said.append(after)
    assert said[1:] == [v for n, v in enumerate(values) if n == 0 or v != values[n - 1]]
    assert study.contexts.get().metadata == {"note": values[-1]}
    study.relabellings.all().delete()


def test_all_with_a_value_are_found() -> None:
    study = make_open_study(dialogues=4)
    study.contexts.filter(key="d4").update(domain="", metadata={"year": 2019})

    found = partial(relabellings.having, study=study)

    assert found(row_kind="context", field="domain", value="travel") == ["d1", "d3"]
    assert found(row_kind="context", field="domain", value="") == ["d4"]
    assert found(row_kind="context", field="year", value="2019") == ["d4"]
    assert found(row_kind="item", field="nothing__of__this", value="x") == []


# -- What is refused ----------------------------------------------------------------------------


def test_unknown_ids_are_listed_with_their_lines_and_nothing_is_changed() -> None:
    study = make_open_study()

    said = problems(
        study,
        RequestedChange("d1", "domain", "x", line=2),
        RequestedChange("e1", "domain", "x", line=3),
        RequestedChange("e1", "source", "y", line=3),
        RequestedChange("e2", "domain", "x", line=4),
    )

    assert said == [
        "line 3: this study has no item or context e1",
        "line 4: this study has no item or context e2",
    ]
    assert domains(study) == ["travel", "repair"]


def test_an_id_of_both_has_to_be_said_whose_it_is() -> None:
    study = make_open_study()
    study.items.filter(key="d1-1").update(key="d1")

    assert problems(study, RequestedChange("d1", "note", "x", line=2)) == [
        (
            "line 2: both an item and a context are called d1; name the column of ids "
            "“item” or “context”"
        )
    ]
    change(
        study,
        RequestedChange("d1", "note", "x", "item"),
        RequestedChange("d1", "note", "y", "context"),
    )
    assert study.items.get(key="d1").metadata == {"note": "x"}
    assert study.contexts.get(key="d1").metadata == {"note": "y"}


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        (RequestedChange("d1-1", "target", "x"), "“target” cannot be relabelled"),
        (RequestedChange("d1-1", "expected", "3"), "“expected” cannot be relabelled"),
        (RequestedChange("d1", "Turns", "x"), "“Turns” cannot be relabelled"),
        (RequestedChange("d1-1", RESERVED, "x"), f"“{RESERVED}” cannot be relabelled"),
        (RequestedChange("d1", "", "x"), "Enter the field to change:"),
        (RequestedChange("d1", "n" * 201, "x"), "is 201 characters long"),
        (RequestedChange("d1", "a\x00", "x"), "contains a NUL character"),
        (RequestedChange("d1", "note", "\x00"), "note contains a NUL character"),
        (RequestedChange("d1", "note", "a" + "\u0316" * 31), "note has more than 30 accents"),
        (RequestedChange("d1", "note", "\ud800"), "note contains a lone surrogate"),
        (RequestedChange("d1", "domain", "x" * 201), "domain is 201 characters long"),
        (
            RequestedChange("d1-1", "intended_class", "x" * 41),
            "intended_class is 41 characters long",
        ),
        (RequestedChange("d1", "intended_class", "x"), "Only items have an intended class"),
        (
            RequestedChange("d1", "intended_class", "x", "context"),
            "Only items have an intended class",
        ),
        (
            RequestedChange("d1-1", "domain", "x"),
            "domain of d1-1 comes from its context: relabel d1",
        ),
        (RequestedChange("d1", "d1-1", "x", "item"), "this study has no item d1"),
        (RequestedChange("d1-1", "note", "x", "context"), "this study has no context d1-1"),
    ],
)
def test_what_cannot_be_changed_is_refused_with_the_reason(
    wanted: RequestedChange, sentence: str
) -> None:
    (said,) = problems(make_open_study(), wanted)

    assert sentence in said


def test_a_row_listed_twice_is_refused() -> None:
    said = problems(
        make_open_study(),
        RequestedChange("d1", "domain", "x", line=2),
        RequestedChange("d1", "domain", "y", line=5),
    )

    assert said == ["line 5: d1 is listed twice; remove one of the two lines"]


def test_what_is_a_list_or_an_object_is_left_alone() -> None:
    study = make_open_study()
    study.items.filter(key="d1-1").update(metadata={"raters": [1, 2]})

    (said,) = problems(study, RequestedChange("d1-1", "raters", "3"))

    assert "is a list or an object" in said


@pytest.mark.parametrize("reason", ["", " \n", "a\x00b"])
def test_there_is_no_change_without_a_reason(reason: str) -> None:
    with pytest.raises(AnnotationError, match="reason"):
        change(make_open_study(), RequestedChange("d1", "domain", "x"), reason=reason)


@pytest.mark.parametrize("kind", ["rating", "label"])
def test_what_stands_above_the_texts_is_frozen_when_people_have_seen_it(kind: str) -> None:
    rated = make_rated([{"key": "a", "metadata": {"question": "Who?", "note": "x"}}], kind=kind)

    (said,) = problems(rated.study, RequestedChange("a", "question", "Whom?"))

    assert (
        "” cannot be changed any more, because people have seen it above the texts. "
        "Create a new study to ask a different question"
    ) in said
    change(rated.study, RequestedChange("a", "note", "y"))
    assert rated.study.items.get().metadata == {"question": "Who?", "note": "y"}


def test_before_the_study_is_open_it_may_be_changed() -> None:
    rated = make_rated([{"key": "a", "metadata": {"question": "Who?"}}])
    Study.objects.filter(pk=rated.study.pk).update(state="draft")

    change(rated.study, RequestedChange("a", "question", "Whom?"))

    assert rated.study.items.get().metadata == {"question": "Whom?"}


def test_where_nobody_sees_it_a_question_is_a_label_like_any_other() -> None:
    study = make_open_study()

    assert change(study, RequestedChange("d1-1", "question", "Who?")).n_changed == 1


def test_every_kind_of_study_can_be_relabelled() -> None:
    for kind in QuestionKind.values:
        study = make_open_study()
        Study.objects.filter(pk=study.pk).update(kind=kind)

        change(study, RequestedChange("d2", "source", "spoken"))

        assert study.contexts.get(key="d2").source == "spoken"


# -- Results ------------------------------------------------------------------------------------


def test_the_domain_of_a_pair_without_context_is_its_own() -> None:
    rated = make_rated([{"key": "a", "metadata": {"domain": "sport"}}, "b"])

    change(
        rated.study,
        RequestedChange("a", "domain", "news"),
        RequestedChange("b", "domain", "sport"),
    )

    assert item_table(rated.study).domains == ["news", "sport"]


def test_the_domain_of_an_item_whose_context_says_nothing_is_its_own() -> None:
    rated = make_rated(["a"])
    turn = add_context(rated.study, "report", ["One.", "Two."])[0]
    Item.objects.filter(key="a").update(candidate_text=None, candidate_turn=turn)

    change(rated.study, RequestedChange("a", "domain", "news"))

    assert item_table(rated.study).domains == ["news"]


def test_what_a_context_says_is_changed_by_the_id_of_its_only_item() -> None:
    rated = make_rated(["a", "b", "c"])
    one, two = (add_context(rated.study, key, ["One.", "Two."])[0] for key in ("report", "shared"))
    Item.objects.filter(key="a").update(candidate_text=None, candidate_turn=one)
    Item.objects.filter(key__in=["b", "c"]).update(candidate_text=None, candidate_turn=two)
    Context.objects.filter(study=rated.study).update(domain="sport")

    made = change(
        rated.study,
        RequestedChange("a", "domain", "news"),
        RequestedChange("report", "note", "x", "context"),
    )

    assert made.n_changed == 2
    assert item_table(rated.study).domains == ["news", "sport", "sport"]
    report = Context.objects.get(key="report")
    assert (report.domain, report.metadata) == ("news", {"note": "x"})
    logged = Relabelling.objects.get(field="domain")
    assert (logged.context, logged.item, logged.before) == (report, None, "sport")
    # What is another item's as well is not changed by the id of one.
    (said,) = _refused(rated.study, RequestedChange("b", "domain", "x"))
    assert "relabel shared instead" in said
    twice = relabellings.compare(
        study=rated.study,
        wanted=[
            RequestedChange("report", "domain", "x", line=2),
            RequestedChange("a", "domain", "y", line=3),
        ],
    )
    assert [str(one) for one in twice.problems.sentences] == [
        "line 3: report is listed twice; remove one of the two lines"
    ]


def _refused(study: Study, wanted: RequestedChange) -> list[str]:
    found = relabellings.compare(study=study, wanted=[wanted])
    return [str(said) for said in found.problems.sentences]


@pytest.mark.slow
def test_a_result_by_domain_is_outdated_until_it_is_scored_again() -> None:
    rated = make_rated([{"key": key, "metadata": {"domain": key}} for key in "abcd"])
    for _person in range(3):
        rated.answer({"a": 1, "b": 2, "c": 3, "d": 4}, {"a": 1, "b": 2, "c": 3, "d": 4})
    score(rated.study)

    def is_current() -> bool:
        current: bool = json.loads(export(rated.study)["study.json"])["result"]["is_current"]
        return current

    assert is_current()
    change(rated.study, RequestedChange("a", "note", "of no figure"))
    assert is_current()
    change(rated.study, RequestedChange("a", "domain", "b"))
    assert not is_current()
    by = score(rated.study)["phases"][0]["by"]["domain"]["classes"]
    assert is_current()
    assert sorted(by) == ["b", "c", "d"]


def test_results_of_labels_are_outdated_in_the_same_way() -> None:
    rated = make_labelled()
    label(rated, {"a": ["same"], "b": ["other"]})
    score(rated.study)
    outdated = queries.is_relabelled_since

    change(rated.study, RequestedChange("a", "domain", "news"))

    assert outdated(rated.study.results.latest("pk"))
    score(rated.study)
    assert not outdated(rated.study.results.latest("pk"))


def test_the_log_is_in_the_files_in_the_order_of_the_changes() -> None:
    rated = make_rated([{"key": "a", "metadata": {"year": 2019}}])
    add_context(rated.study, "report", ["One."], domain="news")
    ada = make_user("ada")
    change(rated.study, RequestedChange("report", "domain", "sport"), by=ada)
    change(
        rated.study,
        RequestedChange("a", "year", "2020"),
        RequestedChange("a", "author", "B\tC"),
        by=ada,
    )

    found = rows(export(rated.study)["relabelled.tsv"])

    names = ("of", "id", "field", "before", "after", "reason", "by")
    assert [[row[name] for name in names] for row in found] == [
        ["context", "report", "domain", '"news"', '"sport"', "a typing error", "researcher 1"],
        ["item", "a", "year", "2019", "2020", "a typing error", "researcher 1"],
        ["item", "a", "author", "", '"B\\tC"', "a typing error", "researcher 1"],
    ]


def test_a_new_import_into_a_draft_begins_a_new_log() -> None:
    study = make_study()
    change(study, RequestedChange("d1", "domain", "x"))

    imports.import_items(
        study=study, path=io.BytesIO(b"id\ttarget\tcandidate\n" + _PAIRS), filename="pairs.tsv"
    )

    assert not study.relabellings.exists()


_PAIRS = b"".join(b"p%d\tA %d.\tB.\n" % (n, n) for n in range(12))


# -- Files --------------------------------------------------------------------------------------


def read(content: str | bytes) -> list[RequestedChange]:
    file = io.BytesIO(content.encode() if isinstance(content, str) else content)
    return relabels.read(file, limit_bytes=10_000)


def test_a_table_says_a_value_for_each_id_and_column() -> None:
    assert read("ID\tdomain\tyear\nd1\ttravel\t2019\n\nd2\t\t2020\n") == [
        RequestedChange("d1", "domain", "travel", "", 2),
        RequestedChange("d1", "year", "2019", "", 2),
        RequestedChange("d2", "domain", "", "", 4),
        RequestedChange("d2", "year", "2020", "", 4),
    ]
    assert read("context,domain\nd1,x\n") == [RequestedChange("d1", "domain", "x", "context", 2)]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "the file is empty"),
        ("id\tdomain\n", "the file has a header but no other lines"),
        ("key\tdomain\nd1\tx\n", "line 1: the header needs one id column"),
        ("id\titem\tdomain\nd1\td1\tx\n", "line 1: the header needs one id column"),
        ("id\nd1\n", "line 1: the header names no column to change"),
        ("id\tdomain\tdomain\nd1\tx\ty\n", "line 1: the column 'domain' occurs twice"),
        ("id\t\nd1\tx\n", "line 1: column 2 has no name"),
        ("id\tdomain\nd1\n", "line 2: 1 column, but the header has 2"),
        ("id\tdomain\n\tx\n", "line 2: id is empty"),
        ('id\tdomain\nd1\t"x\n', "line 2: a quotation mark that opens here is never closed"),
        (b"id\tdomain\nd1\t\xff\n", "line 2: not UTF-8"),
        ("id\tdomain\n" + "d\tx\n" * 5000, "and the limit is 0.00954 MiB; split it"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_by_line(
    content: str | bytes, sentence: str
) -> None:
    with pytest.raises(ImportProblemsError, match=r"\S") as error:
        read(content)

    assert sentence in error.value.problems[0]


# -- The command --------------------------------------------------------------------------------


def test_the_command_relabels_by_a_file(tmp_path: Path, capsys: Any) -> None:
    study = make_open_study()
    path = tmp_path / "domains.tsv"
    path.write_text("id\tdomain\nd1\tholidays\nd2\trepair\n", encoding="utf-8")
    by = ["--by", study.owner.username]

    call_command("relabel", study.slug, str(path), "--reason", "as agreed", *by)

    assert domains(study) == ["holidays", "repair"]
    assert "1 value changed; already correct: 1" in capsys.readouterr().out
    assert study.relabellings.get().reason == "as agreed"


def test_the_command_can_look_first(tmp_path: Path, capsys: Any) -> None:
    study = make_open_study()
    path = tmp_path / "domains.tsv"
    path.write_text("id\tdomain\nd1\tholidays\n", encoding="utf-8")

    call_command("relabel", study.slug, str(path), "--dry-run")

    assert "d1: domain: travel -> holidays" in capsys.readouterr().out
    assert domains(study) == ["travel", "repair"]


def test_the_command_says_what_is_wrong(tmp_path: Path) -> None:
    study = make_open_study()
    path = tmp_path / "domains.tsv"
    path.write_text("id\tdomain\nd9\tx\n", encoding="utf-8")
    by = ["--by", study.owner.username]

    with pytest.raises(CommandError, match="line 2: this study has no item or context d9"):
        call_command("relabel", study.slug, str(path), "--reason", "why", *by)
    with pytest.raises(CommandError, match="--reason"):
        call_command("relabel", study.slug, str(path), *by)
    with pytest.raises(CommandError, match="no study 'nowhere'"):
        call_command("relabel", "nowhere", str(path), "--reason", "why", *by)
    with pytest.raises(CommandError, match="no such file"):
        call_command("relabel", study.slug, f"{path}x", "--reason", "why", *by)
    with pytest.raises(CommandError, match="no user 'nobody'"):
        call_command("relabel", study.slug, str(path), "--reason", "why", "--by", "nobody")


# -- Two at once --------------------------------------------------------------------------------


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_two_at_once_lose_nothing_of_each_other() -> None:
    study = make_open_study()
    changes = [RequestedChange("d1", f"name{n}", f"name{n}") for n in range(4)]

    at_once([partial(change, study, one) for one in changes])

    assert Context.objects.get(key="d1").metadata == {f"name{n}": f"name{n}" for n in range(4)}
    assert Relabelling.objects.count() == 4


def test_a_file_does_not_say_a_value_twice_nor_more_than_can_be_changed_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def said(table: str) -> list[str]:
        with pytest.raises(ImportProblemsError) as error:
            relabels.read(io.BytesIO(table.encode()), limit_bytes=10_000)
        return error.value.problems

    assert said("id\tdomain\nd1\ta\nd1\tb\n") == [
        "line 3: 'd1' is listed twice; remove one of the two lines"
    ]
    monkeypatch.setattr(relabels, "MAX_RELABELLED_VALUES", 2)
    assert said("id\tdomain\na\tx\nb\tx\nc\tx\nd\tx\n") == [
        "line 4: the file has more than 2 values; split it"
    ]


def test_a_number_too_large_for_a_column_stays_a_text() -> None:
    study = make_study()
    item = study.items.first()
    assert item is not None
    Item.objects.filter(pk=item.pk).update(metadata={"year": 1})

    change(study, RequestedChange(item.key, "year", "1" + "0" * 400))

    item.refresh_from_db()
    assert item.metadata == {"year": "1" + "0" * 400}


def _meanwhile(monkeypatch: pytest.MonkeyPatch, work: Callable[[], object]) -> None:
    """Somebody else is quicker: between the look at what is there and the writing."""
    lock = relabellings.lock_study

    def lock_too_late(pk: int) -> Study:
        work()
        return lock(pk)

    monkeypatch.setattr(relabellings, "lock_study", lock_too_late)


def test_the_log_says_what_stood_there_when_it_was_written_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = make_open_study()
    theirs = Context.objects.filter(study=study, key="d1")
    _meanwhile(monkeypatch, lambda: theirs.update(domain="theirs", metadata={"by": "them"}))

    change(study, RequestedChange("d1", "domain", "mine"))

    (log,) = Relabelling.objects.all()
    assert (log.before, log.after) == ("theirs", "mine")
    assert theirs.get().metadata == {"by": "them"}


def test_what_was_looked_at_before_the_opening_is_looked_at_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = make_study()
    opened = {"state": "open", "opened_at": clock.now()}
    _meanwhile(monkeypatch, lambda: Study.objects.filter(pk=study.pk).update(**opened))

    with pytest.raises(StateError, match="The study has been opened in the meantime"):
        change(study, RequestedChange("d1", "domain", "mine"))

    assert not Relabelling.objects.exists()
