"""The researcher's way to an expert check or a review, and what their annotators see."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.baselines.queries import measures
from annotation.baselines.queries.measures import Measure
from annotation.basics.errors import ImportProblemsError
from annotation.models import Item, Study
from annotation.reviews import services as reviews
from annotation.studies.services import imported_studies, studies
from tests.kinds.label.test_label_pages import Labeller
from tests.support.api import address, by_token
from tests.support.baseline_studies import make_pairs
from tests.support.factories import make_open_study, make_user
from tests.support.once import made_once
from tests.support.rating import join, make_rating_study
from tests.support.researcher_pages import in_one_line, said, signed_in, text, unlabelled, url
from tests.support.reviewing import (
    open_review,
    review_of,
    scored_dialogues,
    scored_ratings,
)

pytestmark = pytest.mark.django_db

# Rescaled: p1 16/18, p2 .5, p3 1/18, p4 10/18.
RATINGS = {"p1": ("6", "5", "5"), "p2": ("3", "3", "3"), "p3": ("0", "1", "0")}
RATINGS |= {"p4": ("3", "4", "3")}


@made_once
def rating_study() -> Study:
    return scored_ratings(RATINGS)


@made_once
def dialogue_study() -> Study:
    return scored_dialogues()


def new_study(client: Client, earlier: Study, preset: str, **fields):
    form = {"title": "Again", "preset": preset, "language": "en", "earlier_round": earlier.pk}
    return client.post(reverse("admin:annotation_study_add"), {**form, **fields})


# -- A new study --------------------------------------------------------------------------------


def test_an_expert_check_begins_with_the_choice_of_its_items(dialogue_study: Study) -> None:
    earlier = dialogue_study
    client = signed_in(earlier.owner)
    add = reverse("admin:annotation_study_add")

    page = client.get(f"{add}?earlier_round={earlier.pk}&preset=expert-check")
    made = new_study(client, earlier, "expert-check")

    assert 'value="expert-check" id="preset-expert-check"' in text(page)
    assert page.context["form"].initial["preset"] == "expert-check"
    study = Study.objects.get(title="Again")
    assert made["Location"] == url(study, "choose")
    assert (study.earlier_round, study.kind, study.max_booklets) == (earlier, "label", 1)
    assert study.categories["names"] == ["above the middle", "below the middle"]

    chosen = client.post(made["Location"], {"which": "nearest", "n": "4"}, follow=True)

    assert study.items.count() == 4
    assert said(chosen) == ["Copied 4 items with their contexts."]


@pytest.mark.parametrize("language", ["en", "de", "cs"])
@pytest.mark.parametrize(("preset", "n"), [("expert-check", 2), ("discrepancy-review", 6)])
def test_the_texts_are_there_in_each_language(preset: str, n: int, language: str) -> None:
    earlier = scored_ratings({"p1": ("6",), "p2": ("1",)})

    study = studies.create(
        owner=earlier.owner,
        title="Again",
        preset=preset,
        language=language,
        earlier_round=earlier,
    )

    assert len(study.categories["names"]) == n
    assert {*study.categories["explanations"]} == {*study.categories["names"]}
    assert study.categories["several"] == (preset == "discrepancy-review")
    assert study.instructions
    assert study.rating_question.endswith("?")


def test_nobody_is_told_to_choose_where_no_study_is_closed(rating_study: Study) -> None:
    user = make_user()
    add = reverse("admin:annotation_study_add")

    before = text(signed_in(user).get(add))
    closed = rating_study
    after = text(signed_in(closed.owner).get(add))

    assert "Choose the scored study" not in before
    assert before.count("Not available yet: it needs a closed or finished study.") == 2
    assert after.count("Choose the scored study under “Earlier study”.") == 2
    assert "Not available yet" not in after


def test_a_plan_that_needs_scores_says_so() -> None:
    owner = make_user()
    client = signed_in(owner)
    form = {"title": "Again", "preset": "expert-check", "language": "en"}
    add = reverse("admin:annotation_study_add")

    nothing = client.post(add, form)
    assert nothing.status_code == 400
    assert "no study is closed or finished yet" in text(nothing)

    study = make_open_study(owner=owner)
    studies.close(study=study)
    unnamed = client.post(add, form)
    wrong = client.post(add, {**form, "preset": "training", "earlier_round": study.pk})
    without = client.post(add, {**form, "preset": "labels", "earlier_round": study.pk})

    assert "Choose a best-worst, ranking or rating study" in text(unnamed)
    assert "A rating preset can only continue a rating study or a selection study" in text(wrong)
    assert "Only a rating study can continue another study" in text(without)
    assert Study.objects.filter(owner=owner).count() == 1


def test_a_strangers_study_cannot_be_checked(dialogue_study: Study) -> None:
    earlier = dialogue_study
    client = signed_in()

    assert new_study(client, earlier, "expert-check").status_code == 400
    assert not Study.objects.filter(title="Again").exists()


def test_a_colleague_who_may_not_see_the_scored_study_takes_nothing_from_it(
    dialogue_study: Study,
) -> None:
    study = review_of(dialogue_study)
    colleague = make_user()
    study.shared_with.add(colleague)
    client = signed_in(colleague)

    for method in (client.get, client.post):
        response = method(url(study, "choose"), {"which": "all"}, follow=True)

        assert said(response) == ["This study does not review an earlier study that you can see."]
    assert not study.items.exists()


# -- Choosing -----------------------------------------------------------------------------------


def test_what_is_missing_before_a_choice_is_said() -> None:
    study = review_of(studies.close(study=make_open_study()))
    client = signed_in(study.owner)

    page = client.get(url(study, "choose"))
    sent = client.post(url(study, "choose"), {"which": "all"})

    assert "has not been scored yet. Score it on its results page." in text(page)
    assert "Use these items" not in text(page)
    assert sent.status_code == 409


def test_numbers_are_asked_for_where_they_are_needed(dialogue_study: Study) -> None:
    study = review_of(dialogue_study)
    client = signed_in(study.owner)

    for wrong in ({"which": "nearest"}, {"which": "random", "n": "0"}, {"which": "most"}):
        response = client.post(url(study, "choose"), wrong)
        assert response.status_code == 400
        assert "field-wrong" in text(response)
    useless = client.post(url(study, "choose"), {"which": "all", "n": "3"})
    assert useless.status_code == 400
    assert "Leave this empty if you take all items" in text(useless)
    assert not study.items.exists()


def test_other_studies_have_nothing_to_choose(dialogue_study: Study) -> None:
    study = dialogue_study

    response = signed_in(study.owner).get(url(study, "choose"), follow=True)

    assert said(response) == ["This study does not review an earlier study that you can see."]


def test_a_pasted_table_is_compared_with_the_people(rating_study: Study) -> None:
    study = review_of(rating_study, "discrepancy-review")
    client = signed_in(study.owner)
    table = "id\tBLEU\np1\t0.1\np2\t0,3\np3\t9e-1\n"

    response = client.post(
        url(study, "choose"),
        {"table": table, "name": "BLEU", "n": "2", "by": "ranks"},
        follow=True,
    )

    assert said(response) == [
        "Copied 2 items with their contexts. 1 item has no value of the measure and was left out."
    ]
    stored = {item.key: item.metadata["_reviewed"] for item in study.items.all()}
    assert {key: of["value"] for key, of in stored.items()} == {"p1": 0.1, "p3": 0.9}
    # The page says why each was chosen: ranks 1 and 0 of the people, 0 and 1 of the measure.
    listed = client.get(url(study, "items"))
    assert [
        (i.key, i.people_score, i.measure_value, i.difference) for i in listed.context["items"]
    ] == [
        ("p1", "0.889", "0.100", "+1.000"),
        ("p3", "0.056", "0.900", "−1.000"),
    ]
    assert '<th scope="col" dir="auto">BLEU</th>' in unlabelled(listed)
    assert '<td class="number">+1.000</td>' in unlabelled(listed)
    # The box was not ticked.
    assert not any(of["is_shown"] for of in stored.values())


def test_a_column_of_the_items_or_a_file_is_a_measure_too(rating_study: Study) -> None:
    earlier = rating_study
    for n, item in enumerate(earlier.items.all()):
        item.metadata = {"BLEU": f"0.{n}", "rank": n, "note": f"n{n}", "question": "7"}
        item.save()
    study = review_of(earlier, "discrepancy-review")
    client = signed_in(study.owner)

    page = client.get(url(study, "choose"))
    client.post(url(study, "choose"), {"column": "BLEU", "n": "3", "by": "ranks"})

    assert page.context["form"].columns == ["BLEU", "rank"]
    assert {i.metadata["_reviewed"]["measure"] for i in study.items.all()} == {"BLEU"}
    # What the file said of the items comes along.
    assert study.items.get(key="p1").metadata["note"] == "n0"

    file = SimpleUploadedFile("m.tsv", b"p1;3\np3;4\n")
    client.post(url(study, "choose"), {"file": file, "n": "3", "by": "standardized"})

    assert {i.metadata["_reviewed"]["measure"] for i in study.items.all()} == {"measure"}
    assert study.items.count() == 2


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ("p1\t1\np9\t2", "line 2: the study has no item &#x27;p9&#x27;"),
        ("p1\t1\np2\tmuch", "line 2: &#x27;much&#x27; is not a number"),
        ("p1\t1\np2\t", "line 2: &#x27;p2&#x27; has no value"),
        ("p1\t1\np1\t2", "&#x27;p1&#x27; is already in line 1"),
        ("p1\t1\np2\t2\t3", "line 2: 3 columns, but two are needed"),
        ("p1\tnan\np2\tinf", "line 1: &#x27;nan&#x27; is not a number"),
        ("p1\t1e200\np2\t1", "line 1: &#x27;1e200&#x27; is not a number"),
        ("p1\t1_000\np2\t1", "line 1: &#x27;1_000&#x27; is not a number"),
        ('p1\t"1\np2\t1', "a quotation mark that opens here is never closed"),
        ("p1\t1\np2\t1", "has the same value for all items (1)"),
        ("p1\t1", "Too few items have both a score and a value of measure"),
        ("id\tBLEU", "the table is empty"),
        ("", "Enter the values as a table"),
    ],
)
def test_bad_values_are_named_with_their_lines(
    table: str, problem: str, rating_study: Study
) -> None:
    study = review_of(rating_study, "discrepancy-review")

    response = signed_in(study.owner).post(
        url(study, "choose"), {"table": table, "n": "2", "by": "ranks"}
    )

    assert response.status_code in {400, 409}
    assert problem in text(response)
    assert not study.items.exists()


def test_a_column_with_words_is_refused_by_item(rating_study: Study) -> None:
    earlier = rating_study
    Item.objects.filter(study=earlier, key="p2").update(metadata={"BLEU": "much"})

    with pytest.raises(ImportProblemsError, match="item 'p2': 'much' is not a number"):
        measures.of_column(earlier, "BLEU")
    with pytest.raises(ImportProblemsError, match="no item has a value"):
        measures.of_column(earlier, "METEOR")


# -- Scores stay hidden -------------------------------------------------------------------------


@pytest.mark.slow
def test_no_page_of_an_annotator_has_a_score() -> None:
    earlier = scored_dialogues({f"d1-{n}": 0.123456 * n for n in range(1, 6)})
    study = review_of(earlier)
    reviews.choose_for_experts(study=study)
    study = open_review(study)
    labeller = Labeller(study)
    pages = []
    for path in ("", "instructions/", *(f"s/{n}/" for n in range(1, 11)), "overview/"):
        response = labeller.get(path)
        assert response.status_code in {200, 303}, path
        pages.append(text(response))
    # What scripts get: that it is saved, and what another tab said.
    pages.append(text(labeller.save("above the middle")))
    pages.append(text(labeller.save("below the middle", base="nothing")))
    everything = "".join(pages)
    assert "above the middle" in pages[-1]

    assert "Candidate 3 of dialogue 1." in everything
    # The dialogue stands around its last turn, which is marked.
    assert "Turn 2 of dialogue 1." in everything
    assert "rated" in everything or "is-target" in everything
    for n in range(1, 6):
        rescaled = (0.123456 * n + 1) / 2
        for digits in (2, 3, 6):
            assert f"{rescaled:.{digits}f}" not in everything
            assert f"{rescaled:.{digits}f}".replace(".", ",") not in everything
    assert "_reviewed" not in everything


# -- What annotators of a review see ------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "shown"),
    [
        (
            "en",
            "People: 0.89 (from 0 to 1) · <bdi>BLEU</bdi>: 0.0210 · people's value is higher</p>",
        ),
        ("de", " · <bdi>BLEU</bdi>: 0,0210"),
    ],
)
def test_values_stand_above_the_pair_beside_its_question(
    language: str, shown: str, rating_study: Study
) -> None:
    earlier = rating_study
    Item.objects.filter(study=earlier, key="p1").update(metadata={"question": "Who was it?"})
    study = review_of(earlier, "discrepancy-review", language=language)
    measure = Measure("BLEU", {"p1": 0.021, "p3": 0.9})
    reviews.choose_discrepancies(study=study, measure=measure, n=1)
    joined = join(open_review(study))

    page = in_one_line(text(Client().get(f"/a/{joined.key}/s/1/")))

    assert "Who was it?" in page
    assert shown in page


def test_where_the_measure_is_higher_the_pair_says_so(rating_study: Study) -> None:
    study = review_of(rating_study, "discrepancy-review")
    # Higher by its rank, though the number alone is smaller than that of the people.
    measure = Measure("BLEU", {"p1": 0.01, "p2": 0.02, "p3": 0.04})
    reviews.choose_discrepancies(study=study, measure=measure, n=2)
    item = study.items.get(key="p3")
    joined = join(open_review(study))
    pages = [in_one_line(text(Client().get(f"/a/{joined.key}/s/{n}/"))) for n in (1, 2)]

    assert item.metadata["_reviewed"]["difference"] < 0
    (page,) = [page for page in pages if "0.0400" in page]
    assert (
        "People: 0.06 (from 0 to 1) · <bdi>BLEU</bdi>: 0.0400 · the measure's value is higher"
        in page
    )


def test_values_that_shall_not_be_seen_are_not_there(rating_study: Study) -> None:
    study = review_of(rating_study, "discrepancy-review")
    measure = Measure("BLEU", {"p1": 0.0213, "p3": 0.9})
    reviews.choose_discrepancies(study=study, measure=measure, is_shown=False)
    joined = join(open_review(study))

    page = text(Client().get(f"/a/{joined.key}/s/1/"))

    assert "BLEU" not in page
    assert "0.89" not in page
    assert "0.02" not in page


# -- The way there ------------------------------------------------------------------------------


def test_a_finished_study_leads_to_both_reviews(dialogue_study: Study) -> None:
    earlier = dialogue_study
    client = signed_in(earlier.owner)
    address = f"earlier_round={earlier.pk}&amp;preset="

    for page in ("results", "change"):
        shown = text(client.get(url(earlier, page)))

        assert f'{address}expert-check">Start an expert check' in shown
        assert f'{address}discrepancy-review">Review discrepancies' in shown


def test_a_study_that_still_takes_people_does_not(rating_study: Study) -> None:
    earlier = rating_study
    Study.objects.filter(pk=earlier.pk).update(state="open")
    client = signed_in(earlier.owner)

    for page in ("results", "change"):
        assert "Start an expert check" not in text(client.get(url(earlier, page)))


def test_items_of_a_review_are_chosen_and_not_imported(rating_study: Study) -> None:
    study = review_of(rating_study)
    client = signed_in(study.owner)
    desk, items = url(study, "change"), url(study, "items")

    assert url(study, "choose") in text(client.get(desk))
    assert "Import a file" not in text(client.get(items))
    file = SimpleUploadedFile("pairs.tsv", b"id\ttarget\tcandidate\na\tb\tc\n")
    refused = client.post(url(study, "upload"), {"file": file}, follow=True)

    assert "or create a new study" in said(refused)[0]
    assert not study.items.exists()


# -- Thresholds and labels of a column ------------------------------------------------------------

LIMITS = {"measure_below": "0.25", "people_from": "2", "measure_above": "0.75", "people_to": "0"}
TABLE = "p1\t0.1\np2\t0.8\np3\t0.9\n"


def labelled_table() -> Study:
    study = make_rating_study(pairs=3, open_it=False)
    for item, label in zip(study.items.order_by("number"), (2, 0, 2), strict=True):
        item.metadata = {"label": label, "note": "text"}
        item.save()
    return imported_studies.mark(study=study)


def test_labels_of_a_column_are_compared_by_thresholds() -> None:
    study = review_of(labelled_table(), "discrepancy-review")
    client = signed_in(study.owner)

    page = client.get(url(study, "choose"))
    form = {"people": "column:label", "table": TABLE, "name": "BLEU", "rule": "thresholds"}
    response = client.post(url(study, "choose"), {**form, **LIMITS}, follow=True)

    # Nobody has answered, so there are no scores of annotators.
    assert page.context["form"].fields["people"].choices == [("column:label", "column label")]
    assert said(response) == ["Copied 2 items with their contexts."]
    listed = client.get(url(study, "items")).context["items"]
    assert [(item.key, item.people_score, item.measure_value) for item in listed] == [
        ("p1", "2", "0.100"),
        ("p2", "0", "0.800"),
    ]


@pytest.mark.parametrize(
    ("limits", "wrong"),
    [
        ({"measure_below": "0.25"}, "people_from"),
        ({"people_to": "0"}, "measure_above"),
        ({}, "measure_below"),
        ({"measure_below": "much", "people_from": "2"}, "measure_below"),
        (
            {"measure_below": "0.8", "people_from": "0", "measure_above": "0.2", "people_to": "2"},
            "measure_above",
        ),
    ],
)
def test_thresholds_come_in_pairs(limits: dict[str, str], wrong: str) -> None:
    study = review_of(labelled_table(), "discrepancy-review")

    response = signed_in(study.owner).post(
        url(study, "choose"),
        {"people": "column:label", "table": TABLE, "rule": "thresholds", **limits},
    )

    assert response.status_code == 400
    assert [*response.context["form"].errors] == [wrong]
    assert not study.items.exists()


def test_the_largest_differences_need_a_number() -> None:
    study = review_of(labelled_table(), "discrepancy-review")

    response = signed_in(study.owner).post(
        url(study, "choose"), {"people": "column:label", "table": TABLE, "rule": "largest"}
    )

    assert [*response.context["form"].errors] == ["n"]


def test_a_column_that_there_is_not_is_refused() -> None:
    study = review_of(labelled_table(), "discrepancy-review")

    response = signed_in(study.owner).post(
        url(study, "choose"), {"people": "column:note", "table": TABLE, "n": "2"}
    )

    assert [*response.context["form"].errors] == ["people"]


def test_an_imported_study_can_be_reviewed_in_a_new_one_and_a_draft_cannot() -> None:
    earlier = make_pairs()
    client = signed_in(earlier.owner)
    assert new_study(client, earlier, "discrepancy-review").status_code == 400
    imported_studies.mark(study=earlier)

    made = new_study(client, earlier, "discrepancy-review")

    study = Study.objects.get(title="Again")
    assert made["Location"] == url(study, "choose")


def test_a_program_chooses_by_thresholds_too() -> None:
    study = review_of(labelled_table(), "discrepancy-review")
    answer = by_token(study.owner).post(
        address(study, "review/"),
        {
            "people": "column:label",
            "table": TABLE,
            "name": "BLEU",
            "rule": "thresholds",
            "measure_below": 0.25,
            "people_from": 2,
        },
        content_type="application/json",
    )

    assert answer.status_code == 200, answer.json()
    assert answer.json()["n_items"] == 1
