"""Addresses of the API. Each that names a study stands in tests/annotation/api_routes.py, too."""

from django.urls import URLPattern, URLResolver, path, re_path

from annotation.baselines.api import baselines, trainings
from annotation.core.api import documents, jobs
from annotation.crowds.api import arrivals, crowds
from annotation.designs.api import designs, pilots
from annotation.items.api import finished_answers, items, relabelling, sampling
from annotation.monitoring.api import alerts, live, progress
from annotation.people import api as people
from annotation.releases.api import exports, releases
from annotation.results.api import adjudications, comparisons, judgments, results
from annotation.reviews import api as reviews
from annotation.studies.api import sharing, studies

app_name = "api"

urlpatterns: list[URLPattern | URLResolver] = [
    path("schema/", documents.Schema.as_view(), name="schema"),
    path("studies/", studies.StudyList.as_view(), name="studies"),
    *(
        path(f"studies/<slug:slug>/{route}", view.as_view(), name=name)
        for route, view, name in (
            ("", studies.StudyDetail, "study"),
            ("steps/", studies.StudySteps, "steps"),
            ("copies/", studies.StudyCopies, "copies"),
            ("items/", items.ItemList, "items"),
            ("items/check/", items.ItemCheck, "items_check"),
            ("finished/", finished_answers.FinishedAnswers, "finished"),
            ("finished/check/", finished_answers.FinishedCheck, "finished_check"),
            ("samples/", sampling.SampleList, "samples"),
            ("samples/<int:sample_id>/", sampling.SampleDetail, "sample"),
            ("samples/<int:sample_id>/table/", sampling.SampleTable, "sample_table"),
            ("relabellings/", relabelling.RelabellingList, "relabellings"),
            ("relabellings/check/", relabelling.RelabellingCheck, "relabellings_check"),
            ("review/", reviews.Review, "review"),
            ("shares/", sharing.Shares, "shares"),
            ("shares/<str:username>/", sharing.Share, "share"),
            ("retention/", sharing.Retention, "retention"),
            ("consents/", sharing.Consents, "consents"),
            ("history/", sharing.History, "history"),
            ("pilots/", pilots.PilotList, "pilots"),
            ("pilots/<slug:pilot>/texts/", pilots.PilotTexts, "pilot_texts"),
            ("design/", designs.Design, "design"),
            ("design/make/", designs.DesignMake, "design_make"),
            ("plan/", designs.Plan, "plan"),
            ("invitation/", arrivals.Invitation, "invitation"),
            ("announcements/", arrivals.AnnouncementList, "announcements"),
            (
                "announcements/<int:announcement_id>/",
                arrivals.AnnouncementDetail,
                "announcement",
            ),
            ("roster/", people.Roster, "roster"),
            ("roster/send/", people.RosterSend, "roster_send"),
            ("annotators/", people.AnnotatorList, "annotators"),
            ("annotators/<slug:pseudonym>/", people.AnnotatorDetail, "annotator"),
            ("annotators/<slug:pseudonym>/exclude/", people.AnnotatorExclude, "exclude"),
            ("annotators/<slug:pseudonym>/include/", people.AnnotatorInclude, "include"),
            (
                "annotators/<slug:pseudonym>/let-count/",
                people.AnnotatorLetCount,
                "let_count",
            ),
            ("annotators/<slug:pseudonym>/answers/", people.AnnotatorAnswers, "answers"),
            ("annotators/<slug:pseudonym>/link/", people.RosterLink, "roster_link"),
            (
                "annotators/<slug:pseudonym>/phases/<int:phase_number>/open/",
                people.AnnotatorOpenPhase,
                "open_phase",
            ),
            ("comparisons/", comparisons.ComparisonList, "comparisons"),
            ("comparisons/<int:comparison_id>/", comparisons.ComparisonDetail, "comparison"),
            ("alerts/", alerts.AlertList, "alerts"),
            ("alerts/rules/", alerts.AlertRules, "alert_rules"),
            ("alerts/channels/", alerts.ChannelList, "alert_channels"),
            ("alerts/channels/<int:channel_id>/", alerts.ChannelDetail, "alert_channel"),
            ("alerts/channels/<int:channel_id>/test/", alerts.ChannelTest, "alert_test"),
            ("alerts/messages/", alerts.MessageList, "alert_messages"),
            ("money/", crowds.Money, "money"),
            ("listings/", crowds.ListingList, "listings"),
            ("listings/<int:listing>/", crowds.ListingDetail, "listing"),
            ("ledger/", crowds.Ledger, "ledger"),
            ("payments/", crowds.Payments, "payments"),
            ("live/", live.StudyLive, "live"),
            ("progress/", progress.StudyProgress, "progress"),
            ("judgments/", judgments.Judgments, "judgments"),
            (
                "judgments/<int:judgment_id>/blank-comment/",
                judgments.CommentBlank,
                "blank_comment",
            ),
            ("results/", results.ResultList, "results"),
            ("results/<int:result_id>/", results.ResultDetail, "result"),
            ("scores/", results.Scores, "scores"),
            ("disputes/", adjudications.DisputeList, "disputes"),
            ("adjudications/", adjudications.AdjudicationList, "adjudications"),
            (
                "adjudications/<int:adjudication_id>/lift/",
                adjudications.AdjudicationLift,
                "adjudication_lift",
            ),
            ("trainings/", trainings.TrainingList, "trainings"),
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
            ("jobs/<int:job_id>/again/", jobs.JobAgain, "job_again"),
            ("export/", exports.StudyExport, "export"),
        )
    ),
    # What is not there is refused as the rest is, to programs and not to people.
    re_path(r"^(?:[\s\S]*/)?$", documents.Nowhere.as_view(), name="nowhere"),
]
