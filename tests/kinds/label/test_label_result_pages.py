"""The results of a label study as its pages and its figures show them."""

import csv
import html
import io
import re
from xml.etree import ElementTree

import pytest
from django.test import Client

from annotation.basics import clock
from annotation.kinds.label.queries import figures
from annotation.kinds.label.services import scoring as label_scoring
from annotation.kinds.registry import KINDS
from annotation.models import Item, Relabelling, Study
from annotation.models.kinds import Source
from shell.messages import Message
from tests.support.labelled import (
    NAMES,
    SEVERAL,
    adjudicate,
    label_all,
    make_label_study,
    said_of,
    score,
)
from tests.support.once import made_once
from tests.support.rating import TWICE
from tests.support.researcher_pages import in_one_line, signed_in, text, unlabelled, url

pytestmark = pytest.mark.django_db

KEYS = [f"p{n}" for n in range(1, 7)]
ANSWERS = ["ssrsoo", "ssrroo", "ssooor"]
IN_CONTEXT = ["srrsoo", "srrsoo", "srrsor"]


@made_once
def study() -> Study:
    study = make_label_study(domains=("news", "sport"), phases=TWICE)
    label_all(
        study,
        *(
            [said_of(KEYS, free), said_of(KEYS, dependent)]
            for free, dependent in zip(ANSWERS, IN_CONTEXT, strict=True)
        ),
    )
    return study


@pytest.fixture
def client(study: Study) -> Client:
    return signed_in(study.owner)


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def items_of(page: str) -> list[str]:
    """Ids in the order of the table, each once."""
    keys = re.findall(r'<bdi class="unbroken">([^<]+)</bdi>', page)
    return list(dict.fromkeys(keys))


def test_before_anybody_answered_the_pages_say_so() -> None:
    draft = make_label_study(open_it=False)
    Study.objects.update(categories={})
    client = signed_in(draft.owner)

    results, items = (text(client.get(url(draft, name))) for name in ("results", "result_items"))

    assert "Answers count once somebody has completed a phase." in results
    assert "No labels yet" in items


def test_the_button_starts_to_score(client: Client, study: Study) -> None:
    client.post(url(study, "score"))

    job = study.jobs.get()
    assert (job.kind, job.parameters) == ("score", {"population": "people"})


def test_the_page_has_the_figures_with_their_sources(client: Client, study: Study) -> None:
    score(study)

    page = words(text(client.get(url(study, "results"))))

    assert "Answers: 18; items with answers: 6; people: 3." in page
    assert "5 of 6 items have a label; for 5 of these, more than half" in page
    assert "1 item has no label: p4." in page
    assert "Krippendorff&#x27;s alpha of labels" in page
    assert "Fleiss, J. L. (1971)" in page


def test_the_change_with_context_is_a_table_with_its_tests(client: Client, study: Study) -> None:
    score(study)

    page = text(client.get(url(study, "results")))

    sentences = words(page)
    # p2 becomes related; p4 had no label without context.
    assert "Items with a changed label 20.0 % 1 of 5." in sentences
    assert "Chi-square 1.00, degrees of freedom: 1." in sentences
    assert "so this table is not tested" in sentences
    assert "same 7 38.9 % 2 6 33.3 % 2" in sentences


def test_with_one_phase_nothing_is_said_of_context() -> None:
    study = make_label_study(pairs=1)
    label_all(study, [{"p1": "same"}])
    score(study)

    page = words(text(signed_in(study.owner).get(url(study, "results"))))

    assert "context change" not in page
    assert "Categories in each phase" not in page
    assert "Not computed: no item has two answers." in page


def test_answers_that_came_since_are_told() -> None:
    study = make_label_study(pairs=2)
    label_all(study, [said_of(KEYS[:2], "so")])
    score(study)
    client = signed_in(study.owner)
    assert "Outdated." not in text(client.get(url(study, "results")))

    label_all(study, [said_of(KEYS[:2], "sr")])

    assert "2 answers have come in since." in text(client.get(url(study, "results")))


@pytest.mark.slow
def test_simulated_answers_are_shown_apart() -> None:
    study = make_label_study(pairs=2)
    label_all(study, [said_of(KEYS[:2], "so")])
    label_all(study, [said_of(KEYS[:2], "rr")], source=Source.SIMULATED)
    for population in ("people", "simulated"):
        score(study, population)
    client = signed_in(study.owner)

    page = unlabelled(client.get(url(study, "result_items"), {"population": "simulated"}))

    assert "SIMULATED" in page
    assert '<td dir="auto">related</td>' in page
    assert '<td dir="auto">same</td>' not in page
    assert '<td dir="auto">same</td>' in unlabelled(client.get(url(study, "result_items")))


