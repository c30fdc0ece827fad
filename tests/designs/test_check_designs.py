"""Where checks stand in a booklet, and what a design says of them."""

import itertools

import pytest

from annotation.answering.queries import screen_contents
from annotation.designs.services import designs
from annotation.kinds.best_worst.queries import plans
from annotation.kinds.design_parameters import (
    BestWorstParameters,
    ImpossibleParametersError,
    RatingParameters,
)
from annotation.kinds.rating.queries import plans as rating_plans
from annotation.kinds.registry import kind_of
from annotation.kinds.services.check_rows import checks_of
from annotation.models import Block, Question, Study
from tests.support.checking import (
    compared_texts,
    make_checked_comparisons,
    make_checked_ratings,
    rated_pairs,
)
from tests.support.rating import TWICE
from tests.support.researcher_pages import signed_in, text, url

pytestmark = pytest.mark.django_db

MANY = ("tutorial", "tutorial", *["loud", "silent"] * 4)


def _asked(study: Study, phase: int = 1, booklet: int = 1) -> list[str]:
    """What a booklet asks, screen after screen: the id of an item or a pool."""
    questions = (
        Question.objects.filter(
            block__phase__design=study.design,
            block__phase__number=phase,
            booklet__number=booklet,
        )
        .select_related("item", "tuple__pool")
        .order_by("screen", "position")
    )
    return [str(question.item or question.tuple.pool) for question in questions]


def _places_of_checks(asked: list[str], sign: str) -> list[int]:
    return [place for place, key in enumerate(asked) if key.startswith(sign)]


def test_tutorials_come_first_and_others_between_the_main_questions() -> None:
    study = make_checked_ratings(rated_pairs(MANY, pairs=20))

    asked = _asked(study)

    assert asked[:2] == ["c1", "c2"]
    assert sorted(asked[2:]) == sorted(
        [f"p{n}" for n in range(1, 21)] + [f"c{n}" for n in range(3, 11)]
    )
    assert asked[2].startswith("p")
    assert asked[-1].startswith("p")
    # Each check is alone in its gap as long as there are gaps.
    places = _places_of_checks(asked[2:], "c")
    assert all(after - before > 1 for before, after in itertools.pairwise(places))


def _screens(study: Study) -> list[list[str]]:
    """Of the first booklet: the purposes of the questions of each screen, as they are shown."""
    booklet, phase = study.design.booklets.get(number=1), study.design.phases.get()
    return [
        [row.question.purpose for row in screen_contents.of_booklet(booklet.pk, phase.pk, number)]
        for number in range(1, booklet.n_screens + 1)
    ]


def test_checks_take_places_on_the_screens_of_the_main_questions() -> None:
    table = rated_pairs(MANY, pairs=20).replace("1.\t\t", "1.\t3\t")
    study = make_checked_ratings(table, questions_per_screen=4, calibration=["p1"])

    screens = _screens(study)

    assert screens[:3] == [["check"], ["check"], ["calibration"]]
    # Of 19 items and 8 checks.
    assert [len(screen) for screen in screens[3:]] == [4] * 6 + [3]
    assert all("main" in screen for screen in screens[3:])
    places = {
        (question.screen, question.position)
        for question in Question.objects.filter(booklet__design=study.design)
    }
    assert len(places) == 2 + 1 + 27
    # Anywhere on a screen: no place gives a check away.
    found = {screen.index("check") for screen in screens[3:] if "check" in screen}
    assert len(found) > 1


def test_screens_that_mix_pools_stay_together_and_have_one_question_more() -> None:
    def asked(study: Study) -> list[list[int]]:
        questions = study.design.booklets.get().questions.filter(block__purpose="main")
        return [
            [
                q.tuple.number - 1
                for q in questions.filter(screen=screen)
                .select_related("tuple")
                .order_by("position")
            ]
            for screen in sorted(set(questions.values_list("screen", flat=True)))
        ]

    without = make_checked_comparisons(compared_texts([]), questions_per_screen=2)
    study = make_checked_comparisons(
        compared_texts(["tutorial", "silent", "loud"]), questions_per_screen=2
    )

    assert asked(study) == asked(without)
    screens = _screens(study)
    assert screens[0] == ["check"]
    assert sorted(map(len, screens[1:])) == [2, 3, 3]
    page = text(signed_in(study.owner).get(url(study, "design")))
    assert "Each check makes its screen one question longer." in page
    assert all(screen.count("main") == 2 for screen in screens[1:])


