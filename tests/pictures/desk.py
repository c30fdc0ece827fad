"""The researcher's pages in every state that looks different."""

from uuid import uuid4

from django.test import override_settings
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page

from annotation.models import Job, Study
from annotation.studies.services import archiving, copies
from tests.pictures import (
    alarmed,
    checked,
    consenting,
    corrected,
    crowds,
    finished,
    imported,
    label_results,
    labelled,
    measured,
    persons,
    questioned,
    released,
    reviewed,
    sampling,
    watched,
)
from tests.pictures.research import Desk, at
from tests.pictures.scenes import Scene, send
from tests.pictures.waiting import arrive

BROKEN_FILE = b'{"id": "a"}\nnot json\n{"id": "b", "turns": []}\n'
GOOD_FILE = "id\ttarget\tcandidate\n" + "".join(
    f"p{n}\tA man is eating ({n}).\tSomebody has a meal.\n" for n in range(1, 10)
)


def _empty(desk: Desk) -> Study:
    return desk.empty


def _filled(desk: Desk) -> Study:
    return desk.filled


def _made(desk: Desk) -> Study:
    return desk.made


def _fresh(desk: Desk) -> Study:
    return desk.fresh


def _failed(desk: Desk) -> Study:
    return desk.failed


def _collected(desk: Desk) -> Study:
    return desk.collected


def _rated(desk: Desk) -> Study:
    return desk.rated


def _ended(desk: Desk) -> Study:
    return desk.ended


def _path(page: Page, desk: Desk, name: str) -> None:
    desk.go(page, reverse(f"admin:{name}"))


# -- studies ------------------------------------------------------------------------------------


def _login(page: Page, desk: Desk) -> None:
    desk.leave(page, reverse("admin:login"))


def _login_wrong(page: Page, desk: Desk) -> None:
    _login(page, desk)
    page.locator("#id_username").fill("grace")
    page.locator("#id_password").fill("wrong")
    send(page, "#login-form")
    page.locator(".errornote").wait_for()


def _logout(page: Page, desk: Desk) -> None:
    _path(page, desk, "index")
    send(page, "#logout-form")
    page.wait_for_url("**/login/")
    arrive(page)


def _index(page: Page, desk: Desk) -> None:
    desk.everything()
    _path(page, desk, "index")


def _index_found(page: Page, desk: Desk) -> None:
    desk.everything()
    desk.go(page, f"{reverse('admin:index')}?words=replies&state=open")


def _index_empty(page: Page, desk: Desk) -> None:
    desk.go(page, reverse("admin:index"), user=desk.newcomer)


def _add(page: Page, desk: Desk) -> None:
    _path(page, desk, "annotation_study_add")


def _add_nothing(page: Page, desk: Desk) -> None:
    _add(page, desk)
    send(page, "#content form")
    page.locator(".errorlist, .errornote").first.wait_for()


def _token(page: Page, desk: Desk) -> None:
    _path(page, desk, "api_token")


def _token_made(page: Page, desk: Desk) -> None:
    _token(page, desk)
    page.fill("#id_name", "The nightly download")
    send(page, "#content form")
    page.locator("#token").wait_for()


def _token_confirm(page: Page, desk: Desk) -> None:
    _token_made(page, desk)
    page.locator("#content td a").first.click()
    page.wait_for_url("**/revoke/")
    arrive(page)


def _researchers(page: Page, desk: Desk) -> None:
    _path(page, desk, "researchers")


def _invited(page: Page, desk: Desk) -> None:
    _researchers(page, desk)
    page.fill("#id_name", "Mary Somerville")
    page.fill("#id_email", f"mary-{uuid4().hex[:8]}@example.org")
    send(page, "section.group form")
    page.locator("#link").wait_for()


def _set_password(page: Page, desk: Desk) -> None:
    _invited(page, desk)
    page.goto(page.input_value("#link"))
    arrive(page)


def _password(page: Page, desk: Desk) -> None:
    _path(page, desk, "password_change")


def _not_found(page: Page, desk: Desk) -> None:
    desk.go(page, reverse("admin:annotation_study_change", args=[999_999]))


def _signed_out(page: Page, desk: Desk) -> None:
    """The session ended while somebody wrote."""
    desk.go(page, desk.of(desk.filled, "describe"))
    page.context.clear_cookies()
    page.locator("#content button[name=save]").click()
    page.wait_for_load_state("load")


# -- forms --------------------------------------------------------------------------------------


def _described(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(desk.filled, "describe"))
    page.locator("#content button[name=preview]").click()
    page.locator(".preview").wait_for()


def _describe_untitled(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(desk.filled, "describe"))
    page.locator("#id_title").fill("")
    page.locator("#content button[name=save]").click()
    page.locator(".errornote").wait_for()


