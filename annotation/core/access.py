"""What a reader of a study may open: one list for the pages, one for the API.

Owners, editors and superusers do everything that a study's state allows. A reader sees what is
named here, and changes nothing. A new address is refused to readers until somebody has looked
whether it shows who people are, and has named it here.
"""

from django.contrib.auth.models import AnonymousUser, User
from django.urls import Resolver404, resolve

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.models import Study, StudyShare

SAFE_METHODS = frozenset(("GET", "HEAD", "OPTIONS"))
_PAGE_PREFIX = "annotation_study_"

# By the name of the URL. Not among them: people, rosters, platforms and payments, which show who
# somebody is, and what is kept of them; the history, whose lines may name people; and forms that
# lead to a change.
READER_PAGES = frozenset(
    (
        "change",
        "describe",
        "items",
        "questionnaires",
        "questionnaire_file",
        "lexical",
        "sampled",
        "sampled_table",
        "sampled_plot",
        "design",
        "consequences",
        "plan",
        "plan_plot",
        "pilots",
        "try",
        "try_instructions",
        "try_questionnaire",
        "try_screen",
        "try_pause",
        "try_thanks",
        "live",
        "live_now",
        "live_plot",
        "results",
        "result_items",
        "result_item",
        "result_items_latex",
        "review_table",
        "review_counts",
        "plot",
        "result_table",
        "adjudications",
        "baselines",
        "baseline_table",
        "baseline_further",
        "baseline_differences",
        "baseline_values",
        "baseline_plot",
        "trainings",
        "baseline",
        "download",
        "archive",
        "label_studio",
        "prepared",
        "releases",
        "release",
        "release_file",
        "release_changes",
        "paper",
        "job",
        "job_state",
    )
)
READER_ROUTES = frozenset(
    (
        "study",
        "steps",
        "items",
        "questionnaires",
        "samples",
        "sample",
        "sample_table",
        "relabellings",
        "review",
        "consents",
        "pilots",
        "pilot_texts",
        "design",
        "plan",
        "progress",
        "live",
        "judgments",
        "results",
        "result",
        "scores",
        "disputes",
        "adjudications",
        "trainings",
        "baselines",
        "baseline",
        "baseline_values",
        "leaderboard",
        "releases",
        "release",
        "release_file",
        "jobs",
        "job",
        "export",
    )
)
# With the name of the owner.
REFUSED = _(
    "You are a reader of this study, so you cannot change it or see who took part. "
    "Its owner, %(owner)s, can make you an editor."
)


def is_reader(user: User | AnonymousUser, study: Study) -> bool:
    """Whether a study is shared with somebody who sees it, for reading alone."""
    if user.is_superuser or study.owner_id == user.pk:
        return False
    return StudyShare.objects.filter(
        study=study, user_id=user.pk or 0, role=StudyShare.Role.READER
    ).exists()


def reader_may_open_page(method: str | None, url_name: str | None) -> bool:
    name = (url_name or "").removeprefix(_PAGE_PREFIX)
    return method in SAFE_METHODS and name in READER_PAGES


def reader_may_ask(method: str | None, url_name: str | None) -> bool:
    return method in SAFE_METHODS and url_name in READER_ROUTES


def reader_may_follow(address: str) -> bool:
    """Whether a link of a page leads a reader to another page, and not to a refusal."""
    try:
        match = resolve(address.partition("?")[0].partition("#")[0])
    except Resolver404:
        return False
    if not (match.url_name or "").startswith(_PAGE_PREFIX):
        return True
    return reader_may_open_page("GET", match.url_name)


def refusal(study: Study) -> Said:
    return REFUSED % {"owner": study.owner.get_username()}
