"""The rooms with pages or a part of the API, in the order in which a study goes through them."""

from annotation.baselines import urls as baselines
from annotation.baselines.pages import job_pages as jobs_of_baselines
from annotation.core import urls as core
from annotation.crowds import urls as crowds
from annotation.crowds.pages import job_pages as jobs_of_crowds
from annotation.designs import urls as designs
from annotation.designs.pages import job_pages as jobs_of_designs
from annotation.items import urls as items
from annotation.items.pages import job_pages as jobs_of_items
from annotation.monitoring import urls as monitoring
from annotation.people import urls as people
from annotation.questionnaires import urls as questionnaires
from annotation.releases import urls as releases
from annotation.releases.pages import job_pages as jobs_of_releases
from annotation.results import urls as results
from annotation.results.pages import job_pages as jobs_of_results
from annotation.reviews import urls as reviews
from annotation.studies import urls as studies
from annotation.studies.pages import job_pages as jobs_of_studies

_ROOMS = (
    studies,
    items,
    questionnaires,
    designs,
    crowds,
    people,
    monitoring,
    results,
    baselines,
    reviews,
    releases,
    core,
)

PAGES = [page for room in _ROOMS for page in room.PAGES]
API = [view for room in _ROOMS for view in room.API]

# Each of these registers what the pages of its room's jobs say.
JOB_PAGES = (
    jobs_of_baselines,
    jobs_of_crowds,
    jobs_of_designs,
    jobs_of_items,
    jobs_of_releases,
    jobs_of_results,
    jobs_of_studies,
)