def _upload(page: Page, desk: Desk, content: bytes, name: str, study: Study | None = None) -> None:
    desk.go(page, desk.of(study or desk.empty, "items"))
    page.locator("#file").set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": content}
    )
    send(page, "#content form")


def _import_problems(page: Page, desk: Desk) -> None:
    _upload(page, desk, BROKEN_FILE, "dialogues.jsonl")
    page.locator(".problems").wait_for()


def _import_preview(page: Page, desk: Desk) -> None:
    _upload(page, desk, GOOD_FILE.encode(), "pairs.tsv")
    page.locator("form[action*='/items/import/']").wait_for()


def _import_columns(page: Page, desk: Desk) -> None:
    _upload(page, desk, b"answer1;answer2\nIt is cold.;It is freezing.\n", "answers.csv")
    page.locator("select").first.wait_for()


def _import_beside(page: Page, desk: Desk) -> None:
    _upload(page, desk, b"id\ttarget\tcandidate\texpected\nc1\tA\tB\t6\n", "more.tsv", desk.paired)
    page.locator("#add").wait_for()


def _plan(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(desk.collected, "plan"))
    page.locator("#id_compare").check()
    send(page, "#content form")
    page.locator("#forecast-title").wait_for()


def _plan_ratings(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(desk.rated, "plan"))
    send(page, "#content form")
    page.locator("#forecast-title").wait_for()


def _pilots_made(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(desk.piloted.pilot_of or desk.piloted, "pilots"))


def _pilot_texts(page: Page, desk: Desk) -> None:
    whole = desk.piloted.pilot_of or desk.piloted
    desk.go(page, desk.of(whole, "pilot_texts", desk.piloted.pk))


def _pilot(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(desk.piloted, "change"))


def _archived(page: Page, desk: Desk) -> None:
    draft = copies.make_draft(
        study=desk.filled, title="An old draft", with_items=False, by=desk.filled.owner
    )
    desk.go(page, desk.of(archiving.archive(study=draft), "change"))


def _design_impossible(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(desk.filled, "design"))
    page.locator("#id_tuple_size").fill("6")
    page.locator("[data-problem]:not(:empty)").wait_for()


def _links(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(desk.fresh, "roster"))
    people = "\n".join(f"student {timezone.now():%H%M%S%f}-{n}" for n in range(3))
    page.locator("#entries").fill(people)
    send(page, "#content form")
    page.locator("form[action$='links.csv']").wait_for()


def _roster_problems(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(desk.fresh, "roster"))
    page.locator("#entries").fill("id,name\n,Ada\n")
    send(page, "#content form")
    page.locator(".problems").wait_for()


def _share_unknown(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(desk.collected, "share"))
    page.locator("#id_username").fill("nobody of this name")
    send(page, "form:has(#id_username)")
    page.locator("#id_username_error").wait_for()


def _share_not_mine(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(desk.collected, "share"), user=desk.colleague)


def _opened(page: Page, desk: Desk) -> None:
    """Refused: pressed on a page that was true a while ago."""
    desk.go(page, desk.of(desk.filled, "open"))


def _person(page: Page, desk: Desk, name: str) -> None:
    study = desk.collected
    person = study.annotators.exclude(person=None).order_by("pk").first()
    assert person is not None  # two are on its roster
    desk.go(page, desk.of(study, name, person.pk))


def _exclude(page: Page, desk: Desk) -> None:
    person = desk.excluded_of(desk.collected)
    desk.go(page, desk.of(desk.collected, "exclude", person.pk))


def _open_phase(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(desk.rated, "open_phase", desk.waiting_run().pk))


def _open_phase_without_reason(page: Page, desk: Desk) -> None:
    _open_phase(page, desk)
    send(page, "form:has(#reason)")
    page.locator("#problem").wait_for()


def _reissue(page: Page, desk: Desk) -> None:
    _person(page, desk, "reissue")


def _remove(page: Page, desk: Desk) -> None:
    _person(page, desk, "remove")


def _download_large(page: Page, desk: Desk) -> None:
    """So many answers that the file is made in the background."""
    with override_settings(EXPORT_IN_BACKGROUND_FROM=1):
        desk.go(page, desk.of(desk.collected, "download"))


# -- jobs ---------------------------------------------------------------------------------------


def _job(page: Page, desk: Desk, job: Job, *, has_worker: bool = True) -> None:
    desk.go(page, desk.of(job.study, "job", job.pk), has_worker=has_worker)


def _job_waiting(page: Page, desk: Desk) -> None:
    _job(page, desk, desk.busy(Job.State.QUEUED), has_worker=False)


