"""People of a roster who took part in an earlier round stay one person, and repeat items."""

import io

import pytest
from django.core.management import CommandError, call_command

from annotation.answering.services import assignments, withdrawal
from annotation.answering.services.rosters import RosterEntry, add_roster
from annotation.basics import clock, keys
from annotation.basics.errors import StateError
from annotation.designs.services import designs, rounds
from annotation.kinds.design_parameters import ImpossibleParametersError, RatingParameters
from annotation.kinds.rating.queries import repeats as rating_repeats
from annotation.kinds.rating.queries.answers import read_ratings
from annotation.kinds.services import recognition
from annotation.models import Assignment, Person, Question, Study
from annotation.studies.services import studies
from tests.designs.test_repeats import again, submit
from tests.support.designed_ratings import rating_study
from tests.support.factories import join
from tests.support.researcher_pages import signed_in, url

pytestmark = pytest.mark.django_db

ANNA = RosterEntry("s1", "Anna", "anna@example.org")
BORIS = RosterEntry("s2")


def start(annotator) -> Assignment:
    return assignments.start(annotator=annotator, consent=studies.current_consent(annotator.study))


def first_round(*entries: RosterEntry, is_linked: bool = False) -> Study:
    """A closed study of 10 pairs in booklets of 5; everybody on the roster has rated one."""
    study = rating_study(pairs=10, numbers={"ratings_per_item": 1, "items_per_booklet": 5})
    designs.make(design=study.design)
    study = studies.open_study(study=study)
    for one in add_roster(study=study, entries=entries):
        submit(start(one.annotator))
    if is_linked:
        submit(join(study).assignment)
    return studies.close(study=study)


def second_round(earlier: Study, **numbers) -> Study:
    """A draft with the same pairs, of which everybody rates 2 and repeats 2 of before."""
    study = studies.create(
        owner=earlier.owner, title="Round 2", preset="sts-context", earlier_round=earlier
    )
    study.comprehension = {}
    study.save()
    rounds.begin(study=study, earlier=earlier)
    usual = {
        "ratings_per_item": 1,
        "items_per_booklet": 2,
        "n_repeats": 2,
        "repeat_from": "earlier_round",
        "repeat_distance": 1,
    }
    designs.set_parameters(study=study, parameters=RatingParameters(**usual | numbers), seed=1)
    return study


def test_the_same_student_on_two_rosters_repeats_what_they_rated_before() -> None:
    earlier = first_round(ANNA, BORIS)
    study = second_round(earlier)
    designs.make(design=study.design)
    made = add_roster(study=study, entries=[ANNA, RosterEntry("s3")])
    studies.open_study(study=study)

    of_anna = start(made[0].annotator)
    submit(of_anna)
    Assignment.objects.filter(pk=of_anna.pk).update(state="submitted")

    assert [one.known_from for one in made] == [earlier, None]
    rated = Question.objects.filter(
        booklet__assignments__annotator__study=earlier,
        booklet__assignments__annotator__person=made[0].annotator.person,
    ).values_list("item__key", flat=True)
    main = of_anna.booklet.questions.values_list("item__key", flat=True)
    assert len(again(of_anna)) == 2
    assert {*again(of_anna)} <= {*rated} - {*main}
    before = rating_repeats.earlier_round(study, read_ratings(study.design, "people"), "people")
    assert sum(map(len, before.values())) == 5


@pytest.mark.parametrize(
    ("before", "now", "is_known"),
    [
        (RosterEntry("s1"), RosterEntry("s1", "Anna", "a@example.org"), True),
        (RosterEntry("s1", "Anna"), RosterEntry("s1", " anna"), True),
        (RosterEntry("a@example.org"), RosterEntry("s1", "Anna", "A@Example.org"), True),
        (RosterEntry("s1", email="a@example.org"), RosterEntry("a@example.org"), True),
        (RosterEntry("s1", "Anna"), RosterEntry("s2", "Anna"), False),
        # The same number of another list, or an address that two people share: nobody can tell.
        (RosterEntry("1", "Anna"), RosterEntry("1", "Boris"), None),
        (RosterEntry("1", email="a@example.org"), RosterEntry("1", email="b@example.org"), None),
        (RosterEntry("1", email="a@example.org"), RosterEntry("2", email="a@example.org"), None),
    ],
)
def test_what_is_the_same_person(
    before: RosterEntry, now: RosterEntry, is_known: bool | None
) -> None:
    study = second_round(first_round(before))

    found = recognition.matches(study, [now], study.owner)

    assert bool(found.sure) is (is_known is True)
    assert bool(found.in_doubt) is (is_known is None)


def test_two_rounds_back_and_only_within_the_studies_of_one_owner() -> None:
    first = first_round(ANNA)
    second = second_round(first)
    Study.objects.filter(pk=second.pk).update(
        state="closed", opened_at=clock.now(), closed_at=clock.now()
    )
    third = rating_study(pairs=1, owner=first.owner, earlier_round=second)
    # Others of the same owner that are not continued are another matter.
    apart = rating_study(pairs=1, owner=first.owner)
    of_a_colleague = rating_study(pairs=1, earlier_round=first)
    assert of_a_colleague.owner != first.owner

    [known] = add_roster(study=third, entries=[ANNA])
    strangers = [add_roster(study=study, entries=[ANNA])[0] for study in (apart, of_a_colleague)]

    assert known.annotator.person == first.annotators.get().person
    assert all(one.known_from is None for one in strangers)
    assert Person.objects.filter(platform_id="s1").count() == 3


