"""Pairs with their contexts and incidents, on the pages before and after they are imported."""

import html
import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.core.services import jobs
from annotation.models import Job, Study
from annotation.models.kinds import QuestionKind
from tests.support.factories import make_study
from tests.support.item_files import empty_study, jsonl, read
from tests.support.researcher_pages import signed_in, text, unlabelled, url

pytestmark = pytest.mark.django_db

REPORT = [f"Sentence {n} of <b>it</b>." for n in range(1, 9)]
PAIRS = [
    {"id": "c1", "target": "Alone.", "candidate": "Also alone.", "expected": 6},
    {
        "id": "p1",
        "target": {"context": "r1", "sentences": REPORT, "position": 4},
        "candidate": {"text": "Hm. <sent>The mill burned.</sent>"},
        "group": "g1",
        "earlier_rating": 2.5,
        "intended_class": "similar",
    },
    {"id": "p2", "target": {"context": "r1", "position": 8}, "candidate": "Y.", "group": "g2"},
]
# Of p1, of whose report the fourth sentence is rated, and of p2, where it is the last.
TURNS_AROUND = ["1 earlier turn", "2 later turns", "5 earlier turns"]
INCIDENTS = [
    {
        "id": f"i{n}",
        "summary": ["It burned.", "All <i>is</i> well."],
        "reports": [{"id": f"i{n}r1", "sentences": REPORT}],
    }
    for n in (1, 2)
]


def upload(client: Client, study: Study, content: str, name: str = "pairs.jsonl") -> str:
    """The address of the preview."""
    file = SimpleUploadedFile(name, content.encode())
    return client.post(url(study, "upload"), {"file": file})["Location"]


def start(client: Client, study: Study, there: str, **data: str) -> None:
    name = there.split("/preview/")[1].split("/", maxsplit=1)[0]
    client.post(url(study, "import_start", name), {"filename": "pairs.jsonl", **data})
    jobs.run(Job.objects.latest("pk").pk)


def one_space(page: str) -> str:
    return " ".join(page.split())


def test_a_preview_shows_pairs_in_their_contexts_and_what_is_known_of_them() -> None:
    study = empty_study()
    study.rating_question = "How alike are they?"
    study.save()
    client = signed_in(study.owner)

    page = one_space(text(client.get(upload(client, study, jsonl(*PAIRS)))))

    assert "3 pairs of target and candidate with 2 contexts in 2 groups." in page
    assert "How alike are they?" in page
    rated = page.index('class="is-target"')
    assert page.index("Sentence 4 of &lt;b&gt;it&lt;/b&gt;.", rated) < page.index(
        "Sentence 5", rated
    )
    assert "Sentence 1 of" not in page
    assert re.findall(r"\d (?:earlier|later) turns?", page) == TURNS_AROUND
    assert "Expected answer: 6." in page
    assert "Group: <bdi>g1</bdi>. Earlier rating: 2.5. Intended class: <bdi>similar</bdi>." in page
    assert page.count('class="is-target"') == 3


def test_a_preview_of_a_best_worst_study_shows_the_texts_alone_as_its_questions_do() -> None:
    study = empty_study(QuestionKind.BEST_WORST)
    client = signed_in(study.owner)
    pairs = [{**pair, "group": ""} for pair in PAIRS]

    page = one_space(text(client.get(upload(client, study, jsonl(*pairs)))))

    assert "Sentence 4 of" in page
    assert "Sentence 5 of" not in page
    assert "The contexts are stored, but best-worst questions show the texts without them" in page
    assert study.most_question in page


def test_the_items_are_listed_with_the_turns_around_them() -> None:
    study = empty_study()
    client = signed_in(study.owner)
    start(client, study, upload(client, study, jsonl(*PAIRS)))

    page = one_space(unlabelled(client.get(url(study, "items"))))

    assert "3 items, 2 contexts" in page
    for heading in ("Group", "Expected answer", "Earlier rating", "Intended class"):
        assert f'<th scope="col">{heading}</th>' in page
    assert '<td dir="auto">g1</td>' in page
    assert "<td>6</td>" in page
    assert "<td>2.5</td>" in page
    assert re.findall(r"\d (?:earlier|later) turns?", page) == TURNS_AROUND
    assert "Sentence 1 of" not in page
    assert page.count('class="is-target"') == 3


