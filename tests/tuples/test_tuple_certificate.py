import json
import math

import numpy as np
import pytest

from tuples import Certificate, certify, combine, make_tuples, pool_seed

FANO = np.array([[0, 1, 2], [0, 3, 4], [0, 5, 6], [1, 3, 5], [1, 4, 6], [2, 3, 6], [2, 4, 5]])


def certificates(n_pools: int) -> list[Certificate]:
    return [
        certify(make_tuples(5, size=3, factor=2, seed=pool_seed(1, pool)), n_items=5)
        for pool in range(n_pools)
    ]


def test_a_perfect_design_is_said_to_be_one() -> None:
    certificate = certify(FANO, n_items=7)

    assert certificate.distance_from_bound == 0
    assert certificate.sentences()[:5] == [
        "7 tuples of 3 items are drawn from 7 items. Every item appears in 3 tuples.",
        "No tuple occurs twice.",
        "Every pair of items appears together in exactly 1 tuple.",
        "No design could be more even: the sum of squared pair counts is 21, the lowest possible.",
        "The tuples connect all items, so all of them can be compared.",
    ]


def test_a_poor_design_is_said_to_be_one() -> None:
    poor = np.array([[0, 1, 2], [2, 1, 0], [0, 1, 3], [4, 5, 6]])

    certificate = certify(poor, n_items=7)

    assert (certificate.n_distinct_tuples, certificate.n_components) == (3, 2)
    assert (certificate.pair_count_min, certificate.pair_count_max) == (0, 3)
    assert certificate.n_pairs_repeated == 3
    # 0-1 three times, 0-2 and 1-2 twice, five pairs once
    assert certificate.pair_sum_of_squares == 9 + 4 + 4 + 5
    assert certificate.distance_from_bound == 10
    assert certificate.sentences()[:5] == [
        "4 tuples of 3 items are drawn from 7 items. Every item appears in 1 to 3 tuples.",
        "1 of the tuples repeats another.",
        "A pair of items appears together in 0 to 3 tuples; 3 pairs appear more often than an "
        "even spread requires.",
        "The sum of squared pair counts is 22, 10 above its lower bound, 12.",
        (
            "The bound assumes that all pairs occur evenly. For some numbers of items, no "
            "design reaches it or none is known."
        ),
    ]
    assert "form 2 parts that cannot be compared, although 3 tuples" in certificate.sentences()[5]


def test_appearances_that_rule_the_bound_out_are_named() -> None:
    # Items 0 and 1 are in all five tuples: 0-1 five times, each with one of the others once.
    tuples = np.array([[0, 1, z] for z in range(2, 7)])

    sentences = certify(tuples, n_items=7).sentences()

    assert "The sum of squared pair counts is 35, 20 above its lower bound, 15." in sentences
    assert (
        "No design with these appearances reaches that bound. Their own lower bound is "
        "23, which may also be out of reach."
    ) in sentences


def test_too_few_tuples_to_connect_are_explained() -> None:
    certificate = certify(np.array([[0, 1], [2, 3]]), n_items=4)

    assert (
        "The tuples form 2 parts that cannot be compared. At least 3 tuples are needed "
        "to connect all items."
    ) in certificate.sentences()


def test_an_item_that_keeps_its_place_is_found() -> None:
    certificate = certify(np.sort(FANO, axis=1), n_items=7)

    # Item 0 is first three times, where one is its share.
    assert certificate.position_deviation == 2
    # 1: twice first, once second; 2 (1, 0, 2); 3 (0, 3, 0); 4 (0, 2, 1); 5 (0, 1, 2); 6 (0, 0, 3)
    assert certificate.position_chi_square == pytest.approx(6 + 2 + 2 + 6 + 2 + 2 + 6)
    assert certificate.position_chi_square_expected == 14


def test_the_dictionary_is_json() -> None:
    figures = certify(FANO, n_items=7).as_dict()

    assert json.loads(json.dumps(figures, allow_nan=False)) == figures
    assert figures["is_connected"] is True
    assert figures["are_all_distinct"] is True
    assert figures["distance_from_bound"] == 0


def test_one_pair_has_no_standard_deviation() -> None:
    certificate = certify(np.array([[1, 0]]), n_items=2)

    assert math.isnan(certificate.pair_count_sd)
    assert certificate.as_dict()["pair_count_sd"] is None
    assert (
        certificate.sentences()[0]
        == "1 tuple of 2 items is drawn from 2 items. Every item appears in 1 tuple."
    )


def test_items_that_appear_once_are_in_one_tuple_each() -> None:
    certificate = certify(np.array([[0, 1], [2, 3]]), n_items=4)

    assert (
        certificate.sentences()[0]
        == "2 tuples of 2 items are drawn from 4 items. Every item appears in 1 tuple."
    )


