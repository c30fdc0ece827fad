"""Uploading, looking, importing; choosing numbers and making the design; walking through."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.core.services import jobs, workers
from annotation.designs.services import designs
from annotation.kinds import default_texts
from annotation.kinds.contract.items import PoolNeed
from annotation.kinds.design_parameters import BestWorstParameters
from annotation.models import Annotator, Assignment, Draft, Job, Judgment, Study
from tests.support.factories import make_open_study, make_study
from tests.support.rating import TWICE, make_rating_study
from tests.support.researcher_pages import said, signed_in, text, url

pytestmark = pytest.mark.django_db


def dialogues(n: int = 3, candidates: int = 5) -> bytes:
    lines = [
        json.dumps(
            {
                "id": f"x{d}",
                "turns": [
                    {"speaker": "A", "text": "<b>Hi</b>"},
                    {"speaker": "B", "text": f"T{d}"},
                ],
                "candidates": [{"text": f"={d}-{c}"} for c in range(candidates)],
            }
        )
        for d in range(n)
    ]
    return "\n".join(lines).encode()


def upload(client: Client, study: Study, content: bytes, name: str = "d.jsonl"):
    return client.post(url(study, "upload"), {"file": SimpleUploadedFile(name, content)})


def test_a_file_is_looked_at_before_it_is_imported() -> None:
    study = make_study(dialogues=0)
    client = signed_in(study.owner)

    there = upload(client, study, dialogues())
    page = client.get(there["Location"])

    assert "3 dialogues with 15 items." in text(page)
    assert "&lt;b&gt;Hi&lt;/b&gt;" in text(page)
    assert "=0-0" in text(page)
    assert study.items.count() == 0

    name = there["Location"].split("/preview/")[1].split("/")[0]
    started = client.post(url(study, "import_start", name), {"filename": "d.jsonl"})
    job = Job.objects.get()
    assert started["Location"] == url(study, "job", job.pk)
    jobs.run(job.pk)

    assert study.items.count() == 15
    assert "15 items" in text(client.get(url(study, "items")))


def test_a_question_about_the_last_turn_does_not_fit_items_without_dialogues() -> None:
    study = make_study(dialogues=0)
    texts = default_texts.of_dialogues("en")
    asked = ("most_question", "least_question", "instructions")
    Study.objects.update(**{name: texts[name] for name in asked})
    client = signed_in(study.owner)

    def warns(content: bytes, name: str) -> bool:
        return "data-asks-about-dialogues" in text(
            client.get(upload(client, study, content, name)["Location"])
        )

    assert not warns(dialogues(), "d.jsonl")
    assert warns(b"id\ttext\nw1\tcheerful\nw2\tgloomy\nw3\tsad\n", "w.tsv")
    # As long as one of the texts speaks of a dialogue.
    Study.objects.update(most_question="Which word is most positive?")
    assert warns(b"id\ttext\nw1\tcheerful\nw2\tgloomy\nw3\tsad\n", "w.tsv")
    Study.objects.update(least_question="Which is least?", instructions="Compare the words.")
    assert not warns(b"id\ttext\nw1\tcheerful\nw2\tgloomy\nw3\tsad\n", "w.tsv")


def test_every_problem_is_listed_with_its_line_and_nothing_is_kept(settings) -> None:
    study = make_study(dialogues=0)
    bad = b'{"id": "a", "turns": []}\nnot json\n' + dialogues(1)

    response = upload(signed_in(study.owner), study, bad)

    page = text(response)
    assert response.status_code == 400
    assert "line 1: turns is an empty list" in page
    assert "line 1: candidates is missing" in page
    assert "line 2: broken JSON" in page
    assert not study.items.exists()
    assert not Job.objects.exists()
    assert list((settings.MEDIA_ROOT / "imports").iterdir()) == []


def test_without_a_file_nothing_happens() -> None:
    study = make_study(dialogues=0)

    response = signed_in(study.owner).post(url(study, "upload"))

    assert response.status_code == 400
    assert "Choose a file first." in text(response)


def test_replacing_items_has_to_be_confirmed() -> None:
    study = make_study()
    client = signed_in(study.owner)
    there = upload(client, study, dialogues())["Location"]
    name = there.split("/preview/")[1].split("/")[0]

    assert "aria-invalid" not in text(client.get(there))
    refused = client.post(url(study, "import_start", name), {"filename": "d.jsonl"}, follow=True)
    # The error belongs to the box, wherever on the page it is.
    assert refused.status_code == 400
    box = re.search(r'<input type="checkbox" id="replace"[^>]*>', text(refused))
    assert box is not None
    assert 'aria-invalid="true"' in box[0]
    assert 'aria-describedby="replace-error"' in box[0]
    assert 'id="replace-error"' in text(refused)
    assert not Job.objects.exists()

    client.post(url(study, "import_start", name), {"filename": "d.jsonl", "replace": "yes"})
    jobs.run(Job.objects.get().pk)
    assert study.items.count() == 15


def small_pools(response: Any) -> list[tuple[str, int]]:
    return [(pool.key, pool.n_items) for pool in response.context["small_pools"]]


def test_the_preview_warns_of_dialogues_with_too_few_candidates_for_the_design() -> None:
    study = make_study(dialogues=0)
    client = signed_in(study.owner)
    short = dialogues(4, candidates=4).splitlines()[3]
    content = dialogues() + b"\n" + short

    preview = client.get(upload(client, study, content)["Location"])
    whole = client.get(upload(client, study, dialogues())["Location"])

    assert small_pools(preview) == [("x3", 4)]
    assert preview.context["pool_need"] == PoolNeed(5, tuple_size=3, factor=2)
    assert "data-small-pools" in text(preview)
    assert small_pools(whole) == []
    assert "data-small-pools" not in text(whole)
    # It is only a warning: another factor may be chosen later.
    name = upload(client, study, content)["Location"].split("/preview/")[1].split("/")[0]
    client.post(url(study, "import_start", name), {"filename": "d.jsonl"})
    jobs.run(Job.objects.get().pk)
    assert study.items.count() == 19


def test_the_preview_warns_of_small_groups_and_of_too_few_items_but_not_of_checks() -> None:
    study = make_study(dialogues=0)
    client = signed_in(study.owner)
    rows = [*(f"a{n}\ta\t\t\tA {n}" for n in range(5)), *(f"b{n}\tb\t\t\tB {n}" for n in range(3))]
    checks = [f"c{n}\tc\tsilent\t{n}\tC {n}" for n in range(3)]
    groups = "\n".join(["id\tgroup\tcheck\texpected\ttext", *rows, *checks]).encode()
    few = b"id\ttext\nw1\tcheerful\nw2\tgloomy\nw3\tsad\n"

    def preview(content: bytes) -> Any:
        return client.get(upload(client, study, content, "w.tsv")["Location"])

    assert small_pools(preview(groups)) == [("b", 3)]
    assert small_pools(preview(few)) == [("", 3)]


def test_the_preview_says_how_many_candidates_there_are_beside_those_shown() -> None:
    study = make_study(dialogues=0)
    client = signed_in(study.owner)

    five = client.get(upload(client, study, dialogues(1, candidates=5))["Location"])
    three = client.get(upload(client, study, dialogues(1, candidates=3))["Location"])

    assert 'data-n-candidates="5"' in text(five)
    assert "data-n-candidates" not in text(three)


@pytest.mark.parametrize(
    ("numbers", "needed"), [({}, 5), ({"tuple_size": 4}, 6), ({"factor": 1}, 4)]
)
def test_the_page_of_items_says_how_many_candidates_the_design_needs(
    numbers: dict[str, Any], needed: int
) -> None:
    study = make_study(dialogues=0)
    parameters = replace(BestWorstParameters.of(study.design), **numbers)
    designs.set_parameters(study=study, parameters=parameters, seed=1)

    page = signed_in(study.owner).get(url(study, "items"))

    assert page.context["pool_need"].n_items == needed
    assert "data-pool-need" in text(page)


def test_an_upload_of_another_study_is_unknown() -> None:
    mine, theirs = make_study(dialogues=0), make_study(dialogues=0)
    there = upload(signed_in(theirs.owner), theirs, dialogues())["Location"]
    name = there.split("/preview/")[1].split("/")[0]
    client = signed_in(mine.owner)

    looked = client.get(url(mine, "import_preview", name), follow=True)
    started = client.post(url(mine, "import_start", name), {"filename": "d.jsonl"}, follow=True)

    sentence = "The uploaded file is no longer there. Upload it again."
    assert said(looked) == said(started) == [sentence]
    assert not Job.objects.exists()


def test_items_of_an_open_study_cannot_be_replaced() -> None:
    study = make_open_study()
    client = signed_in(study.owner)

    page = text(client.get(url(study, "items")))
    looked = upload(client, study, dialogues())
    response = client.post(
        url(study, "import_start", "1-1-0"), {"filename": "d.jsonl", "replace": "yes"}, follow=True
    )

    assert "The items have been frozen since the study was opened" in page
    assert looked["Location"] == url(study, "items")
    frozen = (
        "The items have been frozen since the study was opened. To use other items, create a new"
        " study."
    )
    assert said(response)[-1] == frozen
    assert study.items.count() == 10


# -- Jobs ---------------------------------------------------------------------------------------


def test_a_jobs_page_says_that_no_worker_runs_until_one_does() -> None:
    study = make_study()
    job = jobs.start(study=study, kind=Job.Kind.MAKE_DESIGN)
    client = signed_in(study.owner)

    before = client.get(url(study, "job_state", job.pk)).json()
    workers.seen()
    after = client.get(url(study, "job_state", job.pk)).json()

    assert (before["state"], before["needs_worker"]) == ("queued", True)
    assert after["needs_worker"] is False
    assert "Refresh" in text(client.get(url(study, "job", job.pk)))


def test_a_failed_job_shows_its_problems_one_a_line() -> None:
    study = make_study(candidates=2)
    job = jobs.start(study=study, kind=Job.Kind.MAKE_DESIGN)
    jobs.run(job.pk)
    client = signed_in(study.owner)

    page = text(client.get(url(study, "job", job.pk)))
    desk = text(client.get(url(study, "change")))

    assert "cannot fill a tuple of 3" in page
    assert "cannot fill a tuple of 3" in desk
    assert "Refresh" not in page


def test_a_job_of_another_study_is_not_found() -> None:
    mine, theirs = make_study(), make_study()
    job = jobs.start(study=theirs, kind=Job.Kind.MAKE_DESIGN)

    assert signed_in(mine.owner).get(url(mine, "job", job.pk)).status_code == 404


def links(page: str) -> list[tuple[bool, str]]:
    """The buttons of a job's page: whether each is the primary, and where it leads."""
    return [
        ("primary" in classes, address)
        for classes, address in re.findall(r'<a class="action([^"]*)" href="([^"]*)"', page)
    ]


