"""What the tests of the researcher's pages share."""

import re
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.answering.services import assignments, join_limits
from annotation.basics import keys
from annotation.kinds.services.design_rows import add_places
from annotation.models import Annotator, Intent, Job, Listing, Release, Study, Visit
from annotation.models.kinds import Source
from annotation.monitoring.services import alert_channels
from annotation.releases.release_description import Description
from annotation.studies.services import studies
from tests.support.answering import answer_all
from tests.support.factories import join, make_user

# Every page of a study: (url name, further arguments by name, the methods it answers).
PAGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "change": ("", ("GET",)),
    "history": ("", ("GET",)),
    "delete": ("", ("GET", "POST")),
    "copy": ("", ("GET", "POST")),
    "archive_study": ("", ("POST",)),
    "restore_study": ("", ("POST",)),
    "share": ("", ("GET", "POST")),
    "share_role": ("", ("POST",)),
    "unshare": ("", ("POST",)),
    "privacy": ("", ("GET", "POST")),
    "privacy_erase": ("", ("GET", "POST")),
    "describe": ("", ("GET", "POST")),
    "items": ("", ("GET",)),
    "example": ("", ("GET",)),
    "upload": ("", ("POST",)),
    "measure_texts": ("", ("POST",)),
    "lexical": ("lexical", ("GET",)),
    "import_preview": ("upload", ("GET",)),
    "import_columns": ("upload", ("GET", "POST")),
    "import_start": ("upload", ("POST",)),
    "finished": ("", ("GET",)),
    "finished_upload": ("", ("POST",)),
    "finished_file": ("upload", ("GET", "POST")),
    "sample": ("", ("GET", "POST")),
    "sampled": ("sampled", ("GET",)),
    "sampled_table": ("sampled", ("GET",)),
    "sampled_plot": ("sampled_plot", ("GET",)),
    "choose": ("", ("GET", "POST")),
    "relabel": ("", ("GET", "POST")),
    "relabel_upload": ("", ("POST",)),
    "relabel_file": ("upload", ("GET", "POST")),
    "questionnaires": ("", ("GET",)),
    "questionnaire_file": ("", ("GET",)),
    "questionnaire_upload": ("", ("POST",)),
    "questionnaire_published": ("", ("POST",)),
    "questionnaire_texts": ("moment", ("POST",)),
    "questionnaire_ready": ("moment", ("POST",)),
    "questionnaire_add": ("moment", ("GET", "POST")),
    "questionnaire_edit": ("question", ("GET", "POST")),
    "questionnaire_move": ("question", ("POST",)),
    "questionnaire_remove": ("question", ("POST",)),
    "design": ("", ("GET", "POST")),
    "consequences": ("", ("GET",)),
    "continue": ("", ("POST",)),
    "make_design": ("", ("GET", "POST")),
    "plan": ("", ("GET",)),
    "plan_plot": ("curve", ("GET",)),
    "pilots": ("", ("GET", "POST")),
    "pilot_texts": ("pilot", ("GET", "POST")),
    "try": ("", ("GET", "POST")),
    "try_instructions": ("", ("GET", "POST")),
    "try_questionnaire": ("tried_moment", ("GET", "POST")),
    "try_screen": ("screen", ("GET",)),
    "try_pause": ("phase", ("GET",)),
    "try_thanks": ("", ("GET",)),
    "try_walked": ("", ("POST",)),
    "open": ("", ("GET", "POST")),
    "pause": ("", ("GET", "POST")),
    "resume": ("", ("GET", "POST")),
    "close": ("", ("GET", "POST")),
    "finish": ("", ("GET", "POST")),
    "mark_imported": ("", ("GET", "POST")),
    "unmark_imported": ("", ("GET", "POST")),
    "collect": ("", ("GET",)),
    "switch_link": ("", ("POST",)),
    "announce": ("", ("POST",)),
    "cancel_announcement": ("announcement", ("POST",)),
    "renew_code": ("", ("POST",)),
    "booklets": ("", ("GET",)),
    "live": ("", ("GET",)),
    "live_now": ("", ("GET",)),
    "live_plot": ("live_plot", ("GET",)),
    "alerts": ("", ("GET", "POST")),
    "alert_email": ("", ("POST",)),
    "alert_webhook": ("", ("POST",)),
    "alert_channel": ("channel", ("POST",)),
    "platforms": ("", ("GET", "POST")),
    "cap": ("", ("POST",)),
    "dry_run": ("", ("GET", "POST")),
    "demographics": ("", ("POST",)),
    "visits": ("", ("GET",)),
    "decide": ("", ("POST",)),
    "approve_passed": ("", ("POST",)),
    "visit": ("visit", ("GET", "POST")),
    "ledger": ("", ("GET",)),
    "payments": ("", ("GET",)),
    "settle": ("intent", ("GET", "POST")),
    "listing": ("listing", ("GET", "POST")),
    "listing_credit": ("panel", ("GET",)),
    "listing_filters": ("listing", ("GET", "POST")),
    "listing_remove": ("listing", ("GET", "POST")),
    "listing_publish": ("listing", ("GET", "POST")),
    "listing_top_up": ("listing", ("GET", "POST")),
    "listing_wage": ("listing", ("GET", "POST")),
    "listing_pause": ("listing", ("GET", "POST")),
    "listing_resume": ("listing", ("GET", "POST")),
    "listing_close": ("listing", ("GET", "POST")),
    "roster": ("", ("GET", "POST")),
    "roster_links": ("", ("POST",)),
    "send_links": ("", ("GET", "POST")),
    "credit": ("", ("GET",)),
    "people": ("", ("GET",)),
    "open_phase": ("run", ("GET", "POST")),
    "exclude": ("annotator", ("GET", "POST")),
    "include": ("annotator", ("GET", "POST")),
    "give_place_back": ("annotator", ("POST",)),
    "exclude_several": ("", ("POST",)),
    "include_several": ("", ("POST",)),
    "let_count": ("", ("POST",)),
    "undo_exclusions": ("", ("POST",)),
    "compare": ("", ("POST",)),
    "comparison": ("comparison", ("GET",)),
    "comparison_plot": ("comparison_plot", ("GET",)),
    "person": ("annotator", ("GET",)),
    "blank_comment": ("annotator", ("GET", "POST")),
    "person_plot": ("person_plot", ("GET",)),
    "reissue": ("annotator", ("GET", "POST")),
    "remove": ("annotator", ("GET", "POST")),
    "results": ("", ("GET",)),
    "score": ("", ("POST",)),
    "result_items": ("", ("GET",)),
    "result_item": ("scored_item", ("GET",)),
    "result_items_latex": ("", ("GET",)),
    "review_table": ("review", ("GET",)),
    "review_counts": ("", ("GET",)),
    "plot": ("plot", ("GET",)),
    "result_table": ("result_table", ("GET",)),
    "adjudications": ("", ("GET",)),
    "adjudicate": ("item", ("GET", "POST")),
    "lift_adjudication": ("adjudication", ("POST",)),
    "baselines": ("", ("GET", "POST")),
    "baseline_upload": ("", ("POST",)),
    "baseline_comparisons": ("", ("POST",)),
    "baselines_again": ("job", ("POST",)),
    "baselines_put_away": ("job", ("POST",)),
    "baseline_table": ("table", ("GET",)),
    "baseline_further": ("further", ("GET",)),
    "baseline_differences": ("", ("GET",)),
    "baseline_values": ("", ("GET",)),
    "baseline_plot": ("measure_plot", ("GET",)),
    "trainings": ("", ("GET", "POST")),
    "baseline": ("baseline", ("GET",)),
    "baseline_remove": ("baseline", ("GET", "POST")),
    "baseline_review": ("baseline", ("POST",)),
    "download": ("", ("GET",)),
    "archive": ("", ("GET",)),
    "label_studio": ("", ("GET",)),
    "prepare": ("", ("POST",)),
    "prepared": ("job", ("GET",)),
    "comments": ("", ("GET",)),
    "releases": ("", ("GET",)),
    "release_new": ("", ("GET", "POST")),
    "release": ("release", ("GET",)),
    "release_file": ("release", ("GET",)),
    "release_changes": ("release", ("GET",)),
    "paper": ("", ("GET",)),
    "job": ("job", ("GET",)),
    "job_state": ("job", ("GET",)),
    "job_cancel": ("job", ("GET", "POST")),
}


