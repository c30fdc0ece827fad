"""The rest of the desk by the API: by the services of its pages, with the same lines."""

import csv
import io
import json
from typing import Any

import pytest

from annotation.answering.services import rosters, withdrawal
from annotation.basics.sentences import read
from annotation.core.services import audit_log, jobs
from annotation.models import AlertChannel, AuditEvent, Intent, Job, Study
from annotation.monitoring.services import live
from tests.baselines.test_training import rated as rated_to_train
from tests.support.api import Caller, answered_study, problems
from tests.support.clock import Clock
from tests.support.factories import make_open_study, make_study, make_user
from tests.support.rated_studies import Rated, make_rated
from tests.support.rating import join, make_rating_study
from tests.support.researcher_pages import crowd_row, signed_in, url
from tests.support.reviewing import scored_dialogues

pytestmark = pytest.mark.django_db


def work(answer: Any) -> Job:
    assert answer.status_code == 202, answer.content
    jobs.run(answer.json()["id"])
    job = Job.objects.get(pk=answer.json()["id"])
    assert job.state == Job.State.DONE, job.problems
    return job


def said(study: Study) -> list[str]:
    """The lines of the history, each of which a program wrote."""
    lines = list(audit_log.of_study(study).order_by("pk"))
    assert {line.door for line in lines} <= {AuditEvent.API}
    return [read(line.said) for line in lines]


@pytest.mark.slow
def test_who_fetches_values_scores_or_payments_is_written_down() -> None:
    study = answered_study()
    AuditEvent.objects.all().delete()
    api = Caller(study)
    baseline = study.baselines.earliest("pk")

    for path in (f"baselines/{baseline.pk}/values/", "scores/?type=tsv", "payments/"):
        assert b"".join(api.get(path).streaming_content)
    # Pages are looked at, and tables of simulated answers are called so.
    api.get("scores/")
    b"".join(api.get("scores/", type="tsv", population="simulated"))

    assert said(study) == [
        f"Downloaded: {baseline.name}.tsv.",
        f"Downloaded: {study.slug}-scores.tsv.",
        f"Downloaded: {study.slug}-payments.tsv.",
        f"Downloaded: {study.slug}-simulated-scores.tsv.",
    ]


def test_a_study_is_shared_and_taken_away_by_its_owner() -> None:
    study, colleague = make_study(), make_user("ada.l@example.org")
    api, theirs = Caller(study), Caller(study, colleague)

    assert theirs.get("").status_code == 404
    assert api.post("shares/", username="nobody").status_code == 400
    assert api.post("shares/", username=colleague.username).status_code == 201
    assert api.get("shares/").json()["results"] == [
        {"username": colleague.username, "role": "editor"}
    ]
    assert theirs.get("").status_code == 200
    refused = theirs.post("shares/", username="another")
    assert (refused.status_code, refused.json()["detail"]) == (
        403,
        f"This study belongs to {study.owner}. Only they can share or delete it.",
    )
    assert theirs.delete(f"shares/{colleague.username}/").status_code == 403
    assert api.delete(f"shares/{colleague.username}/").status_code == 204
    assert api.delete(f"shares/{colleague.username}/").status_code == 404
    assert api.delete("shares/%00/").status_code == 404
    assert theirs.get("").status_code == 404
    assert said(study) == [
        f"Shared with {colleague} as an editor.",
        f"No longer shared with {colleague}.",
    ]


def test_how_long_people_are_known_is_said_and_which_consent_they_gave(settings: Any) -> None:
    settings.RETENTION_DAYS, settings.RETENTION_MAX_DAYS = 90, 3650
    study = make_open_study()
    rosters.add_roster(study=study, entries=[rosters.RosterEntry("s1", "Ada")])
    api = Caller(study)

    before = api.get("retention/").json()
    after = api.patch("retention/", days=30).json()

    assert (before["days"], before["days_in_force"], before["held"]["n_people"]) == (None, 90, 1)
    assert before["obstacles"]
    assert (after["days"], after["days_in_force"]) == (30, 30)
    assert problems(api.patch("retention/")) == {"days"}
    assert problems(api.patch("retention/", days=0)) == {"days"}
    assert api.patch("retention/", days=10_000).status_code == 409
    assert api.patch("retention/", days=None).json()["days"] is None
    (text,) = api.get("consents/").json()["results"]
    assert (text["version"], text["n_agreed"], text["first_at"]) == (1, 0, None)
    assert said(study)[0] == "Personal data are erased 30 days after the end."