def test_whoever_withdrew_or_was_erased_is_not_recognised() -> None:
    withdrawn = first_round(ANNA, BORIS)
    withdrawal.withdraw(annotator=withdrawn.annotators.get(person__platform_id="s1"))
    erased = first_round(ANNA)
    Study.objects.filter(pk=erased.pk).update(erased_at=clock.now())

    for earlier in (withdrawn, erased):
        study = rating_study(pairs=1, owner=earlier.owner, earlier_round=earlier)
        [made] = add_roster(study=study, entries=[ANNA])
        assert made.known_from is None


def test_in_doubt_nobody_is_added_until_somebody_says() -> None:
    earlier = first_round(RosterEntry("1", "Anna"), RosterEntry("2", "Boris"))
    study = second_round(earlier)
    entries = [RosterEntry("1", "Ada"), RosterEntry("2", "Bob"), RosterEntry("3", "Cem")]

    with pytest.raises(recognition.InDoubtError) as refused:
        add_roster(study=study, entries=entries, same=["1"])
    assert [match.entry.platform_id for match in refused.value.matches] == ["2"]
    assert not study.annotators.exists()

    made = add_roster(study=study, entries=entries, same=["1"], others=["2"])

    assert [one.known_from for one in made] == [earlier, None, None]
    assert add_roster(study=study, entries=entries) == []


def test_the_page_asks_and_takes_the_answer() -> None:
    earlier = first_round(RosterEntry("1", "Anna"))
    study = second_round(earlier)
    client = signed_in(study.owner)

    asked = client.post(url(study, "roster"), {"entries": "id,name\n1,Ada\n2,Bob"})
    assert asked.status_code == 409
    assert 'data-in-doubt="1"' in asked.content.decode()
    assert not study.annotators.exists()

    answered = client.post(
        url(study, "roster"), {"entries": asked.context["entries"], "who-1": "same"}
    )

    assert answered.status_code == 200
    assert 'data-recognised="1"' in answered.content.decode()
    assert study.annotators.count() == 2
    assert study.annotators.filter(person=earlier.annotators.get().person).exists()


def test_the_command_names_them_and_takes_the_answer(tmp_path) -> None:
    study = second_round(first_round(RosterEntry("1", "Anna")))
    file = tmp_path / "roster.csv"
    file.write_text("id,name\n1,Ada\n")
    with pytest.raises(CommandError, match="--in-doubt same"):
        call_command("roster", study.slug, str(file), stdout=io.StringIO())

    call_command(
        "roster", study.slug, str(file), "--in-doubt", "same",
        stdout=io.StringIO(), stderr=io.StringIO(),
    )  # fmt: skip

    assert study.annotators.get().person.name == "Anna"


def test_a_design_is_refused_where_nobody_could_be_recognised() -> None:
    study = second_round(first_round(is_linked=True))

    with pytest.raises(ImpossibleParametersError) as refused:
        designs.make(design=study.design)

    assert refused.value.field == "repeat_from"
    designs.set_parameters(
        study=study,
        parameters=RatingParameters(
            ratings_per_item=1, items_per_booklet=2, n_repeats=1, repeat_distance=1
        ),
        seed=1,
    )
    assert designs.make(design=study.design).is_made


def test_a_study_is_not_opened_where_nobody_has_something_to_repeat() -> None:
    study = second_round(first_round(ANNA))
    designs.make(design=study.design)
    add_roster(study=study, entries=[BORIS])
    with pytest.raises(StateError):
        studies.open_study(study=study)
    assert Study.objects.get(pk=study.pk).is_draft

    add_roster(study=study, entries=[ANNA])

    assert studies.open_study(study=study).state == Study.State.OPEN


def test_the_design_page_says_how_many_can_repeat() -> None:
    study = second_round(first_round(ANNA, BORIS))
    add_roster(study=study, entries=[ANNA])

    found = recognition.repeaters(study)
    page = signed_in(study.owner).get(url(study, "design"))

    assert (found.n_known, found.n_here, found.n_known_here) == (2, 1, 1)
    assert page.context["sentence"].values["rest"].values["here"] == 1


def test_of_a_long_list_each_stays_who_they_are() -> None:
    """New ones, some of the earlier round, some of this roster, and some who stand there twice."""
    known = [RosterEntry(f"s{n}", f"Student {n}") for n in range(5)]
    earlier = first_round(*known[:2])
    study = second_round(earlier)
    add_roster(study=study, entries=known[1:3])
    listed = [*known, *(RosterEntry(f"s{n}") for n in range(5, 40)), known[4]]

    made = add_roster(study=study, entries=listed)

    expected = ["s0", "s3", "s4", *(f"s{n}" for n in range(5, 40))]
    assert [one.annotator.person.platform_id for one in made] == expected
    assert [one.known_from for one in made] == [earlier, *[None] * 37]
    assert len({one.key for one in made}) == len(made)
    for one in made:
        assert one.annotator.key_hash == keys.key_hash(one.key)
    # Nobody became a second person: all who are on this roster, and one of the earlier round.
    assert Person.objects.count() == study.annotators.count() == 40