def url(study: Study, name: str, *arguments: Any) -> str:
    return reverse(f"admin:annotation_study_{name}", args=[study.pk, *arguments])


def signed_in(user: User | None = None, **options: Any) -> Client:
    client = Client(**options)
    client.force_login(user or make_user())
    return client


def crowd_row(study: Study, kind: str) -> Any:
    """A listing, a visit of it or a step that was asked for: whatever an address needs."""
    if kind == "announcement":
        return join_limits.announce(
            study=study, n_people=9, starts_at=timezone.now(), hours=2, by=study.owner
        )
    if kind == "channel":
        return alert_channels.add_webhook(
            study=study, url="https://alerts.example.org/", language="en", by=study.owner
        )
    if kind == "panel":
        panel, _made = Listing.objects.get_or_create(
            study=study, number=2, defaults={"platform": "panel"}
        )
        return panel
    listing, _made = Listing.objects.get_or_create(
        study=study, number=1, defaults={"platform": "mturk", "environment": "sandbox"}
    )
    if kind == "listing":
        return listing
    visit, _made = Visit.objects.get_or_create(
        listing=listing, platform="mturk", environment="sandbox", submission_id=f"S{study.pk}"
    )
    if kind == "visit":
        return visit
    return Intent.objects.create(
        listing=listing, visit=visit, kind="bonus", currency="USD", planned_at=timezone.now()
    )


