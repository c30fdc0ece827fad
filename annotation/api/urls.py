"""Addresses of the API. Each that names a study stands in tests/annotation/api_routes.py, too."""

from django.urls import URLPattern, URLResolver, path, re_path

from annotation.api import (
    baselines,
    designs,
    documents,
    exports,
    items,
    jobs,
    judgments,
    people,
    progress,
    releases,
    results,
    studies,
)

app_name = "api"

urlpatterns: list[URLPattern | URLResolver] = [
    path("schema/", documents.Schema.as_view(), name="schema"),
    path("studies/", studies.StudyList.as_view(), name="studies"),
    *(
        path(f"studies/<slug:slug>/{route}", view.as_view(), name=name)
        for route, view, name in (
            ("", studies.StudyDetail, "study"),
            ("steps/", studies.StudySteps, "steps"),
            ("items/", items.ItemList, "items"),
            ("items/check/", items.ItemCheck, "items_check"),
            ("design/", designs.Design, "design"),
            ("design/make/", designs.DesignMake, "design_make"),
            ("plan/", designs.Plan, "plan"),
            ("roster/", people.Roster, "roster"),
            ("annotators/", people.AnnotatorList, "annotators"),
            ("annotators/<slug:pseudonym>/", people.AnnotatorDetail, "annotator"),
            ("annotators/<slug:pseudonym>/exclude/", people.AnnotatorExclude, "exclude"),
            ("annotators/<slug:pseudonym>/include/", people.AnnotatorInclude, "include"),
            ("progress/", progress.StudyProgress, "progress"),
            ("judgments/", judgments.Judgments, "judgments"),
            ("results/", results.ResultList, "results"),
            ("results/<int:result_id>/", results.ResultDetail, "result"),
            ("scores/", results.Scores, "scores"),
            ("baselines/", baselines.BaselineList, "baselines"),
            ("baselines/upload/", baselines.BaselineUpload, "baseline_upload"),
            ("baselines/<int:baseline_id>/", baselines.BaselineDetail, "baseline"),
            ("baselines/<int:baseline_id>/values/", baselines.BaselineValues, "baseline_values"),
            ("leaderboard/", baselines.Leaderboard, "leaderboard"),
            ("releases/", releases.ReleaseList, "releases"),
            ("releases/<int:number>/", releases.ReleaseDetail, "release"),
            ("releases/<int:number>/file/", releases.ReleaseFile, "release_file"),
            ("jobs/", jobs.JobList, "jobs"),
            ("jobs/<int:job_id>/", jobs.JobDetail, "job"),
            ("jobs/<int:job_id>/cancel/", jobs.JobCancel, "job_cancel"),
            ("export/", exports.StudyExport, "export"),
        )
    ),
    # What is not there is refused as the rest is, to programs and not to people.
    re_path(r"^(?:[\s\S]*/)?$", documents.Nowhere.as_view(), name="nowhere"),
]