def test_the_page_of_an_import_says_what_came_out_and_leads_to_the_design() -> None:
    study = make_study(dialogues=0)
    client = signed_in(study.owner)
    name = upload(client, study, dialogues())["Location"].split("/preview/")[1].split("/")[0]
    client.post(url(study, "import_start", name), {"filename": "d.jsonl"})
    job = Job.objects.get()

    before = client.get(url(study, "job", job.pk)).context["job"]
    jobs.run(job.pk)
    page = client.get(url(study, "job", job.pk))

    assert (before["outcome"], before["next_step"]) == ("", None)
    outcome = page.context["job"]["outcome"]
    assert "15 items" in outcome
    assert "3 dialogues" in outcome
    assert (True, url(study, "design")) in links(text(page))
    assert (False, url(study, "items")) in links(text(page))


def test_the_page_of_a_made_design_says_what_came_out_and_leads_to_trying_it() -> None:
    study = make_study()
    client = signed_in(study.owner)
    first = jobs.start(study=study, kind=Job.Kind.MAKE_DESIGN)
    jobs.run(first.pk)

    page = client.get(url(study, "job", first.pk))

    assert "20 tuples" in page.context["job"]["outcome"]
    assert (True, url(study, "try")) in links(text(page))
    assert (False, url(study, "design")) in links(text(page))

    # What an earlier job made is no longer there.
    second = jobs.start(study=study, kind=Job.Kind.MAKE_DESIGN)
    jobs.run(second.pk)
    earlier = client.get(url(study, "job", first.pk)).context["job"]
    assert (earlier["outcome"], earlier["next_step"]) == ("", None)