def make_release(study: Study) -> Release:
    """A row for its addresses; there is no file."""
    return Release.objects.create(
        study=study,
        number=1,
        design=study.design,
        made_at=timezone.now(),
        description=Description.of(
            {"title": "Released", "authors": [{"name": "Ada Lovelace"}]}
        ).as_json,
        state=study.state,
        n_items=1,
        n_judgments=1,
        n_people=1,
        last_judgment=1,
        digest="0" * 64,
        n_bytes=1,
        job=Job.objects.create(study=study, kind=Job.Kind.RELEASE, state=Job.State.DONE),
    )


# White-space that no page shows: where a line of a template ends.
_BLOCKS = r"p|li|dt|dd|td|th|tr|div|summary|details|h\d|section|form"
_GAPS = (
    (re.compile(r"\s+"), " "),
    (re.compile(r"(<[a-z][^<>]*>) "), r"\1"),
    (re.compile(r" (?=</)"), ""),
    (re.compile(rf"(</(?:{_BLOCKS})>) (?=<)"), r"\1"),
)


def text(response: Any) -> str:
    body: str = response.content.decode()
    return body


def in_one_line(html: str) -> str:
    """A page as if each template stood in one line."""
    for gap, replacement in _GAPS:
        html = gap.sub(replacement, html)
    return html


def unlabelled(response: Any) -> str:
    """The page in one line, without the roles and labels that stacked tables have on a phone."""
    return re.sub(r' (?:data-label|role)="[^"]*"', "", in_one_line(text(response)))


def said(response: Any) -> list[str]:
    """The messages a page shows."""
    return [str(message) for message in response.context["messages"]]


def finish_booklet(study: Study) -> Annotator:
    joined = join(study)
    answer_all(joined.assignment)
    assignments.submit(assignment=joined.assignment)
    return joined.annotator


def simulate(study: Study) -> Annotator:
    add_places(booklets=study.design.booklets.all(), source=Source.SIMULATED, up_to=1)
    joined = assignments.join(
        study=study,
        nonce=keys.new_nonce(),
        consent=studies.current_consent(study),
        source=Source.SIMULATED,
    )
    answer_all(joined.assignment)
    assignments.submit(assignment=joined.assignment)
    return joined.annotator