def test_what_needs_a_decision_comes_first(client: Client, study: Study) -> None:
    address = url(study, "result_items")

    assert items_of(text(client.get(address)))[0] == "p4"
    assert items_of(text(client.get(address, {"sort": "number"}))) == KEYS


@pytest.mark.parametrize(
    ("show", "expected"),
    [
        ("all", set(KEYS)),
        ("undecided", {"p4"}),
        ("no-majority", {"p4"}),
        ("tied", {"p4"}),
        ("adjudicated", {"p1"}),
        ("nonsense", set(KEYS)),
    ],
)
def test_items_are_filtered(client: Client, study: Study, show: str, expected: set[str]) -> None:
    adjudicate(study, "p1", "other")

    page = text(client.get(url(study, "result_items"), {"show": show}))

    assert set(items_of(page)) == expected


def test_a_filter_shows_only_the_phases_that_it_is_about(client: Client, study: Study) -> None:
    adjudicate(study, "p1", "other")

    page = in_one_line(text(client.get(url(study, "result_items"), {"show": "adjudicated"})))

    assert re.findall(r"Adjudicate (\w+), phase (\d)", page) == [("p1", "1")]


def test_a_label_without_a_majority_is_told_from_none() -> None:
    study = make_label_study(
        pairs=2,
        ratings_per_item=5,
        categories={"names": ["same", "related", "other", "unclear"], "several": False},
    )
    names = (*NAMES, "unclear")
    label_all(
        study,
        *[[said_of(KEYS[:2], codes, names)] for codes in ("ss", "ss", "rr", "ro", "ou")],
    )
    client = signed_in(study.owner)

    tied, none = (
        items_of(text(client.get(url(study, "result_items"), {"show": show})))
        for show in ("undecided", "no-majority")
    )

    # Of p1 two say same and two related; of p2 two of five say same, and all others differ.
    assert (tied, none) == (["p1"], ["p1", "p2"])


def test_an_experts_label_is_marked_and_counts_stay(client: Client, study: Study) -> None:
    adjudicate(study, "p4", "other")

    page = words(text(client.get(url(study, "result_items"), {"show": "adjudicated"})))

    assert "p4 1 other adjudicated 3 33.3 % 1 1 1" in page
    assert "Without a label (0)" in page


def test_from_an_item_leads_a_way_to_decide_on_it(client: Client, study: Study) -> None:
    page = in_one_line(text(client.get(url(study, "result_items"))))
    links = re.findall(r'href="([^"]+)" aria-label="Adjudicate p4, phase (\d)"', page)
    assert [phase for _address, phase in links] == ["1", "2"]
    tied = client.get(html.unescape(links[0][0]))

    assert tied.status_code == 200
    assert "p4" in text(tied)
    simulated = text(client.get(url(study, "result_items"), {"population": "simulated"}))
    assert "Adjudicate" not in simulated


def test_single_texts_have_one_column_for_them() -> None:
    study = make_label_study(pairs=2)
    Item.objects.update(target_turn=None, candidate_turn=None, candidate_text="a word")
    label_all(study, [said_of(KEYS[:2], "so")])

    page = words(text(signed_in(study.owner).get(url(study, "result_items"))))

    assert "second text" not in page
    assert "a word" in page


def test_the_page_counts_what_experts_decided(client: Client, study: Study) -> None:
    score(study)
    adjudicate(study, "p4", "other")

    page = text(client.get(url(study, "results")))

    assert "1 item has been adjudicated" in page


def test_a_domain_that_was_relabelled_since_outdates_the_result(
    client: Client, study: Study
) -> None:
    score(study)
    for context in study.contexts.filter(domain="news"):
        Relabelling.objects.create(
            study=study,
            context=context,
            field="domain",
            before="news",
            after="politics",
            reason="renamed",
            by=study.owner,
            made_at=clock.now(),
        )

    outdated = text(client.get(url(study, "results")))
    score(study)

    assert "Outdated." in outdated
    assert "Outdated." not in text(client.get(url(study, "results")))


def test_every_figure_can_be_had_as_a_file(client: Client, study: Study) -> None:
    result = score(study)
    names = [plot.key for plot in KINDS["label"].results.plots(result)]
    assert names == [
        "categories-1",
        "categories-1-by-domain",
        "categories-2",
        "categories-2-by-domain",
    ]

    for name in names:
        svg = client.get(url(study, "plot", name, "svg"))
        assert ElementTree.fromstring(svg.content).tag.endswith("svg")
    data = client.get(url(study, "plot", "categories-1", "tsv")).content.decode()

    rows = list(csv.reader(io.StringIO(data), delimiter="\t"))
    assert rows[0][:2] == ["category", "answers"]
    assert [row[:2] for row in rows[1:]] == [["same", "7"], ["related", "4"], ["other", "7"]]
    assert float(rows[1][2]) == 7 / 18


