"""Addresses of this room."""

from annotation.studies.api import sharing as sharing_api
from annotation.studies.api import steps
from annotation.studies.api import studies as studies_api
from annotation.studies.pages import archived, copying, creating, describing, sharing, states

# Pages below the address of a study: route, page, name.
PAGES = [
    ("delete/", sharing.delete, "delete"),
    ("copy/", copying.copy, "copy"),
    ("to-archive/", archived.archive_study, "archive_study"),
    ("from-archive/", archived.restore_study, "restore_study"),
    ("share/", sharing.share, "share"),
    ("share/role/", sharing.change_role, "share_role"),
    ("share/remove/", sharing.unshare, "unshare"),
    ("describe/", describing.describe, "describe"),
    *((f"{step}/", states.view_of(step), step) for step in states.STEPS),
    ("continue/", creating.continue_again, "continue"),
]

# API views below the address of a study: route, view, name.
API = [
    ("", studies_api.StudyDetail, "study"),
    ("steps/", steps.StudySteps, "steps"),
    ("copies/", studies_api.StudyCopies, "copies"),
    ("shares/", sharing_api.Shares, "shares"),
    ("shares/<str:username>/", sharing_api.Share, "share"),
]