# -- Design -------------------------------------------------------------------------------------


def numbers(study: Study, **changes: object) -> dict[str, object]:
    parameters = BestWorstParameters.of(study.design)
    return {
        **{name: "" if n is None else n for name, n in parameters.__dict__.items()},
        "seed": study.design.seed,
        "idle_minutes": study.idle_minutes,
        "max_booklets": study.max_booklets,
        **changes,
    }


def test_the_consequences_are_computed_by_the_server() -> None:
    study = make_study(dialogues=4)
    client = signed_in(study.owner)

    good = client.get(url(study, "consequences"), numbers(study)).json()
    bad = client.get(url(study, "consequences"), numbers(study, tuple_size=6)).json()
    missing = client.get(url(study, "consequences"), {}).json()
    beyond = client.get(url(study, "consequences"), numbers(study, tuple_size=9)).json()

    assert good["sentence"].startswith("20 items give 40 tuples in 2 booklets")
    assert "10 places and 200 answers" in good["sentence"]
    assert good["problem"] == ""
    assert "5 items cannot fill a tuple of 6" in bad["problem"]
    assert missing["problem"] == "Fill in all numbers first."
    assert beyond["problem"] == (
        "Items shown together (k): Ensure this value is less than or equal to 8."
    )
    assert study.design.parameters["tuple_size"] == 3


