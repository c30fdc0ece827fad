"""Addresses of this room."""

from annotation.reviews import api as reviews_api
from annotation.reviews.pages import reviewing

# Of the researcher's site, below the address of a study: route, page, name.
PAGES = [
    ("items/choose/", reviewing.choose, "choose"),
    ("results/review.<slug:kind>", reviewing.table, "review_table"),
    ("results/review-counts.tsv", reviewing.counts, "review_counts"),
]

# Of the API, below the address of a study: route, view, name.
API = [
    ("review/", reviews_api.Review, "review"),
]
