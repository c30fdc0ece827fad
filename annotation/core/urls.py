"""Addresses of this room."""

from annotation.core.api import history as history_api
from annotation.core.api import jobs as jobs_api
from annotation.core.pages import audit, jobs

# Of the researcher's site, below the address of a study: route, page, name.
PAGES = [
    ("history/", audit.history, "history"),
    ("jobs/<int:job_id>/", jobs.job, "job"),
    ("jobs/<int:job_id>/state/", jobs.state, "job_state"),
    ("jobs/<int:job_id>/cancel/", jobs.cancel, "job_cancel"),
]

# Of the API, below the address of a study: route, view, name.
API = [
    ("history/", history_api.History, "history"),
    ("jobs/", jobs_api.JobList, "jobs"),
    ("jobs/<int:job_id>/", jobs_api.JobDetail, "job"),
    ("jobs/<int:job_id>/cancel/", jobs_api.JobCancel, "job_cancel"),
    ("jobs/<int:job_id>/again/", jobs_api.JobAgain, "job_again"),
]