def test_the_plan_agrees_with_the_design_that_is_made() -> None:
    from annotation.kinds.best_worst.queries import plans

    study = make_study(dialogues=7)
    plan = plans.plan(study, BestWorstParameters.of(study.design))

    design = designs.make(design=study.design)

    assert plan.n_tuples == design.tuples.count()
    assert plan.n_booklets == design.booklets.count()
    assert plan.n_places == sum(b.places.count() for b in design.booklets.all())


def test_making_the_design_leads_to_its_certificate() -> None:
    study = make_study()
    client = signed_in(study.owner)

    response = client.post(url(study, "design"), numbers(study, seed=7, make="1"))
    job = Job.objects.get()
    assert response["Location"] == url(study, "job", job.pk)
    jobs.run(job.pk)
    page = text(client.get(url(study, "design")))

    assert study.design.seed == 7
    assert "10 tuples of 3 items are drawn from 5 items" in page
    assert "with seed 7" in page
    assert "Candidate 1 of dialogue 1." in page


@pytest.mark.parametrize(("size", "field"), [(4, "factor"), (6, "tuple_size")])
def test_numbers_that_are_impossible_together_mark_the_field_to_mend(
    size: int, field: str
) -> None:
    study = make_study()

    response = signed_in(study.owner).post(url(study, "design"), numbers(study, tuple_size=size))

    assert set(response.context["form"].errors) == {field}


def test_a_dialogue_with_too_few_candidates_is_named_with_both_remedies() -> None:
    study = make_study(dialogues=3)
    study.pools.get(key="d2").items.order_by("-pk").first().delete()
    client = signed_in(study.owner)

    page = client.get(url(study, "design"))
    problem = client.get(url(study, "consequences"), numbers(study)).json()["problem"]

    # One dialogue does not lower the factor of all the others.
    assert page.context["form"]["factor"].value() == 2
    assert "Dialogue d2 has 4 candidates" in problem
    assert "at least 5" in problem
    assert "factor 1 " in problem
    assert problem.startswith(str(page.context["form"]["factor"].label))


def test_a_smaller_factor_is_proposed_if_no_pool_is_large_enough() -> None:
    study = make_study(candidates=4)
    client = signed_in(study.owner)

    page = client.get(url(study, "design"))

    assert page.context["form"]["factor"].value() == 1
    assert page.context["problem"] == ""
    # Nothing is stored before somebody saves it.
    assert study.design.parameters["factor"] == 2
    response = client.post(url(study, "design"), numbers(study, factor=1, make="1"))
    assert response.status_code == 302
    assert Job.objects.exists()


def test_one_booklet_is_said_in_the_singular() -> None:
    study = make_study(dialogues=1)

    said = signed_in(study.owner).get(
        url(study, "consequences"), numbers(study, annotations_per_tuple=1, screens_per_booklet=50)
    )

    assert said.json()["sentence"] == (
        "5 items give 10 tuples in 1 booklet of about 10 questions each. With 1 person per tuple,"
        " that makes 1 place and 10 answers."
    )


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"tuple_size": 4}, "factor"),
        ({"tuple_size": 6}, "cannot fill a tuple of 6"),
        ({"tuple_size": 1}, "greater than or equal to 2"),
        ({"factor": ""}, "This field is required."),
        ({"seed": -1}, "greater than or equal to 0"),
        ({"strata": ["colour"]}, "colour is not one of the available choices"),
    ],
)
def test_impossible_numbers_are_refused_and_nothing_is_stored(
    wrong: dict[str, object], sentence: str
) -> None:
    study = make_study()
    before = study.design.parameters

    response = signed_in(study.owner).post(url(study, "design"), numbers(study, make="1", **wrong))

    assert response.status_code == 400
    assert sentence in text(response)
    assert study.design.parameters == before
    assert not Job.objects.exists()