def test_the_history_is_narrowed() -> None:
    study, other = make_study(), make_user("alan")
    with audit_log.through(AuditEvent.API):
        audit_log.write(study=study, message="One step", by=study.owner)
    audit_log.downloaded(study=study, what="x.zip", by=other)
    api = Caller(study)

    def found(**wanted: Any) -> list[tuple[str, str]]:
        lines = api.get("history/", **wanted).json()["results"]
        return [(line["said"], line["door"]) for line in lines]

    assert found() == [("Downloaded: x.zip.", "page"), ("One step", "api")]
    assert found(by="alan") == found(kind="downloaded") == found(search="x.ZIP") == found()[:1]
    assert found(last="2001-01-01") == []
    assert problems(api.get("history/", kind="account")) == {"kind"}


def test_a_pilot_is_made_and_what_it_words_better_is_taken() -> None:
    study = make_study(dialogues=3)
    api = Caller(study)

    assert problems(api.post("pilots/", n_parts=9)) == {"n_parts"}
    made = api.post("pilots/", n_parts=2)
    pilot = study.pilots.get()
    assert (made.status_code, made.json()["slug"]) == (201, pilot.slug)
    pilot.thanks = "Many thanks."
    pilot.save()

    (listed,) = api.get("pilots/").json()["results"]
    assert (listed["n_changed_texts"], listed["n_judgments"]) == (1, 0)
    texts = f"pilots/{pilot.slug}/texts/"
    (changed,) = api.get(texts).json()["texts"]
    assert (changed["text"], changed["there"]) == ("thanks", "Many thanks.")
    assert api.post(texts, texts=["instructions"]).status_code == 409
    assert api.post(texts, texts=["thanks"]).status_code == 200
    study.refresh_from_db()
    assert study.thanks == "Many thanks."
    assert api.get(f"pilots/{study.slug}/texts/").status_code == 404
    assert said(study) == [f"Created {pilot.title}.", f"Copied from {pilot.title}: thanks."]


@pytest.mark.slow
def test_scores_with_and_without_somebody_change_nothing(
    django_assert_max_num_queries: Any,
) -> None:
    study = answered_study()
    api = Caller(study)
    who = study.annotators.get().pseudonym
    n_results = study.results.count()

    assert problems(api.post("comparisons/", without=["XX"])) == {"without"}
    job = work(api.post("comparisons/", without=[who]))
    whole = api.get(f"comparisons/{job.pk}/").json()

    assert study.results.count() == n_results
    assert (whole["n_people_with"], whole["n_people_without"], whole["without"]) == (1, 0, [who])
    (part,) = whole["parts"]
    assert part["n_lost"] == len(part["items"]) == study.items.count()
    assert {one["score_without"] for one in part["items"]} == {None}
    for _time in range(3):
        study.jobs.create(kind=Job.Kind.COMPARE, parameters=job.parameters, state="cancelled")
    with django_assert_max_num_queries(12):
        assert api.get("comparisons/").json()["results"][3]["without"] == [who]
    withdrawal.withdraw(annotator=study.annotators.get())
    assert api.get(f"comparisons/{job.pk}/").json()["parts"] == []
    listed = api.get("comparisons/").json()["results"]
    assert (listed[3]["job"], listed[3]["without"]) == (job.pk, [])


def test_pairs_are_drawn_and_their_table_is_imported() -> None:
    study = make_study(dialogues=0, preset="training")
    words = ["red", "green", "blue", "grey", "pink", "brown"]
    rows = [f"A {one} house.\tThe {other} door." for one in words for other in words[:2]]
    text = "\n".join(["target\tcandidate", *rows])
    api = Caller(study)

    assert problems(api.send("samples/", text, n_pairs=0)) == {"n_pairs"}
    job = work(api.send("samples/", text, n_pairs=4, n_bins=2, seed=3))
    drawn = api.get(f"samples/{job.pk}/").json()
    table = b"".join(api.get(f"samples/{job.pk}/table/").streaming_content).decode()

    assert (drawn["numbers"]["n_pairs"], drawn["figures"]["n_drawn"]) == (4, 4)
    # By its stored name a file could be asked for.
    assert job.figures["table"] not in json.dumps(drawn)
    work(api.send("items/", table))
    assert study.items.count() == 4
    assert said(study)[0] == "Started to draw pairs from sent.tsv."
    assert Caller(make_study()).send("samples/", text).status_code == 400