def test_tutorials_stand_before_what_calibrates() -> None:
    table = rated_pairs(["tutorial", "silent"]).replace(
        "p1\tTarget 1.\tCandidate 1.\t\t", "p1\tTarget 1.\tCandidate 1.\t3\t"
    )
    study = make_checked_ratings(table, calibration=["p1"])

    asked = _asked(study)

    assert asked[:2] == ["c1", "p1"]
    assert asked[2].startswith("p")
    assert [b.purpose for b in Block.objects.filter(phase__design=study.design)] == [
        "check",
        "calibration",
        "main",
        "check",
    ]


def test_both_phases_ask_the_same_in_the_same_order() -> None:
    study = make_checked_ratings(rated_pairs(MANY, pairs=12), phases=TWICE)

    assert _asked(study, phase=1) == _asked(study, phase=2)


def test_a_number_of_checks_is_drawn_for_each_booklet() -> None:
    study = make_checked_ratings(
        rated_pairs(["tutorial", *["silent"] * 8], pairs=12), ratings_per_item=6, n_checks=3
    )

    of_booklets = [
        {key for key in _asked(study, booklet=n) if key.startswith("c")} for n in range(1, 7)
    ]

    assert {len(keys) for keys in of_booklets} == {4}
    assert all("c1" in keys for keys in of_booklets)
    assert len({frozenset(keys) for keys in of_booklets}) > 1


def test_the_same_seed_draws_the_same_checks_and_another_one_others() -> None:
    table = rated_pairs(MANY, pairs=12)

    drawn = [
        [
            key if key.startswith("c") else "p"
            for key in _asked(make_checked_ratings(table, seed=s))
        ]
        for s in (7, 7, 8)
    ]

    assert drawn[0] == drawn[1] != drawn[2]


def test_checks_change_nothing_of_what_is_drawn_beside_them() -> None:
    without = make_checked_ratings(rated_pairs([], pairs=12))
    with_checks = make_checked_ratings(rated_pairs(MANY, pairs=12))
    compared = make_checked_comparisons(compared_texts([]))
    compared_with = make_checked_comparisons(compared_texts(MANY))

    assert [k for k in _asked(with_checks) if k.startswith("p")] == _asked(without)
    of_tuples = [
        [
            [str(member.item) for member in question.tuple.members.order_by("position")]
            for question in Question.objects.filter(
                block__phase__design=study.design, block__purpose="main"
            ).order_by("booklet__number", "screen", "position")
        ]
        for study in (compared, compared_with)
    ]
    assert of_tuples[0] == of_tuples[1]
    assert {
        name: compared_with.design.certificate[name] for name in compared.design.certificate
    } == compared.design.certificate


def test_a_pool_that_is_a_check_is_one_tuple_that_every_booklet_asks() -> None:
    study = make_checked_comparisons(screens_per_booklet=2)

    n_booklets = study.design.booklets.count()
    (of_check,) = study.design.tuples.filter(pool__key="g2")

    assert n_booklets == 3
    assert of_check.questions.count() == n_booklets
    assert of_check.members.count() == 3
    for number in range(1, n_booklets + 1):
        asked = _asked(study, booklet=number)
        assert asked[0] == "g1"
        assert [asked[1], asked[-1]] == ["all", "all"]
        assert sorted(asked[2:-1]) == ["g2", "g3"]


def test_a_single_screen_has_the_checks_among_its_questions() -> None:
    study = make_checked_comparisons(questions_per_screen=20)

    assert [len(screen) for screen in _screens(study)] == [1, 8]


