"""The commands of a study from its items to its end, as scripts use them."""

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.answering.services import assignments
from annotation.crowds.stored_personal_data import ROSTER, to_be_added
from annotation.models import Study
from tests.support.answering import answer_all
from tests.support.factories import join, make_study
from tests.support.selecting import make_selection_study

pytestmark = pytest.mark.django_db


def run(name: str, *arguments: object) -> dict[str, Any]:
    out = io.StringIO()
    call_command(name, *map(str, arguments), "--json", stdout=out, stderr=io.StringIO())
    return json.loads(out.getvalue())


def said(name: str, *arguments: object) -> str:
    out = io.StringIO()
    call_command(name, *map(str, arguments), stdout=out, stderr=io.StringIO())
    return out.getvalue()


@pytest.mark.slow
def test_a_study_from_its_items_to_its_end(tmp_path) -> None:
    study = make_study(dialogues=4, slug="mine")

    planned = run("plan", "mine", "--set", "noise=0.2", "--set", "up_to=3")
    assert [row["n"] for row in planned["rows"]] == [1, 2, 3]
    assert planned["supposed"]["noise"] == "0.2"
    assert planned["currency"] == "EUR"
    assert planned["alternatives"] == []
    compared = run("plan", "mine", "--set", "up_to=3", "--set", "compare=True")
    assert [design["is_chosen"] for design in compared["alternatives"]].count(True) == 1
    head, *rows, costs = said("plan", "mine", "--set", "up_to=3", "--set", "currency=GBP").split(
        "\n"
    )[:-1]
    assert head.split("\t")[-2:] == ["without fees, GBP", "Prolific, GBP"]
    assert {len(row.split("\t")) for row in rows} == {len(head.split("\t"))}
    assert "GBP for each booklet" in costs
    pilot = Study.objects.get(slug=run("pilot", "mine", 2)["pilot"])
    assert (pilot.pilot_of, pilot.items.count()) == (study, 10)
    run("make_design", "mine", "--annotations-per-tuple", 1)
    assert run("open_study", "mine")["state"] == "open"
    assert run("progress", "mine")["places"]["done"] == 0
    with pytest.raises(CommandError, match="places are not completed yet"):
        run("progress", "mine", "--complete")
    roster = tmp_path / "roster.tsv"
    roster.write_text("id\tname\ns1\tAda\ns2\tBen\n", encoding="utf-8")
    links = run("roster", "mine", roster, "--base-url", "https://judge.example.org/")["links"]
    assert [one["id"] for one in links] == ["s1", "s2"]
    assert all(one["link"].startswith("https://judge.example.org/a/") for one in links)
    # Shown once.
    assert run("roster", "mine", roster) == {"study": "mine", "links": [], "known": 2}
    while run("progress", "mine")["places"]["free"]:
        joined = join(study)
        answer_all(joined.assignment)
        assignments.submit(assignment=joined.assignment)
    done = run("progress", "mine", "--complete")
    assert done["counted_judgments"] == study.design.tuples.count()
    assert run("pause_study", "mine")["state"] == "paused"
    assert run("open_study", "mine")["state"] == "open"
    assert said("close_study", "mine") == "mine is closed.\n"
    assert run("finish_study", "mine") == {"study": "mine", "state": "finished"}
    with pytest.raises(CommandError, match="is finished"):
        run("roster", "mine", roster)
    with pytest.raises(CommandError, match="cannot be undone"):
        run("open_study", "mine")


def test_what_is_refused_says_why(tmp_path) -> None:
    study = make_study(slug="mine")
    for command, arguments, words in (
        ("progress", ["other"], "no study 'other'"),
        ("close_study", ["mine"], "from draft to closed"),
        ("open_study", ["mine"], "There is no design yet"),
        ("pilot", ["mine", 9], "only 2"),
        ("plan", ["mine", "--set", "colour=red"], "one of .*noise"),
        ("plan", ["mine", "--set", "noise=-1"], "noise: "),
        ("plan", ["mine", "--set", "shape=square"], "shape: "),
        ("roster", ["mine", tmp_path / "nothing"], "No such file"),
    ):
        with pytest.raises(CommandError, match=words):
            run(command, *arguments)
    wrong = tmp_path / "roster.tsv"
    wrong.write_text("id\temail\ns1\tno address\n", encoding="utf-8")
    with pytest.raises(CommandError, match="line 2"):
        run("roster", "mine", wrong)
    assert not study.annotators.exists()
    selected = make_selection_study(open_it=False)
    with pytest.raises(CommandError, match="cannot forecast the reliability"):
        run("plan", selected.slug)


def test_opening_says_where_people_come_in(settings) -> None:
    study = make_study(slug="mine")
    run("make_design", "mine")

    path = reverse("annotator:join", args=[study.join_token])
    problems = io.StringIO()
    call_command("open_study", "mine", stderr=problems, stdout=io.StringIO())
    # What is missing, and where to say it.
    assert "LIKENESS_PUBLIC_URL" in problems.getvalue()
    run("pause_study", "mine")
    assert run("open_study", "mine")["link"] == path
    settings.PUBLIC_URL = "https://judge.example.org"
    run("pause_study", "mine")
    assert f"https://judge.example.org{path}" in said("open_study", "mine").split()
    study.refresh_from_db()
    study.link_open = False
    study.save(update_fields=["link_open"])
    assert run("open_study", "mine")["link"] is None


def test_a_roster_says_who_has_a_link_already_and_when_links_let_nobody_in(tmp_path) -> None:
    study = make_study(dialogues=4, slug="mine")
    run("make_design", "mine", "--annotations-per-tuple", 1)
    run("open_study", "mine")
    people = tmp_path / "people.txt"
    people.write_text("s1\ns2\n")

    def roster() -> tuple[str, str]:
        out, error = io.StringIO(), io.StringIO()
        call_command("roster", "mine", str(people), "--base-url", "x", stdout=out, stderr=error)
        return out.getvalue(), error.getvalue()

    printed, told = roster()
    lacking = to_be_added(study, ROSTER)
    assert lacking
    assert (printed.count("\n"), told.count("\n")) == (2, 1)
    assert lacking.sentence in told
    people.write_text("s1\ns2\ns3\n")
    printed, told = roster()
    assert printed.startswith("s3\t")
    assert "2 of 3" in told
    printed, told = roster()
    assert (printed, "3 of 3" in told) == ("", True)
    while run("progress", "mine")["places"]["free"]:
        joined = join(study)
        answer_all(joined.assignment)
        assignments.submit(assignment=joined.assignment)
    assert "mine is full" in roster()[1]
    run("close_study", "mine")
    assert "mine is closed" in roster()[1]


def test_studies_are_listed_and_a_wrong_name_leads_to_the_right_one() -> None:
    assert run("studies") == []
    study = make_study(slug="dialogues-2026", title="Which reply is closest?")

    [listed] = run("studies")

    assert (listed["study"], listed["number"]) == ("dialogues-2026", study.pk)
    assert "dialogues-2026\tdraft\t" in said("studies")
    for typed in ("dialogues-2025", str(study.pk), "which reply is closest?"):
        with pytest.raises(CommandError, match="dialogues-2026"):
            run("progress", typed)
    with pytest.raises(CommandError, match="studies"):
        run("progress", "xyz")
