"""What comes of an expert check and of a review of discrepancies."""

import csv
import io
import json
import zipfile

import numpy as np
import pytest

from annotation.baselines.queries.measures import Measure
from annotation.designs.services import designs
from annotation.models import Study
from annotation.releases.exports import archive as archives
from annotation.reviews import services as reviews
from annotation.reviews.queries.review_figures import _figures
from scoring import expert_check
from scoring.measures.discrepancies import DEFINITIONS, Thresholds
from shell.messages import Message
from tests.support.once import Rows, made_once
from tests.support.rating import make_rating_study
from tests.support.release_studies import facts
from tests.support.researcher_pages import signed_in, text, url
from tests.support.reviewing import label_all, open_review, review_of, score, scored_ratings

pytestmark = pytest.mark.django_db

ABOVE, BELOW = ["above the middle"], ["below the middle"]
# Rescaled: p1 16/18, p2 .5, p3 1/18, p4 10/18.
RATINGS = {"p1": ("6", "5", "5"), "p2": ("3", "3", "3"), "p3": ("0", "1", "0")}
RATINGS |= {"p4": ("3", "4", "3")}


@made_once
def checked() -> Study:
    """p1 (16/18) is contradicted by both, p3 confirmed, p2 in the middle, p4 torn."""
    study = review_of(scored_ratings(RATINGS))
    reviews.choose_for_experts(study=study)
    study = open_review(study)
    label_all(study, {"p1": BELOW, "p2": ABOVE, "p3": BELOW, "p4": ABOVE})
    label_all(study, {"p1": BELOW, "p2": ABOVE, "p3": BELOW, "p4": BELOW})
    return study


# -- Results ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_results_page_lists_what_the_experts_contradict(checked: Study) -> None:
    page = signed_in(checked.owner).get(url(checked, "results"))

    check = page.context["check"]
    assert [row.item.key for row in check.contradicted.rows] == ["p1"]
    (row,) = check.contradicted.rows
    assert (row.score, row.distance) == ("0.889", "0.389")
    assert row.labels == ["below the middle"] * 2
    assert [(one.name, [r.item.key for r in one.rows]) for one in check.others] == [
        ("The experts disagree", ["p4"]),
        ("Scores exactly in the middle", ["p2"]),
    ]
    values = {str(figure.name): (figure.value, figure.remark) for figure in check.figures}
    # Of p1 and p3; p2 is in the middle and p4 torn.
    assert values["Contradicted"] == ("50.0\u00a0%", "1 of 2.")
    assert values["Contradicted among scores above the middle"] == (
        "100.0\u00a0%",
        "1 of 1.",
    )
    assert values["Contradicted by at least one expert"] == ("66.7\u00a0%", "2 of 3.")
    assert values["Pairwise agreement of experts"] == ("75.0\u00a0%", "3 of 4.")
    # Above: 2 of 4 and 1 of 4; (3/4 - 1/2) / (1 - 1/2).
    assert values["Cohen's kappa of the two experts"][0] == "0.500"
    assert "Compared with:" in text(page)
    assert (
        "Not included in the contradicted share: 1 item on which the experts are evenly split;"
        " 1 item with a score exactly in the middle."
    ) in text(page)
    assert "still uses the earlier scores" not in text(page)


@pytest.mark.slow
def test_the_comparison_stays_with_the_scores_that_were_taken(checked: Study) -> None:
    assert checked.earlier_round is not None
    before = signed_in(checked.owner).get(url(checked, "results")).context["check"]

    score(checked.earlier_round)
    page = signed_in(checked.owner).get(url(checked, "results"))

    assert page.context["check"].contradicted == before.contradicted
    assert "still uses the earlier scores" in text(page)


def table(study: Study) -> list[dict[str, str]]:
    response = signed_in(study.owner).get(url(study, "review_table", "tsv"))
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(text(response)), delimiter="\t"))