@pytest.mark.slow
def test_the_live_figures_are_those_of_the_page(clock: Clock) -> None:
    study = answered_study()
    clock.move(hours=1)
    live.watch()

    found = Caller(study).get("live/").json()

    assert found["tally"]["n_answers"] == found["tally"]["n_counted"] == 20
    assert found["people"]["joined"] == 1
    assert found["places"]["done"] == 1
    assert found["end"]["reason"]
    assert found["points"][-1]["n_judgments"] == 20
    assert all(len(pair["items"]) == 2 for pair in found["unsure"])
    assert Caller(study).get("live/", population="simulated").json()["tally"] is None


def test_alerts_are_set_and_no_secret_is_told() -> None:
    study = make_open_study()
    api = Caller(study)
    hook = "https://hooks.example.org/secret-path"

    assert api.patch("alerts/rules/", stalled_hours=7, kinds=["stalled"]).json() == {
        "stalled_hours": 7,
        "kinds": ["stalled"],
    }
    assert api.patch("alerts/rules/", stalled_hours=8).json()["kinds"] == ["stalled"]
    assert problems(api.post("alerts/channels/", kind="email", url=hook)) == {"username"}
    assert problems(api.post("alerts/channels/", kind="webhook", url=hook, username="x")) == {
        "username"
    }
    assert api.post("alerts/channels/", kind="webhook", url="http://x/").status_code == 400
    stranger = make_user()
    assert problems(api.post("alerts/channels/", kind="email", username=stranger.username)) == {
        "username"
    }
    made = api.post("alerts/channels/", kind="webhook", url=hook)
    channel = AlertChannel.objects.get()
    one = f"alerts/channels/{channel.pk}/"
    sent = api.post(f"{one}test/")
    answers = [
        made,
        sent,
        api.get("alerts/channels/"),
        api.get(one),
        api.get("alerts/messages/"),
        api.patch(one, is_on=False),
    ]

    assert [answer.status_code for answer in answers] == [201, 202, 200, 200, 200, 200]
    assert made.json()["where"] == "hooks.example.org"
    for answer in answers:
        assert channel.secret not in answer.content.decode()
        assert "secret-path" not in answer.content.decode()
    assert api.post(f"{one}test/").status_code == 409
    assert api.delete(one).status_code == 204
    assert api.get(one).status_code == 404
    assert len(said(study)) == 6


def test_alerts_are_filtered() -> None:
    study = make_open_study()
    for n, cleared in enumerate((None, study.opened_at)):
        study.alerts.create(
            kind="stalled", figures={"hours": n}, raised_at=study.opened_at, cleared_at=cleared
        )
    api = Caller(study)

    def hours(**query: Any) -> list[int]:
        return [one["figures"]["hours"] for one in api.get("alerts/", **query).json()["results"]]

    assert sorted(hours()) == [0, 1]
    assert (hours(standing=True), hours(standing=False), hours(kind="spending")) == ([0], [1], [])


def test_platforms_are_read_and_not_written() -> None:
    study = make_open_study()
    listing = crowd_row(study, "listing")
    intent = crowd_row(study, "intent")
    study.budgets.create(currency="USD", cap="12.50")
    api = Caller(study)

    money = api.get("money/").json()
    (row,) = api.get("listings/").json()["results"]
    (entry,) = api.get("ledger/", state="planned").json()["results"]

    assert money["dry_run"] is True
    assert (money["accounts"][0]["currency"], money["accounts"][0]["cap"]) == ("USD", "12.50")
    assert (row["number"], row["state"], row["n_visits"]) == (listing.number, "draft", 1)
    assert row == api.get(f"listings/{listing.number}/").json()
    # Who knows it could come in, or claim to have finished.
    assert listing.token not in json.dumps(row)
    assert (entry["id"], entry["kind"]) == (str(intent.pk), "bonus")
    assert api.get("ledger/", listing=99).json()["count"] == 0
    for path in ("money/", "listings/", f"listings/{listing.number}/", "ledger/", "payments/"):
        for act in (api.post, api.patch):
            assert act(path, cap="1").status_code == 405
    assert Intent.objects.count() == 1


