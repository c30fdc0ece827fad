"""Addresses of this room."""

from annotation.baselines.api import baselines as baselines_api
from annotation.baselines.api import trainings as trainings_api
from annotation.baselines.pages import baseline, baseline_files, baselines, comparing, training

# Of the researcher's site, below the address of a study: route, page, name.
PAGES = [
    ("baselines/", baselines.baselines, "baselines"),
    ("baselines/upload/", baselines.upload, "baseline_upload"),
    ("baselines/comparisons/", comparing.change, "baseline_comparisons"),
    ("baselines/jobs/<int:job_id>/again/", baselines.again, "baselines_again"),
    (
        "baselines/jobs/<int:job_id>/put-away/",
        baselines.put_away,
        "baselines_put_away",
    ),
    ("baselines/table.<slug:kind>", baseline_files.table, "baseline_table"),
    (
        "baselines/tables/<slug:name>.<slug:kind>",
        baseline_files.further,
        "baseline_further",
    ),
    ("baselines/differences.tsv", baseline_files.differences, "baseline_differences"),
    ("baselines/values.tsv", baseline_files.values, "baseline_values"),
    ("baselines/plots/<slug:name>.<slug:kind>", baseline_files.plot, "baseline_plot"),
    ("baselines/trainings/", training.trainings, "trainings"),
    ("baselines/<int:baseline_id>/", baseline.baseline, "baseline"),
    ("baselines/<int:baseline_id>/remove/", baseline.remove, "baseline_remove"),
    ("baselines/<int:baseline_id>/review/", baseline.review, "baseline_review"),
]

# Of the API, below the address of a study: route, view, name.
API = [
    ("trainings/", trainings_api.TrainingList, "trainings"),
    ("baselines/", baselines_api.BaselineList, "baselines"),
    ("baselines/upload/", baselines_api.BaselineUpload, "baseline_upload"),
    ("baselines/<int:baseline_id>/", baselines_api.BaselineDetail, "baseline"),
    ("baselines/<int:baseline_id>/values/", baselines_api.BaselineValues, "baseline_values"),
    ("leaderboard/", baselines_api.Leaderboard, "leaderboard"),
]