@pytest.mark.slow
def test_the_file_has_every_item_the_contradicted_ones_first(checked: Study) -> None:
    rows = table(checked)

    assert [(row["item"], row["status"]) for row in rows] == [
        ("p1", "contradicted"),
        ("p2", "at the middle"),
        ("p3", "confirmed"),
        ("p4", "torn"),
    ]
    # All digits.
    assert float(rows[0]["score"]) == pytest.approx(16 / 18, abs=1e-15)
    assert (rows[0]["score_side"], rows[0]["experts_side"], rows[0]["below"]) == (
        "above",
        "below",
        "2",
    )
    assert "<sent>Sentence 3 of summary 1.</sent>" in rows[0]["target"]
    labels = [value for name, value in rows[3].items() if name.startswith("label_")]
    assert labels == ["above the middle", "below the middle"]


@pytest.mark.slow
def test_what_the_experts_contradict_is_in_latex_on_the_page_and_in_a_release(
    checked: Study,
) -> None:
    client = signed_in(checked.owner)

    page = text(client.get(url(checked, "results")))
    printed = text(client.get(url(checked, "review_table", "tex")))

    assert f"{url(checked, 'review_table', 'tex')}?population=people" in page
    # Of p1 and p3, which have a majority and a score off the middle, p1 is contradicted.
    assert r"all & 2 & 1 & 50.0 \% & 9.5 \% to 90.5 \% \\" in printed
    assert r"above the middle & 1 & 1 & 100.0 \% &" in printed
    assert r"below the middle & 1 & 0 & 0.0 \% &" in printed
    assert "Left out: 1 item " in printed
    assert r"contradicted by at least one expert & 3 & 2 & 66.7 \% &" in printed
    # Of p1 and p3 one is on the side of each expert; of p4 the first one, too.
    people = [row["pseudonym"] for row in checked.annotators.order_by("pk").values("pseudonym")]
    assert rf"{people[0]} & 3 & 66.7 \% &" in printed
    assert rf"{people[1]} & 3 & 33.3 \% &" in printed
    assert r"majority & 2 & 50.0 \% &" in printed
    assert r"3 of 4 (75.0 \%)" in printed
    assert "kappa of the two experts: 0.500." in printed
    assert r"p1 & Sentence 3 of summary 1. & " in printed
    assert " & 0.889 & below " in printed
    assert "p3 &" not in printed
    file = io.BytesIO()
    archives.write_archive(checked, "people", file, release=facts())
    assert printed in zipfile.ZipFile(file).read("tables.tex").decode()


def released(study: Study) -> zipfile.ZipFile:
    file = io.BytesIO()
    archives.write_archive(study, "people", file, release=facts())
    return zipfile.ZipFile(file)


@pytest.mark.slow
def test_the_release_of_a_check_says_what_was_checked_and_what_came_of_it(checked: Study) -> None:
    earlier = checked.earlier_round
    assert earlier is not None
    earlier.title = "Scored & checked"
    earlier.save()
    score(checked)

    files = released(checked)

    for name in ("README.md", "METHODS.md"):
        said = files.read(name).decode()
        assert "Scored & checked" in said.replace("\\", "").replace("&amp;", "&"), name
        assert earlier.slug in said, name
    methods = files.read("METHODS.md").decode()
    assert "contradict 1 of 2 scores (50.0 %" in methods
    assert "[@Cohen1960] is 0.500." in methods
    assert r"\cite{Cohen1960}" in files.read("methods.tex").decode()
    assert "{Cohen1960," in files.read("references.bib").decode()


@pytest.mark.slow
def test_the_shares_of_a_check_are_a_table_of_the_page_and_the_release(checked: Study) -> None:
    client = signed_in(checked.owner)

    page = text(client.get(url(checked, "results")))
    file = text(client.get(url(checked, "review_counts")))

    assert f"{url(checked, 'review_counts')}?population=people" in page
    rows = list(csv.DictReader(io.StringIO(file), delimiter="\t"))
    assert [(row["scores"], row["items"], row["contradicted"]) for row in rows] == [
        ("all", "2", "1"),
        ("above", "1", "1"),
        ("below", "1", "0"),
        ("any", "3", "2"),
    ]
    assert float(rows[3]["share"]) == pytest.approx(2 / 3, abs=1e-15)
    assert float(rows[0]["low"]) == pytest.approx(0.0945, abs=1e-4)
    assert released(checked).read("expert_check_shares.tsv").decode() == file