def test_the_list_shows_a_dialogue_once_with_its_first_candidate() -> None:
    study = make_study()

    response = signed_in(study.owner).get(url(study, "items"))

    turns = [[turn.text for turn in item.target.turns] for item in response.context["items"]]
    assert len(turns) == 10
    assert turns[0] == [f"Turn {n} of dialogue 1." for n in (1, 2, 3)]
    assert turns[5] == [f"Turn {n} of dialogue 2." for n in (3, 4, 5)]
    assert not any(turns[1:5] + turns[6:])


ANSWERS = (
    "id;question;target;candidate;domain;source;year\n"
    "1;Why <b>now</b>?;Because.;So what.;news;paper A;2024\n"
    "2;;Yes.;No.;;;\n"
)


def test_question_domain_and_source_are_in_the_preview_and_in_the_list() -> None:
    study = empty_study()
    client = signed_in(study.owner)

    there = upload(client, study, ANSWERS, "answers.csv")
    preview = client.get(there)
    start(client, study, there, filename="answers.csv")
    listed = client.get(url(study, "items"))

    first = preview.context["questions"][0].options[0]
    assert (first.question, first.domain, first.source, first.further) == (
        "Why <b>now</b>?",
        "news",
        "paper A",
        [("year", "2024")],
    )
    assert re.findall("data-question>([^<]*)<", text(preview)) == ["Why &lt;b&gt;now&lt;/b&gt;?"]
    assert len(re.findall("data-metadata", text(preview))) == 1
    rows = [(item.question, item.domain, item.source) for item in listed.context["items"]]
    assert rows == [("Why <b>now</b>?", "news", "paper A"), ("", "", "")]
    for name, value in (
        ("question", "Why &lt;b&gt;now&lt;/b&gt;?"),
        ("domain", "news"),
        ("source", "paper A"),
    ):
        assert re.findall(f"data-{name}>([^<]*)<", unlabelled(listed)) == [value, ""]


def test_domains_and_sources_of_contexts_are_listed_with_their_items() -> None:
    study = empty_study()
    client = signed_in(study.owner)
    header = "id\ttarget_context\tcandidate_context\tdomain\tsource\n"
    row = "1\tIt was noon. <sent>They ate.</sent>\t<sent>A meal.</sent>\tnews\tpaper B\n"

    there = upload(client, study, header + row, "pairs.tsv")
    shown = client.get(there).context["questions"][0].options[0]
    start(client, study, there, filename="pairs.tsv")
    [item] = client.get(url(study, "items")).context["items"]

    assert (shown.domain, shown.source) == (item.domain, item.source) == ("news", "paper B")


def test_the_preview_of_a_dialogue_has_its_domain_and_the_metadata_of_its_candidates() -> None:
    study = make_study(dialogues=0)
    client = signed_in(study.owner)
    candidates = [{"text": f"Text {n}", "writer": f"w{n}"} for n in range(3)]
    dialogue = {
        "id": "d1",
        "domain": "travel",
        "source": "written",
        "turns": [{"text": "Is it late?"}, {"text": "By ten minutes."}],
        "candidates": candidates,
    }

    there = upload(client, study, jsonl(dialogue))
    preview = client.get(there)
    start(client, study, there)
    listed = client.get(url(study, "items")).context["items"]

    options = preview.context["questions"][0].options
    assert [(option.domain, option.further) for option in options] == [
        ("travel", [("writer", f"w{n}")]) for n in range(3)
    ]
    assert text(preview).count("<bdi>travel</bdi>") == 1
    assert {(item.domain, item.source) for item in listed} == {("travel", "written")}


def test_the_list_has_no_column_that_would_be_empty() -> None:
    study = empty_study()
    client = signed_in(study.owner)
    start(client, study, upload(client, study, "id,target,candidate\n1,a,b\n", "x.csv"))

    page = text(client.get(url(study, "items")))

    for heading in ("Group", "Pool", "Expected answer", "Earlier rating", "Intended class"):
        assert f'<th scope="col">{heading}</th>' not in page
    assert not re.findall("data-(?:question|domain|source)", page)