def _job_running(page: Page, desk: Desk) -> None:
    now = timezone.now()
    job = desk.busy(
        Job.State.RUNNING,
        progress=0.4,
        message="drawing tuples: pool 2 of 4",
        started_at=now,
        heartbeat_at=now,
    )
    _job(page, desk, job)


def _job_cancelled(page: Page, desk: Desk) -> None:
    job = desk.busy(Job.State.RUNNING, progress=0.4, message="drawing tuples: pool 2 of 4")
    desk.go(page, desk.of(job.study, "job", job.pk))
    send(page, "[data-job-cancel]")


def _job_failed(page: Page, desk: Desk) -> None:
    job = desk.failed.jobs.first()
    assert job is not None  # the study is there for it
    _job(page, desk, job)


def _job_done(page: Page, desk: Desk) -> None:
    job = desk.collected.jobs.first()
    assert job is not None  # it was scored
    _job(page, desk, job)


def _desk_running(page: Page, desk: Desk) -> None:
    job = desk.busy(Job.State.RUNNING, progress=0.4, message="drawing tuples: pool 2 of 4")
    desk.go(page, desk.of(job.study, "change"))


# -- the walk through ---------------------------------------------------------------------------


def _try_missing(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(desk.made, "try_screen", 1, 1))
    page.keyboard.press("Enter")
    page.locator("[data-problem]:not([hidden])").first.wait_for()


SIMULATED = "?population=simulated"


def _answers_about_an_item(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(desk.collected, "result_items"))
    page.locator("#content tbody th a").first.click()