def test_more_checks_than_there_are_are_refused() -> None:
    with pytest.raises(ImpossibleParametersError, match="Choose at most 2 per booklet"):
        make_checked_ratings(n_checks=3)
    with pytest.raises(ImpossibleParametersError, match="Choose at most 2 per booklet"):
        make_checked_comparisons(n_checks=3)


@pytest.mark.parametrize("high", ["4", "5"])
def test_a_check_that_nobody_can_answer_rightly_is_refused(high: str) -> None:
    # Of 5 the tolerance reaches to 6, but what is expected is off the scale.
    study = make_checked_ratings(open_it=False)
    study.scale = {"low": "0", "high": high, "step": "1", "labels": {}}
    study.save()

    with pytest.raises(
        ImpossibleParametersError, match="answer to the check c1; the expected answer is 6"
    ):
        designs.make(design=study.design)


def test_a_tolerance_that_makes_every_rating_right_is_refused() -> None:
    study = make_checked_ratings(open_it=False)
    study.checks.update(tolerance=6)

    with pytest.raises(ImpossibleParametersError, match="c1, because its tolerance is 6"):
        designs.make(design=study.design)

    study.checks.update(tolerance=5)
    assert designs.make(design=study.design).is_made


def test_a_check_cannot_calibrate() -> None:
    with pytest.raises(ImpossibleParametersError, match="item c1 is a check"):
        make_checked_ratings(calibration=["c1"])


def test_plans_and_certificates_tell_checks_apart() -> None:
    rated = make_checked_ratings(rated_pairs(MANY, pairs=20), n_checks=5)
    plan = rating_plans.plan(rated, RatingParameters.of(rated.design))
    assert (plan.n_items, plan.n_ratings, plan.n_checks) == (20, 20, 7)
    assert plan.questions_min == plan.questions_max == 27
    said = " ".join(kind_of(rated).designs.certificate(rated.design))
    assert "Everybody rates 20 items." in said
    assert "Each phase starts with 2 tutorial questions" in said
    assert "The study has 4 loud and 4 silent checks; each booklet contains 5 of them" in said

    compared = make_checked_comparisons()
    plan = plans.plan(compared, BestWorstParameters.of(compared.design))
    assert (plan.n_items, plan.n_pools, plan.n_tuples, plan.n_checks) == (6, 1, 6, 3)
    assert plan.n_answers == 12
    assert plans.warnings(compared.design) == []


def test_the_page_of_the_design_says_how_many_checks_there_are() -> None:
    study = make_checked_comparisons(open_it=False)

    page = text(signed_in(study.owner).get(url(study, "design")))

    assert "Everybody also answers 3 checks, which do not count towards any score." in page
    assert "Checks in a booklet" in page


@pytest.mark.parametrize(
    ("expected", "several", "said"),
    [
        (["sme"], False, "The check c1 expects the category sme, which the study does not have."),
        (["same", "other"], False, "The check c1 expects several categories, but people choose"),
        (["same", "other"], True, ""),
    ],
)
def test_categories_that_nobody_can_choose_are_refused(
    expected: list[str], several: bool, said: str
) -> None:
    study = make_checked_ratings(open_it=False)
    study.kind = "label"
    study.categories = {"names": ["same", "other"], "several": several}
    study.checks.update(categories=expected)

    if said:
        with pytest.raises(ImpossibleParametersError, match=said):
            checks_of(study, None)
    else:
        assert checks_of(study, None).n_in_booklet == 3


@pytest.mark.parametrize("make", [make_checked_ratings, make_checked_comparisons])
def test_the_keys_of_questions_do_not_show_which_are_checks(make) -> None:
    study = make()

    for booklet in study.design.booklets.all():
        in_order = booklet.questions.order_by("screen", "position").values_list("pk", flat=True)
        assert list(in_order) == sorted(in_order)
        assert booklet.questions.filter(block__purpose=Block.Purpose.CHECK).exists()