def test_the_list_asks_no_more_of_the_database_for_more_pairs() -> None:
    def n_queries(n: int) -> int:
        study = empty_study()
        client = signed_in(study.owner)
        pairs = [
            {
                "id": f"p{i}",
                "target": {"sentences": [*REPORT, f"{i}."], "position": 4},
                "candidate": "Y.",
            }
            for i in range(n)
        ]
        start(client, study, upload(client, study, jsonl(*pairs)))
        with CaptureQueriesContext(connection) as queries:
            assert client.get(url(study, "items")).status_code == 200
        return len(queries)

    assert n_queries(2) == n_queries(50)


def test_incidents_are_looked_at_imported_listed_and_replaced() -> None:
    study = empty_study(QuestionKind.SELECTION)
    client = signed_in(study.owner)

    there = upload(client, study, jsonl(*INCIDENTS))
    page = one_space(text(client.get(there)))

    assert "2 incidents with 2 reports." in page
    assert "All &lt;i&gt;is&lt;/i&gt; well." in page
    assert "<bdi>i1r1</bdi>" in page
    assert "i2" not in page.split("<form")[0]
    start(client, study, there)
    page = one_space(text(client.get(url(study, "items"))))
    assert "2 incidents" in page
    assert "<bdi>i2r1</bdi>" in page
    assert "and 3 more sentences" in page

    again = upload(client, study, jsonl(INCIDENTS[0]))
    assert "The study has 2 incidents." in text(client.get(again))
    name = again.split("/preview/")[1].split("/")[0]
    refused = client.post(
        url(study, "import_start", name), {"filename": "pairs.jsonl"}, follow=True
    )
    assert refused.status_code == 400
    assert refused.context["undecided"]
    start(client, study, again, replace="yes")
    assert [group.key for group in study.context_groups.all()] == ["i1"]


@pytest.mark.parametrize(
    ("kind", "formats", "others"),
    [
        ("rating", ["target_context", '"position": 2', '"turns"'], ["cheerful", "reports"]),
        ("best_worst", ['"turns"', "cheerful"], ["reports", "target_context"]),
        ("selection", ["reports"], ["target_context", "cheerful", '"turns"']),
    ],
)
def test_the_page_shows_the_files_that_the_study_takes(
    kind: str, formats: list[str], others: list[str]
) -> None:
    study = empty_study(QuestionKind(kind))

    page = text(signed_in(study.owner).get(url(study, "items"))).replace("&quot;", '"')

    assert all(example in page for example in formats)
    assert not any(example in page for example in others)


def test_a_file_for_another_kind_of_study_is_refused_in_one_sentence() -> None:
    study = empty_study()
    client = signed_in(study.owner)
    file = SimpleUploadedFile("incidents.jsonl", jsonl(*INCIDENTS).encode())

    page = client.post(url(study, "upload"), {"file": file})

    assert page.status_code == 400
    assert "The file has incidents (a summary and its reports), which only a selection" in text(
        page
    )


@pytest.mark.parametrize(
    ("kind", "preset"), [("best_worst", "best-worst"), ("ranking", "ranking")]
)
def test_what_is_compared_is_shown_as_a_table_first(kind: str, preset: str) -> None:
    study = empty_study(QuestionKind(kind))
    Study.objects.update(preset=preset)

    page = text(signed_in(study.owner).get(url(study, "items")))

    first = re.search(r"<pre[^>]*>(.*?)</pre>", page, re.DOTALL)
    assert first is not None
    assert first[1].splitlines()[0].split("\t") == ["id", "group", "target", "candidate"]


@pytest.mark.parametrize("kind", ["rating", "best_worst", "selection"])
def test_the_examples_on_the_page_can_be_imported(kind: str) -> None:
    study = empty_study(QuestionKind(kind))
    page = text(signed_in(study.owner).get(url(study, "items")))

    examples = re.findall(r'<pre class="(code[^"]*)" tabindex="0">(.*?)</pre>', page, re.DOTALL)

    assert examples
    for classes, example in examples:
        content = html.unescape(example)
        if "prompt" in classes:
            # One line that the page wraps.
            content = jsonl(json.loads(content))
        name = "x.jsonl" if content.startswith("{") else "x.tsv"
        parsed = read(content, name, kind=kind, tuple_size=1)
        assert parsed.items or parsed.groups