def test_the_table_of_payments_is_the_pages_with_what_is_not_paid_yet() -> None:
    study = make_open_study()
    intent = crowd_row(study, "intent")
    Intent.objects.filter(pk=intent.pk).update(pays="4.25")
    api = Caller(study)

    table = api.get("payments/")

    assert table["Content-Type"].startswith("text/tab-separated-values")
    content = table.getvalue()
    (row,) = csv.DictReader(io.StringIO(content.decode()), delimiter="\t")
    assert (row["intent"], row["state"], row["paid"]) == (str(intent.pk), "planned", "4.25")
    page = signed_in(study.owner).get(url(study, "payments"))
    assert page.content == content
    # docs/api.md: one form, without parameters.
    assert problems(api.get("payments/", type="json")) == {"type"}
    assert problems(api.get("payments/", page=2)) == {"page"}


@pytest.fixture
def rated() -> Rated:
    rated = make_rated()
    rated.answer({"a": 0, "b": 3, "c": 1}, {"a": 1, "b": 3})
    rated.answer({"a": 6, "b": 3, "c": 2}, {"a": 2, "b": 3})
    return rated


def test_an_expert_takes_the_most_disputed_item_and_decides(rated: Rated) -> None:
    api = Caller(rated.study)

    queue = api.get("disputes/").json()["results"]
    assert [one["item"] for one in queue] == ["a", "c", "b", "d"]
    assert problems(api.post("adjudications/", item="a", rating=3)) == {"reason"}
    assert problems(api.post("adjudications/", item="x", rating=3, reason="r")) == {"item"}
    assert api.post("adjudications/", item="a", rating=9, reason="r").status_code == 400
    made = api.post("adjudications/", item="a", rating="3", reason="both mean it", seen=0)
    assert (made.status_code, made.json()["rating"], made.json()["phase"]) == (201, 3.0, 1)
    again = api.post("adjudications/", item="a", rating="4", reason="or not", seen=0)
    assert again.status_code == 409
    left = api.get("disputes/", undecided=True).json()["results"]
    assert [one["item"] for one in left] == ["c", "b", "d"]
    lifted = api.post(f"adjudications/{made.json()['id']}/lift/").json()
    assert lifted["lifted_at"]
    assert api.get("adjudications/", standing=True).json()["count"] == 0
    assert api.get("adjudications/", standing=False, phase=1).json()["count"] == 1
    assert api.get("disputes/", phase=9).status_code == 404
    assert said(rated.study) == [
        "Adjudicated a in phase 1: 3",
        "Took back the decision on a in phase 1.",
    ]


def test_labels_are_changed_all_or_none() -> None:
    study = make_open_study()
    api = Caller(study)
    good = {"id": "d1", "field": "domain", "value": "holidays"}
    wrong = {"id": "nowhere", "field": "domain", "value": "x"}

    looked = api.post("relabellings/check/", changes=[good, wrong]).json()
    assert (looked["n_changed"], len(looked["problems"])) == (1, 1)
    refused = api.post("relabellings/", changes=[good, wrong], reason="r")
    assert refused.status_code == 400
    assert [one["line"] for one in refused.json()["problems"]] == [2]
    assert api.get("relabellings/").json()["count"] == 0
    done = api.post("relabellings/", changes=[good], reason="as the authors say").json()
    assert done == {"n_changed": 1, "n_same": 0}
    (row,) = api.get("relabellings/", field="domain").json()["results"]
    assert (row["of"], row["id"], row["after"]) == ("context", "d1", "holidays")
    assert said(study) == ["Relabelled: 1 value (domain)."]


def test_items_are_chosen_for_experts() -> None:
    earlier = scored_dialogues()
    client = Caller(earlier)
    made = client.client.post(
        "/api/v1/studies/",
        {"title": "Again", "preset": "expert-check", "earlier_round": earlier.slug},
        format="json",
    )
    study = Study.objects.get(slug=made.json()["slug"])
    api = Caller(study)

    assert problems(api.post("review/", which="nearest")) == {"n"}
    chosen = api.post("review/", which="nearest", n=2).json()

    assert chosen["n_items"] == study.items.count() == 2
    assert problems(api.post("review/", column="x")) == {"column"}
    assert Caller(earlier).post("review/").status_code == 409
    assert said(study)[-1].startswith("Copied 2 items with their contexts.")


