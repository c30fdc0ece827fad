"""A next round of a part of the earlier one: so many groups of its pairs, drawn from the seed."""

from typing import Any

import pytest
from django.urls import reverse

from annotation.basics import clock
from annotation.core.services import jobs
from annotation.designs.services import designs, rounds
from annotation.kinds.design_parameters import ImpossibleParametersError, RatingParameters
from annotation.kinds.services.drawn_groups import Part
from annotation.models import Study
from annotation.studies.services import studies
from tests.designs.test_rounds_from_selections import answered
from tests.support import rating
from tests.support.api import by_token
from tests.support.checking import make_checked_ratings, rated_pairs
from tests.support.designed_ratings import rating_study
from tests.support.rating import make_rating_study
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db


def next_round(earlier: Study, *, seed: int = 1, **chosen: Any) -> Study:
    part = Part(**chosen)
    study = studies.create(
        owner=earlier.owner,
        title="Next",
        preset="training",
        seed=seed,
        earlier_round=earlier,
    )
    rounds.begin(study=study, earlier=earlier, part=part)
    return study


def closed(**options) -> Study:
    study = rating_study(**options)
    designs.make(design=study.design)
    return studies.close(study=studies.open_study(study=study))


def _closed_without_items(like: Study) -> Study:
    study = studies.create(owner=like.owner, title="Nothing", preset="training")
    Study.objects.filter(pk=study.pk).update(state="closed", opened_at=clock.now())
    return study


def names(study: Study) -> list[str]:
    return list(study.items.order_by("number").values_list("key", flat=True))


def pools(study: Study) -> list[str]:
    return list(study.pools.order_by("number").values_list("key", flat=True))


def test_so_many_groups_of_picks_are_drawn_whole_and_in_their_order() -> None:
    earlier = answered(incidents=3, sentences=4)
    every = pools(next_round(earlier, n_groups=None))

    study = next_round(earlier, n_groups=5)

    drawn = pools(study)
    assert len(every) == 12
    assert len(drawn) == 5
    assert drawn == [name for name in every if name in drawn]
    assert drawn != every[:5]
    assert names(study) == [
        f"{name}/{role}" for name in drawn for role in ("similar", "middle", "dissimilar")
    ]


def test_the_seed_decides_which() -> None:
    earlier = answered(incidents=3, sentences=4)

    drawn = [pools(next_round(earlier, n_groups=5, seed=seed)) for seed in (1, 1, 2)]

    assert drawn[0] == drawn[1] != drawn[2]


def test_groups_of_a_rating_study_come_with_all_that_calibrates() -> None:
    earlier = closed(pairs=12, groups=4, calibration=(0, 6))

    study = next_round(earlier, n_groups=2)

    assert names(study)[:2] == ["c1", "c2"]
    assert len(pools(study)) == 3
    assert study.items.filter(key__startswith="p").count() == 6
    assert study.design.parameters["calibration"] == ["c1", "c2"]


def test_an_item_in_no_group_counts_as_one() -> None:
    earlier = studies.close(study=make_rating_study(pairs=6))

    assert len(names(next_round(earlier, n_groups=4))) == 4


def test_more_groups_than_there_are_is_refused() -> None:
    earlier = answered(incidents=1, sentences=2)

    with pytest.raises(ImpossibleParametersError, match="There are only 2 groups"):
        next_round(earlier, n_groups=3)


# -- The first of each person -------------------------------------------------------------------


def test_the_first_answers_of_each_person_become_pairs_person_after_person() -> None:
    earlier = answered(incidents=6, sentences=3, incidents_per_booklet=3)
    assert earlier.annotators.count() == 2

    study = next_round(earlier, n_first=4)

    # Nine answers each; the incidents in the order of each booklet.
    expected = []
    for person in earlier.annotators.order_by("pk"):
        questions = person.assignments.get().booklet.questions.order_by("screen")[:4]
        expected += [f"{q.turn.context.group.key}/{q.turn.position}" for q in questions]
    assert len(expected) == 8
    # Not by chance the order of their names.
    assert expected != sorted(expected)
    assert pools(study) == expected
    # Only the incidents of these sentences come along, each with its summary and its reports.
    incidents = {name.rpartition("/")[0] for name in expected}
    assert {group.key for group in study.context_groups.all()} == incidents
    assert study.contexts.count() == 3 * len(incidents) < earlier.contexts.count()