def test_a_check_that_contradicts_nothing_has_no_list_in_latex() -> None:
    study = review_of(scored_ratings({"p1": ("3",), "p2": ("3",)}))
    reviews.choose_for_experts(study=study)
    study = open_review(study)
    label_all(study, {"p1": BELOW, "p2": ABOVE})

    printed = text(signed_in(study.owner).get(url(study, "review_table", "tex")))

    assert r"all & 0 & 0 & -- & -- \\" in printed
    assert "tab:expert-check-items" not in printed


@pytest.mark.slow
def test_there_are_no_other_files_of_a_review(checked: Study) -> None:
    assert signed_in(checked.owner).get(url(checked, "review_table", "csv")).status_code == 404


@made_once
def reviewed() -> Study:
    earlier = scored_ratings(RATINGS)
    study = review_of(earlier, "discrepancy-review")
    measure = Measure("BLEU", {"p1": 0.1, "p2": 0.3, "p3": 0.9, "p4": 0.05})
    reviews.choose_discrepancies(study=study, measure=measure, n=3)
    study = open_review(study)
    err, words = ["people are wrong"], ["synonym or paraphrase missed"]
    label_all(study, {"p1": words, "p3": [*err, *words], "p4": err})
    label_all(study, {"p1": [*words, "other"], "p3": err, "p4": words})
    return study


@pytest.mark.slow
def test_categories_are_counted_by_direction(reviewed: Study) -> None:
    # Ranks of people 0, 1/3, 2/3, 1 for p3, p2, p4, p1; of the measure 1, 2/3, 0, 1/3.

    review = signed_in(reviewed.owner).get(url(reviewed, "results")).context["review"]

    assert review.has_differences
    rows = dict(review.counts.rows)
    assert rows["people are wrong"] == [
        "0",
        "0.0\u00a0%",
        "1",
        "100.0\u00a0%",
        "1",
    ]
    assert rows["synonym or paraphrase missed"] == [
        "1",
        "50.0\u00a0%",
        "0",
        "0.0\u00a0%",
        "1",
    ]
    assert rows["no majority category"] == [
        "1",
        "50.0\u00a0%",
        "0",
        "0.0\u00a0%",
        "1",
    ]
    assert rows["labelled items"] == ["2", "–", "1", "–", "3"]
    lists = {one.name: [row.item.key for row in one.rows] for one in review.lists}
    assert lists == {
        "people are wrong": ["p3"],
        "synonym or paraphrase missed": ["p1"],
        "no majority category": ["p4"],
    }
    (row,) = next(one for one in review.lists if one.name == "people are wrong").rows
    assert (row.score, row.value, row.difference) == ("0.056", "0.900", "−1.000")
    assert row.n_chose == "2 of 2"


@pytest.mark.slow
def test_the_file_of_a_review_has_what_was_compared(reviewed: Study) -> None:
    rows = table(reviewed)

    assert [row["item"] for row in rows] == ["p3", "p1", "p4"]
    assert [row["higher"] for row in rows] == ["measure", "people", "people"]
    assert [float(row["difference"]) for row in rows] == [-1, 2 / 3, 2 / 3]
    assert [row["categories"] for row in rows] == [
        "people are wrong",
        "synonym or paraphrase missed",
        "",
    ]
    assert json.loads(rows[1]["votes"]) == {"synonym or paraphrase missed": 2, "other": 1}


def test_before_anybody_answered_there_is_no_comparison() -> None:
    study = review_of(scored_ratings(RATINGS))
    client = signed_in(study.owner)

    assert client.get(url(study, "review_table", "tsv")).status_code == 302
    assert client.get(url(study, "review_table", "tex")).status_code == 302
    reviews.choose_for_experts(study=study)
    designs.make(design=study.design)

    assert "check" not in client.get(url(study, "results")).context
    assert [row["status"] for row in table(study)] == ["unlabelled"] * 4


@pytest.mark.slow
def test_other_categories_than_two_leave_some_on_neither_side() -> None:
    study = review_of(scored_ratings({"p1": ("6",), "p2": ("1",)}))
    reviews.choose_for_experts(study=study)
    study = open_review(study)
    # As it could be opened once.
    study.categories = {"names": ["over", "under", "cannot say"], "several": True}
    study.save()
    label_all(study, {"p1": ["cannot say"], "p2": ["over", "under"]})

    check = signed_in(study.owner).get(url(study, "results")).context["check"]

    assert check.sides == ("over", "under")
    assert check.contradicted.n == 0
    assert check.left_out == ["2 items on which no expert took a side"]
    assert [row["status"] for row in table(study)] == ["unlabelled"] * 2