def test_other_numbers_throw_a_made_design_away_only_after_asking() -> None:
    study = make_study()
    designs.make(design=study.design)
    client = signed_in(study.owner)
    form = numbers(study, annotations_per_tuple=3)

    asked = client.post(url(study, "design"), form)
    assert "Change the settings?" in text(asked)
    assert study.design.is_made

    client.post(url(study, "design"), {**form, "replace": "yes"})
    assert not study.design.is_made
    assert study.design.parameters["annotations_per_tuple"] == 3


def test_a_frozen_design_keeps_its_numbers_and_its_settings_stay_editable() -> None:
    study = make_open_study()
    client = signed_in(study.owner)
    before = study.design.parameters

    page = text(client.get(url(study, "design")))
    allowed = client.post(url(study, "design"), {"idle_minutes": 30, "max_booklets": 2})
    refused = client.post(url(study, "design"), numbers(study, annotations_per_tuple=9))

    study.refresh_from_db()
    assert "The design has been frozen since the study was opened" in page
    assert allowed.status_code == 302
    assert (study.idle_minutes, study.max_booklets) == (30, 2)
    assert refused.status_code == 409
    assert "The design has been frozen since the study was opened" in text(refused)
    assert study.design.parameters == before


# -- Walking through ----------------------------------------------------------------------------


def test_walking_through_shows_everything_and_leaves_nothing() -> None:
    study = make_study()
    study.comprehension = {
        "prompt": "Which?",
        "options": ["a", "b"],
        "right": 2,
        "feedback": "No.",
    }
    study.save()
    designs.make(design=study.design)
    client = signed_in(study.owner)

    start = client.get(url(study, "try"))
    not_agreed = client.post(url(study, "try"))
    agreed = client.post(url(study, "try"), {"agree": "1"})
    nothing = client.post(url(study, "try_instructions"))
    wrong = client.post(url(study, "try_instructions"), {"answer": "1"})
    right = client.post(url(study, "try_instructions"), {"answer": "2"})
    screen = client.get(right["Location"])
    n_screens = study.design.booklets.get(number=1).n_screens
    last = client.get(url(study, "try_screen", 1, n_screens))
    thanks = client.get(url(study, "try_thanks"))

    assert "nothing is saved" in text(start)
    assert (not_agreed.status_code, wrong.status_code) == (400, 400)
    assert "Tick the box if you agree." in text(not_agreed)
    assert agreed["Location"] == url(study, "try_instructions")
    assert "Choose an answer." in text(nothing)
    assert "No." in text(wrong)
    assert study.most_question in text(screen)
    assert url(study, "try_thanks") in text(last)
    assert thanks.status_code == 200
    for model in (Annotator, Assignment, Draft, Judgment):
        assert not model.objects.exists()


def test_from_each_screen_a_way_leads_to_the_next_phase() -> None:
    study = make_rating_study(phases=TWICE, pairs=2)
    client = signed_in(study.owner)
    n_screens = study.design.booklets.get(number=1).n_screens

    of_first, of_last = (
        client.get(url(study, "try_screen", 1, screen)) for screen in (1, n_screens + 1)
    )

    assert f'href="{url(study, "try_pause", 1, 1)}"' in text(of_first)
    assert of_last.context["next_phase"] == ""


def test_there_is_no_screen_beyond_the_last() -> None:
    study = make_open_study()
    client = signed_in(study.owner)

    assert client.get(url(study, "try_screen", 1, 999)).status_code == 404
    assert client.get(url(study, "try_screen", 999, 1)).status_code == 404


def test_without_a_design_there_is_nothing_to_walk_through() -> None:
    study = make_study()

    response = signed_in(study.owner).get(url(study, "try"), follow=True)

    assert said(response) == ["There is no design yet. Make one, then walk through it."]
