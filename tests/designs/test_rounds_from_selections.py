"""The next round: what was chosen becomes the pairs of a rating study."""

from decimal import Decimal

import pytest
from django.test import Client

from annotation.answering.services import withdrawal
from annotation.basics.errors import StateError
from annotation.basics.scale import Scale
from annotation.core.services import jobs
from annotation.designs.services import designs, rounds
from annotation.models import Context, Item, Pool, Study
from annotation.studies.services import studies
from tests.support import rating, selecting
from tests.support.researcher_pages import in_one_line, text, url

pytestmark = pytest.mark.django_db


def draft_after(earlier: Study, preset: str = "czech-round-2") -> Study:
    return studies.create(
        owner=earlier.owner, title="Round 2", preset=preset, earlier_round=earlier
    )


def answered(**options) -> Study:
    """A closed selection study; the first person chooses otherwise than the others."""
    study = selecting.make_selection_study(**options)
    number = 0
    while study.design.booklets.filter(places__assignments__isnull=True).exists():
        joined = selecting.join(study)
        for question in joined.assignment.booklet.questions.order_by("screen"):
            places = (5, 1, 3) if number == 0 else (0, 2, 4)
            selecting.select(joined.assignment, question, places=places, ratings=("5", "4", "1"))
        selecting.assignments.submit(assignment=joined.assignment)
        number += 1
    return studies.close(study=study)


def test_every_answer_gives_three_pairs_in_their_order() -> None:
    earlier = answered(incidents=2, incidents_per_booklet=1)
    study = draft_after(earlier)

    continued = rounds.begin(study=study, earlier=earlier)

    assert continued.n_items == 2 * 2 * 3
    first = earlier.annotators.order_by("pk").first()
    asked = first.assignments.get().booklet.questions.order_by("screen")
    incident = asked[0].turn.context.group.key
    items = list(study.items.order_by("number")[:6])
    assert [item.key for item in items] == [
        f"{incident}/{sentence}/{role}"
        for sentence in (1, 2)
        for role in ("similar", "middle", "dissimilar")
    ]
    assert [item.intended_class for item in items[:3]] == ["similar", "middle", "dissimilar"]
    assert [item.earlier_rating for item in items[:3]] == [5, 4, 1]
    texts = [selecting.Turn.objects.get(pk=pk).text for pk in selecting.choices(asked[0])]
    assert [item.candidate for item in items[:3]] == [texts[5], texts[1], texts[3]]
    assert {item.target for item in items[:3]} == {asked[0].turn.text}
    assert items[0].metadata == {"annotator": first.pseudonym}
    assert len({item.pool_id for item in items[:3]}) == 1
    assert Pool.objects.filter(study=study).count() == 4


def test_the_new_study_needs_nothing_of_the_earlier_one() -> None:
    earlier = answered()
    study = draft_after(earlier)

    rounds.begin(study=study, earlier=earlier)

    for item in Item.objects.filter(study=study):
        assert item.target_turn.context.study_id == study.pk
        assert item.candidate_turn.context.study_id == study.pk
        assert item.target_turn.context.group_id == item.candidate_turn.context.group_id
    assert Context.objects.filter(study=study).count() == 3
    assert study.context_groups.get().key == "i1"


def test_pairs_of_several_people_are_told_apart() -> None:
    earlier = answered(people_per_incident=2)
    study = draft_after(earlier)

    rounds.begin(study=study, earlier=earlier)

    # By a number of each, which nobody is known by.
    whose = range(1, 1 + earlier.annotators.count())
    pools = list(study.pools.order_by("number").values_list("key", flat=True))
    assert pools == [f"i1/{sentence}/{one}" for one in whose for sentence in (1, 2)]


def test_only_what_counts_becomes_a_pair() -> None:
    earlier = answered(incidents=2, incidents_per_booklet=1)
    gone, stays = earlier.annotators.order_by("pk")
    unsent = selecting.make_selection_study()
    selecting.select_all(selecting.join(unsent).assignment, send=False)
    unsent = studies.close(study=unsent)

    withdrawal.withdraw(annotator=gone)
    study = draft_after(earlier)
    rounds.begin(study=study, earlier=earlier)

    assert {item.metadata["annotator"] for item in study.items.all()} == {stays.pseudonym}
    with pytest.raises(StateError, match="no completed booklets"):
        rounds.begin(study=draft_after(unsent), earlier=unsent)


def test_a_rating_design_is_made_of_the_pairs_and_people_rate_them() -> None:
    earlier = answered(incidents=2)
    study = draft_after(earlier)
    rounds.begin(study=study, earlier=earlier)

    design = designs.make(design=study.design)
    study = studies.open_study(study=study)
    rating.rate_phase(rating.join(study).assignment)

    # Three people divide every group of three pairs among them.
    assert design.certificate["pairs_per_tuple"] == 3
    assert Scale.of(study.scale).has(Decimal(6))


def test_it_takes_a_draft_and_a_study_that_is_over() -> None:
    earlier = selecting.make_selection_study()
    selecting.select_all(selecting.join(earlier).assignment)

    with pytest.raises(StateError, match="Close it first"):
        rounds.begin(study=draft_after(earlier), earlier=earlier)
    closed = studies.close(study=earlier)
    other = selecting.make_selection_study(open_it=False)
    with pytest.raises(StateError, match="Only a rating study can continue"):
        rounds.begin(study=other, earlier=closed)


@pytest.mark.slow
def test_the_results_page_leads_on(client: Client) -> None:
    earlier = answered()
    client.force_login(earlier.owner)

    page = text(client.get(url(earlier, "results")))
    assert "This gives 6 pairs for a rating study." in page
    link = f"/admin/annotation/study/add/?earlier_round={earlier.pk}"
    assert link in page
    assert link in text(client.get(url(earlier, "change")))
    form = in_one_line(text(client.get(link)))
    assert 'value="czech-round-2" id="preset-czech-round-2" aria-describedby' in form
    assert f'<option value="{earlier.pk}" selected>' in form

    response = client.post(
        link,
        {
            "title": "Round 2",
            "preset": "czech-round-2",
            "language": "en",
            "earlier_round": earlier.pk,
        },
    )

    assert response.status_code == 302
    study = Study.objects.get(title="Round 2")
    jobs.run(study.jobs.get().pk)
    assert study.items.count() == 6
    assert study.earlier_round == earlier
    # The desk has gone on: what is left is the download.
    desk = text(client.get(url(earlier, "change")))
    assert desk.index('aria-current="step"') > desk.index("Next round")


def test_before_it_is_closed_the_desk_leads_to_closing_it(client: Client) -> None:
    earlier = selecting.make_selection_study()
    selecting.select_all(selecting.join(earlier).assignment)
    client.force_login(earlier.owner)

    for name in ("change", "results"):
        page = text(client.get(url(earlier, name)))
        assert url(earlier, "close") in page
        assert "?earlier_round=" not in page


def test_the_score_button_starts_a_job(client: Client) -> None:
    earlier = answered()
    client.force_login(earlier.owner)

    client.post(url(earlier, "score"))

    assert earlier.jobs.get().kind == "score"
