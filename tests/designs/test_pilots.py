"""Pilots: a part of a draft in a study of its own, and what is taken from it."""

import pytest

from annotation.basics.errors import StateError
from annotation.core.queries import counted_answers
from annotation.designs.queries.answered_studies import studies_with_answers
from annotation.designs.services import designs, pilots
from annotation.kinds.design_parameters import ImpossibleParametersError
from annotation.models import Check, Item, Judgment, Study
from annotation.studies.services import researchers, studies
from tests.support.answering import answer_all
from tests.support.factories import join, make_open_study, make_study, make_user
from tests.support.rating import make_rating_study

pytestmark = pytest.mark.django_db


def texts_of(items) -> list[tuple[str, str, str]]:
    return sorted((item.key, item.target, item.candidate) for item in items)


def test_a_pilot_has_whole_dialogues_texts_and_numbers_and_its_answers_stay_apart() -> None:
    study = make_study(dialogues=6)
    colleague = make_user()
    study.shared_with.add(colleague)
    pilot = pilots.begin(study=study, n_parts=2)

    assert (pilot.pilot_of, pilot.owner, pilot.state) == (study, study.owner, "draft")
    assert [*pilot.shared_with.all()] == [colleague]
    researchers.unshare(study=study, user=colleague)
    assert not Study.objects.seen_by(colleague).exists()
    assert pilot.pools.count() == 2
    there = study.items.filter(pool__key__in=pilot.pools.values("key"))
    assert there.count() == 10
    assert texts_of(pilot.items.all()) == texts_of(there)
    assert pilot.contexts.count() == 2
    assert pilot.design.parameters == study.design.parameters
    assert pilot.design.seed != study.design.seed
    assert studies.current_consent(pilot).text == studies.current_consent(study).text

    designs.make(design=pilot.design)
    studies.open_study(study=pilot)
    answer_all(join(pilot).assignment)
    assert counted_answers.judgments_of(pilot, "people").exists()
    assert not counted_answers.judgments_of(study, "people").exists()
    # The draft is as free as before.
    studies.edit(study=study, changes={"most_question": "Which is nearest?"})
    designs.make(design=study.design)
    # The planner offers the pilot before anything that is newer.
    newer = make_open_study(owner=study.owner)
    answer_all(join(newer).assignment)
    offered = studies_with_answers(study.owner, besides=study)
    assert offered == [pilot, newer]


def test_each_pilot_is_drawn_anew_and_the_same_seed_draws_the_same() -> None:
    study, twin = make_study(dialogues=8), make_study(dialogues=8)

    def drawn(of: Study) -> set[str]:
        pilot = pilots.begin(study=of, n_parts=3)
        return {*pilot.pools.values_list("key", flat=True)}

    first, second = drawn(study), drawn(study)
    assert first != second
    assert (first, second) == (drawn(twin), drawn(twin))
    titles = [*study.pilots.order_by("pk").values_list("title", flat=True)]
    assert titles == [f"Pilot 1 of {study.title}", f"Pilot 2 of {study.title}"]


def test_checks_and_calibration_come_along() -> None:
    study = make_study(dialogues=4)
    Check.objects.create(
        study=study, pool=study.pools.get(key="d4"), style=Check.Style.LOUD, explanation="Because."
    )
    pilot = pilots.begin(study=study, n_parts=1)
    check = pilot.checks.get()
    assert (check.pool.key, check.style, check.explanation) == ("d4", "loud", "Because.")
    assert pilot.items.without_checks().count() == 5
    assert pilot.items.count() == 10

    ratings = make_rating_study(pairs=12, open_it=False)
    named = [*ratings.items.order_by("number").values_list("key", flat=True)[:2]]
    design = ratings.design
    design.parameters = {**design.parameters, "calibration": named}
    design.save()
    pilot = pilots.begin(study=ratings, n_parts=3)
    assert pilot.items.count() == 5
    assert {*named} <= {*pilot.items.values_list("key", flat=True)}


def test_what_cannot_be_a_pilot_says_why() -> None:
    study = make_study(dialogues=2)
    with pytest.raises(ImpossibleParametersError, match="only 2"):
        pilots.begin(study=study, n_parts=3)
    with pytest.raises(ImpossibleParametersError, match="at least 1"):
        pilots.begin(study=study, n_parts=0)
    pilot = pilots.begin(study=study, n_parts=1)
    with pytest.raises(StateError, match="This study is a pilot"):
        pilots.begin(study=pilot, n_parts=1)
    designs.make(design=study.design)
    studies.open_study(study=study)
    with pytest.raises(StateError, match="only before the study opens"):
        pilots.begin(study=study, n_parts=1)
    assert Study.objects.filter(pilot_of=study).count() == 1


def test_texts_are_taken_from_the_pilot_one_by_one(client) -> None:
    study = make_study()
    pilot = pilots.begin(study=study, n_parts=1)
    assert pilots.changed_texts(study, pilot) == []
    studies.edit(
        study=pilot, changes={"instructions": "Read twice.", "most_question": "Most alike?"}
    )
    taken = pilots.take_texts(study=study, pilot=pilot, names=["instructions", "thanks"])
    assert [one.field for one in taken] == ["instructions"]
    study.refresh_from_db()
    assert study.instructions == "Read twice."
    assert study.most_question != "Most alike?"
    stranger = make_study()
    with pytest.raises(StateError, match="is not a pilot of this study"):
        pilots.take_texts(study=stranger, pilot=pilot, names=["instructions"])
    # Somebody who sees the study but not its pilot does not learn of it here.
    other = make_user()
    study.shared_with.add(other)
    client.force_login(other)
    assert client.get(f"/admin/annotation/study/{study.pk}/pilots/").status_code == 200
    address = f"/admin/annotation/study/{study.pk}/pilots/{pilot.pk}/texts/"
    assert client.get(address).status_code == 404


def test_a_pilot_is_made_used_and_left_by_its_pages(client) -> None:
    study = make_study(dialogues=5)
    client.force_login(study.owner)
    address = f"/admin/annotation/study/{study.pk}/pilots/"
    wrong = client.post(address, {"n_parts": "9"})
    assert wrong.status_code == 400
    assert "There are only 5" in wrong.content.decode()
    made = client.post(address, {"n_parts": "2"})
    pilot = study.pilots.get()
    assert made["Location"] == f"/admin/annotation/study/{pilot.pk}/"
    assert study.title in client.get(made["Location"]).content.decode()
    studies.edit(study=pilot, changes={"thanks": "Bye."})
    page = client.get(f"{address}{pilot.pk}/texts/").content.decode()
    assert "Bye." in page
    client.post(f"{address}{pilot.pk}/texts/", {"text": ["thanks"]})
    study.refresh_from_db()
    assert study.thanks == "Bye."
    # Nothing is left to compare.
    assert client.get(f"{address}{pilot.pk}/texts/")["Location"] == address
    assert Item.objects.filter(study=pilot).count() == 10
    assert not Judgment.objects.exists()