def test_pools_alike_are_reported_together() -> None:
    other = certify(make_tuples(6, size=3, factor=1, seed=1), n_items=6)

    whole = combine([*certificates(59), other])

    assert [len(group.pools) for group in whole.groups] == [59, 1]
    assert whole.groups[1].pools == (59,)
    assert (whole.n_pools, whole.n_items, whole.n_tuples) == (60, 59 * 5 + 6, 59 * 10 + 6)
    assert (whole.appearances_min, whole.appearances_max) == (3, 6)
    assert (whole.pair_count_max, whole.n_repeated_tuples) == (3, 0)
    assert whole.are_all_at_bound == (other.distance_from_bound == 0)
    assert whole.are_all_connected
    assert len(whole.sentences()) == 4 + 2
    assert whole.sentences()[4].startswith(
        "59 pools have the same figures. In each of them, 10 tuples of 3 items are drawn from 5 "
        "items."
    )


def test_what_holds_in_every_pool_is_said_once() -> None:
    uneven = certify(np.array([[0, 1, 2], [3, 4, 5]]), n_items=6)

    alike = combine(certificates(3)).sentences()
    different = combine([*certificates(2), uneven]).sentences()

    for words in ("can be compared", "connect all items", "equally often"):
        assert len([sentence for sentence in alike if words in sentence]) == 1
    # A pool that differs says how.
    assert "parts that cannot be compared" in different[-1]
    assert "connect all items" in different[-2]


@pytest.mark.parametrize(
    ("tuples", "is_balanced"),
    [
        ([[0, 1, 2], [1, 2, 0], [2, 0, 1]], True),
        ([[0, 1, 2], [0, 1, 2], [0, 1, 2]], False),
    ],
)
def test_whether_positions_are_balanced_is_said_first(
    tuples: list[list[int]], is_balanced: bool
) -> None:
    certificate = certify(np.array(tuples), n_items=3)

    for sentence in (certificate.sentences()[-1], combine([certificate] * 2).sentences()[3]):
        assert sentence.startswith("Positions are balanced:") == is_balanced


def test_places_are_said_once_for_all_pools() -> None:
    # Pool 1: items 0, 1, 2 keep their places in both tuples, so each is 2 - 2/3 = 4/3 off in one
    # and 2/3 in two; chi-square 3 x (16/9 + 4/9 + 4/9) / (2/3) = 12, expected 2 x 3 = 6.
    # Pool 2: the second tuple in turned order; counts 1, 1, 0, off by 1/3, 1/3 and 2/3, and
    # chi-square 3 x (1/9 + 1/9 + 4/9) / (2/3) = 3, expected 6. Together 15 / 12.
    kept = certify(np.array([[0, 1, 2], [0, 1, 2]]), n_items=3)
    turned = certify(np.array([[0, 1, 2], [1, 2, 0]]), n_items=3)

    whole = combine([turned, kept])

    assert len(whole.groups) == 1
    assert (whole.position_chi_square, whole.position_chi_square_expected) == pytest.approx(
        (15, 12)
    )
    about_positions = [sentence for sentence in whole.sentences() if "Positions" in sentence]
    assert about_positions == [
        "Positions are less balanced than in a random order: how often an item takes each "
        "position in the stored tuples varies 1.25 times as much. No count is more than 1.333 "
        "away from an even share."
    ]


def test_a_group_shows_the_places_of_its_worst_pool() -> None:
    alike = certificates(12)

    group = combine(alike).groups[0]

    assert group.certificate.position_chi_square == max(c.position_chi_square for c in alike)


def test_a_bad_pool_is_not_lost_among_good_ones() -> None:
    bad = certify(np.array([[0, 1, 2], [2, 1, 0], [3, 4, 5]]), n_items=6)

    whole = combine([*certificates(3), bad])

    assert not whole.are_all_at_bound
    assert not whole.are_all_connected
    assert (whole.n_pools_at_bound, whole.n_pools_connected) == (3, 3)
    assert (whole.n_repeated_tuples, whole.distance_from_bound) == (1, bad.distance_from_bound)
    figures = whole.as_dict()
    assert json.loads(json.dumps(figures, allow_nan=False)) == figures


def test_pools_of_two_items_are_alike() -> None:
    pair = [certify(np.array([[0, 1]]), n_items=2) for _ in range(3)]

    assert len(combine(pair).groups) == 1


def test_one_pool_speaks_for_itself() -> None:
    one = certificates(1)

    assert combine(one).sentences() == one[0].sentences()


def test_no_pool_is_no_design() -> None:
    with pytest.raises(ValueError, match="there is no certificate"):
        combine([])