# -- The download -------------------------------------------------------------------------------


def archive_of(study: Study) -> zipfile.ZipFile:
    file = io.BytesIO()
    archives.write_archive(study, "people", file)
    return zipfile.ZipFile(file)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("made", "name"), [("checked", "expert_check.tsv"), ("reviewed", "discrepancies.tsv")]
)
def test_the_download_has_the_table_and_explains_it(
    request: pytest.FixtureRequest, rows_of_module: Rows, made: str, name: str
) -> None:
    study = request.getfixturevalue(made)

    archive = archive_of(study)

    stored = archive.read(name).decode()
    assert list(csv.DictReader(io.StringIO(stored), delimiter="\t")) == table(study)
    readme = archive.read("README.md").decode()
    assert f"## {name}" in readme
    for column in stored.partition("\n")[0].split("\t"):
        assert f"`{column}`" in readme


@pytest.mark.slow
def test_the_figures_are_in_the_facts_of_the_download(checked: Study, reviewed: Study) -> None:
    check = json.loads(archive_of(checked).read("study.json"))["review"]
    assert (check["overall"]["count"], check["overall"]["n"]) == (1, 2)
    assert check["kappa"] == pytest.approx(0.5)
    assert check["sides"] == ["above the middle", "below the middle"]

    review = json.loads(archive_of(reviewed).read("study.json"))["review"]
    assert (review["measure"], review["compared_by"]) == ("BLEU", "ranks")
    assert review["n_labelled"] == [2, 1]
    assert review["categories"]["people are wrong"] == [0, 1]


def counts_of(study: Study, kind: str = "tsv") -> str:
    page = ("review_counts",) if kind == "tsv" else ("review_table", kind)
    answer = signed_in(study.owner).get(url(study, *page))
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.slow
def test_the_categories_are_a_table_for_a_paper(reviewed: Study) -> None:
    rows = list(csv.DictReader(io.StringIO(counts_of(reviewed)), delimiter="\t"))

    by_name = {row["category"]: row for row in rows}
    err = by_name["people are wrong"]
    assert (err["people_higher"], err["measure_higher"], err["all"]) == ("0", "1", "1")
    assert (float(err["people_higher_share"]), float(err["measure_higher_share"])) == (0, 1)
    assert by_name["(labelled items)"]["all"] == "3"
    # As the page has it: 50 % and 0 %.
    without = by_name["(no category)"]
    assert [without[name] for name in ("people_higher", "people_higher_share")] == ["1", "0.5"]
    assert [without[name] for name in ("measure_higher", "measure_higher_share")] == ["0", "0.0"]
    tex = counts_of(reviewed, "tex")
    assert r"people are wrong & 0 & 0.000 & 1 & 1.000 & 1 \\" in tex
    assert r"(no category) & 1 & 0.500 & 0 & 0.000 & 1 \\" in tex
    page = text(signed_in(reviewed.owner).get(url(reviewed, "results")))
    for name in (("review_counts",), ("review_table", "tex")):
        assert url(reviewed, *name) in page
    archive = archive_of(reviewed)
    assert archive.read("discrepancy_categories.tsv").decode() == counts_of(reviewed)
    assert "## discrepancy_categories.tsv" in archive.read("README.md").decode()
    released = io.BytesIO()
    archives.write_archive(reviewed, "people", released, release=facts())
    assert tex in zipfile.ZipFile(released).read("tables.tex").decode()


def test_the_categories_are_in_no_other_study_and_no_other_file() -> None:
    study = make_rating_study(pairs=1)
    client = signed_in(study.owner)

    assert client.get(url(study, "review_counts")).status_code == 302
    assert client.post(url(study, "review_counts")).status_code == 405
    assert signed_in().get(url(study, "review_counts")).status_code == 404


