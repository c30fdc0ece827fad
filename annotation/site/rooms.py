"""The rooms with pages or a part of the API, in the order in which a study goes through them."""

from annotation.answering import urls as answering
from annotation.baselines import urls as baselines
from annotation.core import urls as core
from annotation.crowds import urls as crowds
from annotation.designs import urls as designs
from annotation.items import urls as items
from annotation.monitoring import urls as monitoring
from annotation.people import urls as people
from annotation.releases import urls as releases
from annotation.results import urls as results
from annotation.reviews import urls as reviews
from annotation.studies import urls as studies

_ROOMS = (
    studies,
    items,
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
FOR_ANNOTATORS = [*answering.FOR_ANNOTATORS, *crowds.FOR_ANNOTATORS]
