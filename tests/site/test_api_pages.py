"""What the pages can do, and by which route a program does the same: docs/api.md says so, too."""

import re

from django.conf import settings

from tests.support.api_routes import ROUTES
from tests.support.researcher_pages import PAGES

# Every page that changes something: (route, method).
DONE_BY = {
    "delete": ("study", "DELETE"),
    "share": ("shares", "POST"),
    "share_role": ("share", "PATCH"),
    "unshare": ("share", "DELETE"),
    "privacy": ("retention", "PATCH"),
    "describe": ("study", "PATCH"),
    "upload": ("items_check", "POST"),
    "import_columns": ("items_check", "POST"),
    "import_start": ("items", "POST"),
    "finished_upload": ("finished_check", "POST"),
    "finished_file": ("finished", "POST"),
    "sample": ("samples", "POST"),
    "choose": ("review", "POST"),
    "relabel": ("relabellings", "POST"),
    "relabel_upload": ("relabellings_check", "POST"),
    "relabel_file": ("relabellings", "POST"),
    **dict.fromkeys(
        (
            "questionnaire_texts",
            "questionnaire_ready",
            "questionnaire_add",
            "questionnaire_edit",
            "questionnaire_move",
            "questionnaire_remove",
            "questionnaire_upload",
            "questionnaire_published",
        ),
        ("questionnaires", "PUT"),
    ),
    "design": ("design", "PATCH"),
    "continue": ("job_again", "POST"),
    "make_design": ("design_make", "POST"),
    "pilots": ("pilots", "POST"),
    "pilot_texts": ("pilot_texts", "POST"),
    "open": ("steps", "POST"),
    "pause": ("steps", "POST"),
    "resume": ("steps", "POST"),
    "close": ("steps", "POST"),
    "finish": ("steps", "POST"),
    "mark_imported": ("steps", "POST"),
    "unmark_imported": ("steps", "POST"),
    "switch_link": ("study", "PATCH"),
    "announce": ("announcements", "POST"),
    "cancel_announcement": ("announcement", "DELETE"),
    "renew_code": ("invitation", "POST"),
    "alerts": ("alert_rules", "PATCH"),
    "alert_email": ("alert_channels", "POST"),
    "alert_webhook": ("alert_channels", "POST"),
    "alert_channel": ("alert_channel", "PATCH"),
    "roster": ("roster", "POST"),
    "send_links": ("roster_send", "POST"),
    "open_phase": ("open_phase", "POST"),
    "exclude": ("exclude", "POST"),
    "include": ("include", "POST"),
    "let_count": ("let_count", "POST"),
    "blank_comment": ("blank_comment", "POST"),
    "copy": ("copies", "POST"),
    "archive_study": ("study", "PATCH"),
    "restore_study": ("study", "PATCH"),
    "exclude_several": ("exclude", "POST"),
    "give_place_back": ("exclude", "POST"),
    "include_several": ("include", "POST"),
    "undo_exclusions": ("include", "POST"),
    "compare": ("comparisons", "POST"),
    "reissue": ("roster_link", "POST"),
    "remove": ("annotator", "DELETE"),
    "score": ("results", "POST"),
    "adjudicate": ("adjudications", "POST"),
    "lift_adjudication": ("adjudication_lift", "POST"),
    "baselines": ("baselines", "POST"),
    "baseline_upload": ("baseline_upload", "POST"),
    "baselines_again": ("job_again", "POST"),
    "trainings": ("trainings", "POST"),
    "baseline_remove": ("baseline", "DELETE"),
    "baseline_review": ("review", "POST"),
    "prepare": ("export", "GET"),
    "release_new": ("releases", "POST"),
    "job_cancel": ("job_cancel", "POST"),
}
# Those that no route does, by the reason that docs/api.md gives.
NOT_DONE = {
    "cannot be undone": {"privacy_erase"},
    "for human eyes": {"try", "try_instructions", "try_questionnaire", "try_walked"},
    "only for the page": {
        "demographics",
        "roster_links",
        "baseline_comparisons",
        "baselines_put_away",
    },
    "made with a release": {"measure_texts"},
    "money": {
        "platforms",
        "cap",
        "dry_run",
        "decide",
        "approve_passed",
        "visit",
        "settle",
        "listing",
        "listing_filters",
        "listing_remove",
        "listing_publish",
        "listing_top_up",
        "listing_wage",
        "listing_pause",
        "listing_resume",
        "listing_close",
    },
}


def test_every_page_that_changes_something_has_a_route_or_a_reason() -> None:
    changing = {name for name, (_needs, methods) in PAGES.items() if "POST" in methods}
    not_done = [name for names in NOT_DONE.values() for name in names]

    assert sorted([*DONE_BY, *not_done]) == sorted(changing)
    unknown = {
        page: (route, method)
        for page, (route, method) in DONE_BY.items()
        if method not in ROUTES.get(route, ((), {}))[1]
    }
    assert unknown == {}


def test_the_table_of_the_documentation_says_the_same() -> None:
    text = (settings.BASE_DIR / "docs" / "api.md").read_text("utf-8")
    table = text.split("## Page by page", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| (`.+?) \| (.+?) \|$", table, re.MULTILINE)
    said = {page: by for pages, by in rows for page in re.findall(r"`(\w+)`", pages)}

    assert said.keys() == {*DONE_BY, *(name for names in NOT_DONE.values() for name in names)}
    for page, (route, method) in DONE_BY.items():
        assert f"`{method} " in said[page], page
        assert ADDRESSES[route] in said[page], page
    for reason, pages in NOT_DONE.items():
        assert {page for page in pages if not said[page].startswith(f"no: {reason}")} == set()


def _addresses() -> dict[str, str]:
    """Of each route what stands behind the study, as the documentation writes it."""
    from annotation.site.api_urls import urlpatterns

    found = {}
    for pattern in urlpatterns:
        if getattr(pattern, "name", None) in ROUTES:
            route = str(pattern.pattern).removeprefix("studies/<slug:slug>/")
            found[str(pattern.name)] = re.sub(r"<\w+:(\w+)>", r"{\1}", route)
    return found


ADDRESSES = _addresses()