def test_the_people_page_says_how_far_each_agrees(client: Client, study: Study) -> None:
    score(study)

    page = words(text(client.get(url(study, "people"))))

    assert "how often a person chose the category that most others chose" in page
    assert re.search(r"\d\d\.\d %", page)


def test_intervals_of_categories_say_what_they_are_over_or_why_there_is_none() -> None:
    study = make_label_study(pairs=24)
    keys = [f"p{n}" for n in range(1, 25)]
    label_all(
        study,
        [said_of(keys, "ssro" * 6)],
        [said_of(keys, "srro" * 6)],
        [said_of(keys, "sroo" * 6)],
    )
    result = score(study)
    (phase,) = result.statistics["phases"]
    of_categories = [category["interval"] for category in phase["summary"]["categories"]]

    shown = figures.phases_shown(result)[0].tables[0]

    assert all(interval["over"] == "items" for interval in of_categories)
    (named, about), *_none = [(name, text) for name, text, _missing in shown.remarks[1:]]
    assert named.split("; ") == study.categories["names"]
    assert about == of_categories[0]["note"]
    few = make_label_study(pairs=4)
    label_all(few, [said_of(KEYS[:4], "srso")], [said_of(KEYS[:4], "rsos")])
    table = figures.phases_shown(score(few))[0].tables[0]
    assert any("No interval: " in text for _name, text, _missing in table.remarks)


def test_several_categories_say_so_on_the_page() -> None:
    study = make_label_study(pairs=2, categories=SEVERAL)
    label_all(
        study, [{"p1": "same|related", "p2": "other"}], [{"p1": "same", "p2": "other|related"}]
    )
    score(study)

    page = words(text(signed_in(study.owner).get(url(study, "results"))))

    assert "alpha, MASI distance" in page
    assert "Categories chosen together, phase 1" in page
    assert "shares can add up to more than one" in page


def test_of_several_categories_nothing_with_a_label_is_tied() -> None:
    study = make_label_study(pairs=2, categories=SEVERAL)
    # Of p1 both sets are as frequent, and both name one category; of p2 they share none.
    label_all(study, [{"p1": "same|related", "p2": "other"}], [{"p1": "same", "p2": "related"}])
    client = signed_in(study.owner)

    tied = in_one_line(text(client.get(url(study, "result_items"), {"show": "tied"})))
    listed = words(text(client.get(url(study, "adjudications"))))

    assert items_of(tied) == ["p2"]
    assert "Tied (1)" in tied
    assert "tied" in tied
    # Each category of the majority has its own share, not that of one of the sets.
    assert "same (100.0 %)" in listed
    assert "50.0 %" not in listed


def test_a_stranger_finds_nothing(study: Study) -> None:
    stranger = signed_in()

    for name in ("results", "result_items"):
        assert stranger.get(url(study, name)).status_code == 404


@pytest.mark.slow
def test_every_sentence_of_the_statistics_is_a_message(study: Study, monkeypatch) -> None:
    several = make_label_study(pairs=1, categories=SEVERAL, phases=TWICE)
    nobody = make_label_study(pairs=1, phases=TWICE)
    alone = make_label_study(pairs=2, phases=TWICE)
    label_all(alone, [said_of(KEYS[:2], "so")] * 2)
    equal = make_label_study(pairs=2, n_repeats=1, repeat_distance=1)
    label_all(equal, *[[said_of(KEYS[:2], "ss")]] * 2)
    uneven = make_label_study(pairs=3, items_per_booklet=2, ratings_per_item=2)
    label_all(uneven, *[[said_of(KEYS[:3], "sro")]] * 2)
    pairs = make_label_study(pairs=4, phases=TWICE, ratings_per_item=1)
    label_all(pairs, [said_of(KEYS[:4], "srso"), said_of(KEYS[:4], "rsos")])

    results = [score(scored) for scored in (study, several, nobody, alone, equal, uneven, pairs)]
    monkeypatch.setattr(label_scoring, "MAX_GROUPS", 1)
    results.append(score(study))
    for result in results:
        result.refresh_from_db()
    sentences = [text for result in results for text in _sentences(result.statistics)]

    assert len(set(sentences)) > 20
    assert {text for text in sentences if not isinstance(text, Message)} == set()


def _sentences(value: object, key: str = "") -> list[str]:
    if isinstance(value, dict):
        return [
            sentence
            for k, v in value.items()
            if k != "definitions"
            for sentence in _sentences(v, str(k))
        ]
    if isinstance(value, list):
        return [sentence for part in value for sentence in _sentences(part, key)]
    is_sentence = key in {"definition", "reason", "interval_reason", "kappa_reason"}
    return [value] if is_sentence and isinstance(value, str) else []