def test_a_training_is_started_as_a_job() -> None:
    study = rated_to_train()
    api = Caller(study)

    assert problems(api.post("trainings/")) == {"name", "model"}
    assert problems(api.post("trainings/", name="m", model="org/m", on="nix")) == {"on"}
    started = api.post("trainings/", name="m", model="org/m", share=0.5, epochs=2)

    assert started.status_code == 202, started.content
    job = Job.objects.get(kind=Job.Kind.TRAIN)
    assert (job.parameters["name"], job.parameters["settings"]["epochs"]) == ("m", 2)
    assert job.parameters["learnt"]["share"] == 0.5
    assert api.get("trainings/").json()["count"] == 0
    assert said(study) == ["Started to train m."]


def test_finished_answers_are_looked_at_and_imported() -> None:
    study = make_study(dialogues=0, preset="best-worst")
    text = (
        "Item1,Item2,Item3,Item4,BestItem,WorstItem\n"
        + "a,b,c,d,a,d\n" * 2
        + "b,c,d,e,b,e\n"
        + "a,c,d,e,a,e\n"
    )
    api = Caller(study)

    wrong = api.send("finished/check/", text.replace("a,b,c,d,a,d", "a,b,c,d,a,x"), format="nrc")
    assert wrong.status_code == 400
    assert problems(api.send("finished/", text)) == {"format"}
    looked = api.send("finished/check/", text, format="nrc").json()
    assert (looked["n_judgments"], looked["n_items"]) == (4, 5)
    assert looked["first"][0]["answer"] == "a"
    work(api.send("finished/", text, format="nrc"))
    study.refresh_from_db()
    assert study.state == Study.State.IMPORTED
    assert api.send("finished/", text, format="nrc").status_code == 409


def test_a_new_link_a_removal_and_a_phase_that_is_opened() -> None:
    study = make_open_study()
    made = rosters.add_roster(study=study, entries=[rosters.RosterEntry("s1", "Ada")])
    one = f"annotators/{made[0].annotator.pseudonym}/"
    api = Caller(study)

    link = api.post(f"{one}link/")
    assert link.status_code == 201
    assert "no-store" in link["Cache-Control"]
    assert link.json()["url"].rsplit("/", 2)[1] != made[0].key
    assert api.delete(one).status_code == 204
    assert api.get(one).status_code == 404
    assert [line.partition(" ")[0] for line in said(study)] == ["Issued", "Removed"]
    twice = make_rating_study()
    waiting = join(twice).annotator
    opened = f"annotators/{waiting.pseudonym}/phases/1/open/"
    assert problems(Caller(twice).post(opened)) == {"reason"}
    assert Caller(twice).post(opened, reason="ill").status_code == 409
    missing = f"annotators/{waiting.pseudonym}/phases/9/open/"
    assert Caller(twice).post(missing, reason="ill").status_code == 404


@pytest.mark.slow
def test_people_are_filtered_and_a_measure_is_removed() -> None:
    study = answered_study()
    api = Caller(study)
    person = study.annotators.get()

    assert api.get("annotators/", show="excluded").json()["count"] == 0
    api.post(f"annotators/{person.pseudonym}/exclude/", reason="asleep")
    shown = api.get("annotators/", show="excluded", ordering="-answered").json()["results"]
    assert [one["pseudonym"] for one in shown] == [person.pseudonym]
    baseline = study.baselines.earliest("pk")
    assert api.delete(f"baselines/{baseline.pk}/").status_code == 204
    assert not study.baselines.filter(pk=baseline.pk).exists()


@pytest.mark.slow
def test_measures_that_failed_are_started_again() -> None:
    study = answered_study()
    done = study.jobs.filter(kind=Job.Kind.BASELINES).earliest("pk")
    failed = Job.objects.create(
        study=study,
        kind=Job.Kind.BASELINES,
        parameters=done.parameters,
        state=Job.State.FAILED,
        finished_at=done.finished_at,
    )
    api = Caller(study)

    assert api.post(f"jobs/{done.pk}/again/").status_code == 409
    work(api.post(f"jobs/{failed.pk}/again/"))
    scored = study.jobs.filter(kind=Job.Kind.SCORE).earliest("pk")
    assert api.post(f"jobs/{scored.pk}/again/").status_code == 404