SCENES: tuple[Scene[Desk], ...] = (
    Scene("login", "studies", ("login",), _login),
    Scene("login-wrong", "studies", ("login",), _login_wrong),
    Scene("logout", "studies", ("logout",), _logout),
    Scene("index-empty", "studies", ("index",), _index_empty),
    Scene("index", "studies", ("index",), _index),
    Scene("index-found", "studies", ("index",), _index_found),
    Scene("add", "studies", ("annotation_study_add",), _add),
    Scene("add-nothing", "studies", ("annotation_study_add",), _add_nothing, 400),
    Scene("token", "studies", ("api_token",), _token),
    Scene("token-confirm", "studies", ("api_token_revoke",), _token_confirm),
    Scene("token-made", "studies", ("api_token",), _token_made),
    Scene("researchers", "studies", ("researchers", "researcher_switch"), _researchers),
    Scene("researchers-invited", "studies", ("researcher_link",), _invited),
    Scene("set-password", "studies", ("invitation",), _set_password),
    Scene("password", "studies", ("password_change",), _password),
    Scene("not-found", "studies", (), _not_found, 404),
    Scene("refused-signed-out", "studies", (), _signed_out, 403),
    at("desk-empty", "desk", "change", _empty),
    at("desk-filled", "desk", "change", _filled),
    at("desk-made", "desk", "change", _made),
    at("desk-open", "desk", "change", _fresh),
    at("desk-collected", "desk", "change", _collected),
    at("desk-finished", "desk", "change", _ended),
    at("desk-failed", "desk", "change", _failed),
    Scene("desk-running", "desk", ("annotation_study_change",), _desk_running),
    at("describe", "prepare", "describe", _filled),
    at("describe-ratings", "prepare", "describe", _rated),
    at("design-ratings", "prepare", "design", _rated),
    at("items-in-context", "prepare", "items", _rated),
    *labelled.SCENES,
    *reviewed.SCENES,
    Scene("describe-preview", "prepare", ("annotation_study_describe",), _described),
    Scene("describe-wrong", "prepare", ("annotation_study_describe",), _describe_untitled, 400),
    at("describe-frozen", "prepare", "describe", _collected),
    at("items-empty", "prepare", "items", _empty),
    at("items", "prepare", "items", _filled),
    at("items-frozen", "prepare", "items", _collected),
    Scene("import-problems", "prepare", ("annotation_study_upload",), _import_problems, 400),
    Scene("import-preview", "prepare", ("annotation_study_import_preview",), _import_preview),
    Scene("import-columns", "prepare", ("annotation_study_import_columns",), _import_columns),
    Scene("import-beside", "prepare", ("annotation_study_import_preview",), _import_beside),
    at("design-empty", "prepare", "design", _empty),
    at("design", "prepare", "design", _filled),
    Scene("design-impossible", "prepare", ("annotation_study_consequences",), _design_impossible),
    at("design-made", "prepare", "design", _made),
    at("plan-empty", "prepare", "plan", _empty),
    Scene("plan", "prepare", ("annotation_study_plan",), _plan),
    Scene("plan-ratings", "prepare", ("annotation_study_plan",), _plan_ratings),
    at("pilots", "prepare", "pilots", _filled),
    Scene("pilots-made", "prepare", ("annotation_study_pilots",), _pilots_made),
    Scene("pilot-texts", "prepare", ("annotation_study_pilot_texts",), _pilot_texts),
    at("copy", "prepare", "copy", _filled),
    Scene("desk-archived", "prepare", ("annotation_study_change",), _archived),
    Scene("desk-of-pilot", "prepare", ("annotation_study_change",), _pilot),
    at("design-frozen", "prepare", "design", _collected),
    at("make-design", "prepare", "make_design", _made),
    Scene("job-waiting", "prepare", ("annotation_study_job",), _job_waiting),
    Scene(
        "job-running",
        "prepare",
        ("annotation_study_job", "annotation_study_job_state"),
        _job_running,
    ),
    Scene("job-cancel", "prepare", ("annotation_study_job_cancel",), _job_cancelled),
    Scene("job-failed", "prepare", ("annotation_study_job",), _job_failed),
    Scene("job-done", "prepare", ("annotation_study_job",), _job_done),
    at("try", "try", "try", _made),
    at("try-instructions", "try", "try_instructions", _made),
    at("try-screen", "try", "try_screen", _made, 1, 1),
    Scene("try-missing", "try", ("annotation_study_try_screen",), _try_missing),
    at("try-pause", "try", "try_pause", _rated, 1, 1),
    at("try-thanks", "try", "try_thanks", _made),
    at("try-nothing", "try", "try", _filled),
    at("open", "collect", "open", _made),
    at("open-refused", "collect", "open", _filled),
    at("pause", "collect", "pause", _fresh),
    at("resume-refused", "collect", "resume", _fresh),
    at("close", "collect", "close", _fresh),
    at("finish", "collect", "finish", _collected),
    at("collect-draft", "collect", "collect", _made),
    at("collect-nobody", "collect", "collect", _fresh),
    at("collect", "collect", "collect", _collected),
    at("collect-finished", "collect", "collect", _ended),
    at("booklets", "collect", "booklets", _collected),
    *watched.SCENES,
    *alarmed.SCENES,
    *crowds.SCENES,
    at("roster-empty", "collect", "roster", _ended),
    at("roster", "collect", "roster", _collected),
    at("roster-send", "collect", "send_links", _collected),
    Scene("roster-problems", "collect", ("annotation_study_roster",), _roster_problems, 400),
    Scene("links", "collect", ("annotation_study_roster",), _links),
    at("people-nobody", "collect", "people", _ended),
    at("people", "collect", "people", _collected),
    at("people-simulated", "collect", "people", _collected, query=SIMULATED),
    Scene("exclude", "collect", ("annotation_study_exclude",), _exclude),
    *persons.SCENES,
    at("people-waiting", "collect", "people", _rated),
    Scene("open-phase", "collect", ("annotation_study_open_phase",), _open_phase),
    Scene(
        "open-phase-without-reason",
        "collect",
        ("annotation_study_open_phase",),
        _open_phase_without_reason,
        400,
    ),
    Scene("reissue", "collect", ("annotation_study_reissue",), _reissue),
    Scene("remove", "collect", ("annotation_study_remove",), _remove),
    at("results-none", "results", "results", _made),
    at("results", "results", "results", _collected),
    at("results-simulated", "results", "results", _collected, query=SIMULATED),
    at("result-items", "results", "result_items", _collected),
    Scene("result-item", "results", ("annotation_study_result_item",), _answers_about_an_item),
    at("results-of-ratings", "results", "results", _rated, query=SIMULATED),
    at("items-of-ratings", "results", "result_items", _rated, query=SIMULATED),
    *label_results.SCENES,
    *corrected.SCENES,
    *finished.SCENES,
    *imported.SCENES,
    *sampling.SCENES,
    *measured.SCENES,
    at("download-early", "results", "download", _made),
    at("download", "results", "download", _collected),
    Scene("download-large", "results", ("annotation_study_download",), _download_large),
    at("download-ratings", "results", "download", _rated),
    at("releases-none", "results", "releases", _made),
    at("release-nothing", "results", "release_new", _made),
    *released.SCENES,
    at("share", "results", "share", _collected),
    Scene("share-unknown", "results", ("annotation_study_share",), _share_unknown, 400),
    Scene("share-not-mine", "results", ("annotation_study_share",), _share_not_mine),
    at("privacy", "results", "privacy", _collected),
    at("privacy-nothing", "results", "privacy", _empty),
    at("privacy-erase-early", "results", "privacy_erase", _collected),
    at("history", "results", "history", _collected),
    at("delete", "results", "delete", _empty),
    at("delete-refused", "results", "delete", _collected),
    *checked.DESK_SCENES,
    *consenting.DESK_SCENES,
    *questioned.DESK_SCENES,
)
