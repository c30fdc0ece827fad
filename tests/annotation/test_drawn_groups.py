"""A next round of a part of the earlier one: so many groups of its pairs, drawn from the seed."""

import pytest
from django.urls import reverse

from annotation import clock
from annotation.models import Study
from annotation.services import designs, jobs, rounds, studies
from annotation.services.design_rows import ImpossibleParametersError
from tests.annotation.designed_ratings import rating_study
from tests.annotation.researcher_pages import signed_in, text, url
from tests.annotation.test_rounds_from_selections import answered
from tests.checking import make_checked_ratings, rated_pairs
from tests.rating import make_rating_study

pytestmark = pytest.mark.django_db


def next_round(earlier: Study, *, n_groups: int | None, seed: int = 1) -> Study:
    study = studies.create(
        owner=earlier.owner,
        title="Next",
        preset="training",
        seed=seed,
        earlier_round=earlier,
    )
    rounds.begin(study=study, earlier=earlier, n_groups=n_groups)
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

    with pytest.raises(ImpossibleParametersError, match="There are 2 groups to draw from"):
        next_round(earlier, n_groups=3)


# -- The page of a new study --------------------------------------------------------------------


def asked_for(earlier: Study | None, n_groups: str) -> dict[str, object]:
    return {
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


def test_the_page_refuses_with_a_sentence_and_makes_no_study() -> None:
    earlier = answered(incidents=1, sentences=2)
    nothing = _closed_without_items(earlier)
    client = signed_in(earlier.owner)
    address = reverse("admin:annotation_study_add")

    too_many = client.post(address, asked_for(earlier, "3"))
    from_nothing = client.post(address, asked_for(None, "3"))
    empty = client.post(address, asked_for(nothing, ""))

    assert [one.status_code for one in (too_many, from_nothing, empty)] == [400] * 3
    assert "There are 2 groups to draw from" in text(too_many)
    assert "Choose the study that they are drawn from." in text(from_nothing)
    assert "has no items to go on with" in text(empty)
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