def test_more_than_a_person_answered_is_all_of_it() -> None:
    earlier = answered(incidents=1, sentences=2)

    assert pools(next_round(earlier, n_first=100)) == pools(next_round(earlier))


def rated_in_turn(**options: Any) -> Study:
    """A closed rating study of 8 pairs in four groups; the first two people rated half each."""
    numbers = {"ratings_per_item": 1, "items_per_booklet": 4}
    study = rating_study(pairs=8, groups=4, numbers=numbers, **options)
    designs.make(design=study.design)
    study = studies.open_study(study=study)
    for _person in range(2):
        rating.rate_phase(rating.join(study).assignment)
    return studies.close(study=study)


def test_groups_of_the_first_ratings_of_each_person_are_taken_whole() -> None:
    earlier = rated_in_turn(calibration=(0, 6))

    study = next_round(earlier, n_first=2)

    groups: dict[str, None] = {}
    for person in earlier.annotators.order_by("pk"):
        booklet = person.assignments.get().booklet
        questions = booklet.questions.filter(block__purpose="main").order_by("screen", "position")
        own = dict.fromkeys(question.item.pool.key for question in questions)
        groups |= dict.fromkeys([*own][:2])
    # Not by chance the order of their names, in which they were imported.
    assert [*groups] != sorted(groups)
    expected = ["c1", "c2"]
    for group in groups:
        of_group = earlier.items.filter(pool__key=group).order_by("number")
        expected += of_group.values_list("key", flat=True)
    assert names(study) == expected
    assert study.design.parameters["calibration"] == ["c1", "c2"]


def test_what_calibrated_can_be_left_out() -> None:
    earlier = closed(pairs=6, groups=2, calibration=(0, 6))

    study = next_round(earlier, with_calibration=False)

    assert names(study) == [f"p{n}" for n in range(1, 7)]
    assert not study.design.parameters.get("calibration")


def test_what_calibrated_is_marked_among_the_copies() -> None:
    earlier = closed(pairs=6, groups=2, calibration=(0, 6))
    study = next_round(earlier)
    client = signed_in(earlier.owner)

    items, design = (client.get(url(study, name)) for name in ("items", "design"))

    assert items.context["calibrated_before"] == ["c1", "c2"]
    assert text(items).count("data-calibrated-before") == 2
    assert "data-calibrated-before" in text(design)
    untouched = signed_in(earlier.owner).get(url(earlier, "items"))
    assert "data-calibrated-before" not in text(untouched)


def test_a_pair_with_an_earlier_rating_on_the_scale_can_calibrate() -> None:
    earlier = answered(incidents=1, sentences=2)
    study = next_round(earlier)
    first = names(study)[:3]
    parameters = RatingParameters(calibration=first, ratings_per_item=1, items_per_booklet=3)
    designs.set_parameters(study=study, parameters=parameters, seed=1)

    designs.make(design=study.design)

    expected = study.items.filter(key__in=first).order_by("number")
    assert list(expected.values_list("expected", flat=True)) == [5, 4, 1]
    assert not study.items.exclude(key__in=first).filter(expected__isnull=False).exists()

    study.items.filter(key=first[0]).update(expected=None, earlier_rating="3.333")
    with pytest.raises(ImpossibleParametersError, match=r"3\.333, is not on the scale"):
        designs.make(design=study.design)


def test_drawn_and_first_at_once_is_refused() -> None:
    earlier = answered(incidents=1, sentences=2)

    with pytest.raises(ImpossibleParametersError, match="Leave one field empty"):
        next_round(earlier, n_groups=1, n_first=1)


