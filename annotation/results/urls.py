"""Addresses of this room."""

from annotation.results.api import adjudications as adjudications_api
from annotation.results.api import comparisons as comparisons_api
from annotation.results.api import judgments as judgments_api
from annotation.results.api import results as results_api
from annotation.results.pages import adjudications, comparisons, plots, results

# Of the researcher's site, below the address of a study: route, page, name.
PAGES = [
    ("people/compare/", comparisons.compare, "compare"),
    ("people/compare/<int:job_id>/", comparisons.comparison, "comparison"),
    (
        "people/compare/<int:job_id>/<slug:name>.<slug:kind>",
        comparisons.plot,
        "comparison_plot",
    ),
    ("results/", results.results, "results"),
    ("results/score/", results.score, "score"),
    ("results/items/", results.item_table, "result_items"),
    ("results/items/<int:item_id>/", results.item_answers, "result_item"),
    ("results/items.tex", plots.items_latex, "result_items_latex"),
    ("results/plots/<slug:name>.<slug:kind>", plots.plot, "plot"),
    ("results/tables/<slug:name>.<slug:kind>", plots.table, "result_table"),
    ("adjudications/", adjudications.adjudications, "adjudications"),
    ("adjudications/<int:item_id>/<int:phase>/", adjudications.adjudicate, "adjudicate"),
    (
        "adjudications/<int:adjudication_id>/lift/",
        adjudications.lift,
        "lift_adjudication",
    ),
]

# Of the API, below the address of a study: route, view, name.
API = [
    ("comparisons/", comparisons_api.ComparisonList, "comparisons"),
    ("comparisons/<int:comparison_id>/", comparisons_api.ComparisonDetail, "comparison"),
    ("judgments/", judgments_api.Judgments, "judgments"),
    (
        "judgments/<int:judgment_id>/blank-comment/",
        judgments_api.CommentBlank,
        "blank_comment",
    ),
    ("results/", results_api.ResultList, "results"),
    ("results/<int:result_id>/", results_api.ResultDetail, "result"),
    ("scores/", results_api.Scores, "scores"),
    ("disputes/", adjudications_api.DisputeList, "disputes"),
    ("adjudications/", adjudications_api.AdjudicationList, "adjudications"),
    (
        "adjudications/<int:adjudication_id>/lift/",
        adjudications_api.AdjudicationLift,
        "adjudication_lift",
    ),
]