@pytest.mark.slow
def test_published_labels_beyond_thresholds_are_counted_by_direction() -> None:
    earlier = make_rating_study(pairs=3, open_it=False)
    for item, label in zip(earlier.items.order_by("number"), (2, 0, 2), strict=True):
        item.metadata = {"label": label}
        item.save()
    study = review_of(earlier, "discrepancy-review")
    rule = Thresholds(measure_below=0.25, people_from=2, measure_above=0.75, people_to=0)
    measure = Measure("BLEU", {"p1": 0.1, "p2": 0.8, "p3": 0.9})
    reviews.choose_discrepancies(study=study, measure=measure, column="label", thresholds=rule)
    study = open_review(study)
    label_all(study, {"p1": ["people are wrong"], "p2": ["other"]})

    page = signed_in(study.owner).get(url(study, "results"))

    review = page.context["review"]
    assert dict(review.counts.rows)["people are wrong"] == [
        "1",
        "100.0\u00a0%",
        "0",
        "0.0\u00a0%",
        "1",
    ]
    assert dict(review.counts.rows)["other"] == [
        "0",
        "0.0\u00a0%",
        "1",
        "100.0\u00a0%",
        "1",
    ]
    assert rule.text in review.definition
    assert not review.has_differences
    items = signed_in(study.owner).get(url(study, "items"))
    assert not items.context["columns"].has_differences
    (compared,) = review.compared
    assert (compared.column, compared.computed_at) == ("label", None)
    first = table(study)[0]
    assert [first[name] for name in ("item", "label", "score", "higher", "rule", "column")] == [
        *("p1", "2.0", str(2 / 6), "people", rule.text, "label"),
    ]
    facts_of = json.loads(archive_of(study).read("study.json"))["review"]
    assert facts_of["rule"] == rule.text
    assert facts_of["compared_with"][0]["column"] == "label"


@pytest.mark.slow
def test_the_page_says_that_most_frequent_ratings_were_compared() -> None:
    labels = {"0": "different", "1": "partly the same", "2": "the same"}
    scale = {"low": "0", "high": "2", "step": "1", "labels": labels}
    ratings = {"p1": ("2", "2", "0"), "p2": ("0", "0", "0")}
    study = review_of(scored_ratings(ratings, scale=scale), "discrepancy-review")
    rule = Thresholds(measure_below=0.25, people_from=2, measure_above=0.75, people_to=0)
    measure = Measure("BLEU", {"p1": 0.1, "p2": 0.8})
    reviews.choose_discrepancies(study=study, measure=measure, people="majority", thresholds=rule)
    study = open_review(study)
    label_all(study, {"p1": ["people are wrong"], "p2": ["other"]})

    page = signed_in(study.owner).get(url(study, "results"))

    (compared,) = page.context["review"].compared
    assert (compared.phase, compared.is_majority) == (1, True)


@pytest.mark.parametrize(
    ("labels", "has_interval"), [([[1, -1], [1, 1]], True), ([[1, 1, -1], [1, 1, 1]], False)]
)
def test_agreement_of_three_experts_says_why_it_has_no_interval(
    labels: list[list[int]], *, has_interval: bool
) -> None:
    check = expert_check([0.9, 0.1], labels)

    (agreement,) = [
        figure for figure in _figures(check) if figure.name == "Pairwise agreement of experts"
    ]

    assert (str(check.same_reason) in agreement.spread) is not has_interval
    assert ("95 % interval" in agreement.spread) is has_interval
    assert agreement.value == ("50.0\u00a0%" if has_interval else "66.7\u00a0%")


# -- Words --------------------------------------------------------------------------------------


def test_every_sentence_of_the_statistics_is_a_message() -> None:
    checks = [
        expert_check(np.array(scores), np.array(labels).reshape(len(scores), -1))
        for scores, labels in (
            ([0.9, 0.1], [[1, 1], [1, -1]]),
            ([0.9, 0.1], [[1], [1]]),
            ([0.9], [[0, 0]]),
            ([0.9, 0.8], [[1, 1], [1, 1]]),
            ([0.9, 0.8], [[1, 0, 0], [1, 0, 0]]),
            ([0.9, 0.8], [[1, 1, -1], [1, 0, 0]]),
        )
    ]
    said = [check.definition for check in checks] + [*DEFINITIONS.values()]
    for check in checks:
        beside = [check.majority_beside, *check.experts_beside]
        said += [one.reason for one in beside if one.reason]
        reasons = (check.kappa_reason, check.same_reason, check.alpha.reason)
        said += [reason for reason in reasons if reason]

    assert {text for text in said if not isinstance(text, Message)} == set()