# -- The page of a new study --------------------------------------------------------------------


def asked_for(earlier: Study | None, n_groups: str, **more: str) -> dict[str, object]:
    return {
        **more,
        "title": "Round 3",
        "preset": "sts-context",
        "language": "en",
        "earlier_round": earlier.pk if earlier else "",
        "n_groups": n_groups,
    }


def test_the_page_draws_and_the_history_says_so() -> None:
    earlier = answered(incidents=3, sentences=4)
    client = signed_in(earlier.owner)

    client.post(reverse("admin:annotation_study_add"), asked_for(earlier, "5"))

    study = Study.objects.get(title="Round 3")
    jobs.run(study.jobs.get().pk)
    assert study.pools.count() == 5
    assert "Groups drawn from Floods in the valley: 5." in text(client.get(url(study, "history")))


def test_the_page_takes_the_first_of_each_and_the_history_says_so() -> None:
    earlier = answered(incidents=3, sentences=4)
    client = signed_in(earlier.owner)

    client.post(reverse("admin:annotation_study_add"), asked_for(earlier, "", n_first="2"))

    study = Study.objects.get(title="Round 3")
    jobs.run(study.jobs.get().pk)
    assert pools(study) == pools(next_round(earlier, n_first=2))
    assert "First groups of each person" in text(client.get(url(study, "history")))


def test_the_page_refuses_both_at_once_and_a_part_of_nothing() -> None:
    earlier = answered(incidents=1, sentences=2)
    client = signed_in(earlier.owner)
    address = reverse("admin:annotation_study_add")

    for asked in (
        asked_for(earlier, "1", n_first="1"),
        asked_for(None, "", n_first="1"),
        asked_for(earlier, "", n_first="0"),
    ):
        refused = client.post(address, asked)
        assert refused.status_code == 400
        assert "n_first" in refused.context["form"].errors


def test_the_api_takes_the_same() -> None:
    earlier = answered(incidents=3, sentences=4)
    api = by_token(earlier.owner)
    body = {
        "title": "Round 3",
        "preset": "sts-context",
        "earlier_round": earlier.slug,
        "n_first": 2,
        "without_calibration": True,
    }

    made = api.post("/api/v1/studies/", body, content_type="application/json")

    assert made.status_code == 201, made.content
    assert Study.objects.get(title="Round 3").jobs.get().parameters == {
        "earlier": earlier.pk,
        "n_groups": None,
        "n_first": 2,
        "with_calibration": False,
    }


def test_the_page_refuses_with_a_sentence_and_makes_no_study() -> None:
    earlier = answered(incidents=1, sentences=2)
    nothing = _closed_without_items(earlier)
    client = signed_in(earlier.owner)
    address = reverse("admin:annotation_study_add")

    too_many = client.post(address, asked_for(earlier, "3"))
    from_nothing = client.post(address, asked_for(None, "3"))
    empty = client.post(address, asked_for(nothing, ""))

    assert [one.status_code for one in (too_many, from_nothing, empty)] == [400] * 3
    assert "There are only 2 groups." in text(too_many)
    assert "Choose the study to draw them from." in text(from_nothing)
    assert "has no items for the next round" in text(empty)
    assert not Study.objects.filter(title="Round 3").exists()


@pytest.mark.parametrize("seed", range(1, 7))
def test_checks_are_not_drawn_and_come_along(seed: int) -> None:
    earlier = make_checked_ratings(rated_pairs(pairs=8))
    studies.close(study=earlier)

    study = next_round(earlier, n_groups=4, seed=seed)

    assert [name for name in names(study) if name.startswith("c")] == ["c1", "c2", "c3"]
    assert len(names(study)) == 7
    assert study.checks.count() == 3
    with pytest.raises(ImpossibleParametersError, match="8 groups"):
        next_round(earlier, n_groups=9)
