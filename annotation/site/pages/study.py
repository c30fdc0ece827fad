"""The studies in the admin site: which pages there are, and who may see them."""

from collections.abc import Callable

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, path

from annotation.baselines.pages import baseline, baseline_files, baselines, comparing, training
from annotation.core.pages import audit, jobs
from annotation.core.pages.frame import owns, user_of
from annotation.crowds.pages import (
    collecting,
    ledger,
    link_mail,
    listings,
    publishing,
    publishing_steps,
    roster,
    visits,
    wages,
)
from annotation.designs.pages import design, piloting, planning, trying
from annotation.items.pages import finished_answers, importing, lexical, relabelling, sampling
from annotation.models import Study
from annotation.monitoring.pages import alerts, live
from annotation.people.pages import exclusions, people, person, privacy
from annotation.releases.pages import downloads, releases
from annotation.results.pages import adjudications, comparisons, plots, results
from annotation.reviews.pages import reviewing
from annotation.site.pages import desk
from annotation.studies.pages import archived, copying, creating, describing, sharing, states


@admin.register(Study)
class StudyAdmin(admin.ModelAdmin):  # type: ignore[type-arg] # generic in the stubs only
    """Studies need no permission of Django's: who sees a study is said by the study itself."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Study]:
        return Study.objects.seen_by(user_of(request))

    def has_module_permission(self, request: HttpRequest) -> bool:
        return True

    def has_add_permission(self, request: HttpRequest) -> bool:
        return True

    def has_view_permission(self, request: HttpRequest, obj: Study | None = None) -> bool:
        return obj is None or self.get_queryset(request).filter(pk=obj.pk).exists()

    def has_change_permission(self, request: HttpRequest, obj: Study | None = None) -> bool:
        return self.has_view_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Study | None = None) -> bool:
        return obj is None or owns(request, obj)

    def get_urls(self) -> list[URLPattern]:
        def page(route: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
            return path(route, self.admin_site.admin_view(view), name=f"annotation_study_{name}")

        def of_study(route: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
            return page(f"<int:study_id>/{route}", view, name)

        return [
            page("", _overview, "changelist"),
            page("add/", creating.add, "add"),
            of_study("", desk.desk, "change"),
            of_study("history/", audit.history, "history"),
            of_study("delete/", sharing.delete, "delete"),
            of_study("copy/", copying.copy, "copy"),
            of_study("to-archive/", archived.archive_study, "archive_study"),
            of_study("from-archive/", archived.restore_study, "restore_study"),
            of_study("share/", sharing.share, "share"),
            of_study("share/role/", sharing.change_role, "share_role"),
            of_study("share/remove/", sharing.unshare, "unshare"),
            of_study("privacy/", privacy.privacy, "privacy"),
            of_study("privacy/erase/", privacy.erase, "privacy_erase"),
            of_study("describe/", describing.describe, "describe"),
            of_study("items/", importing.items, "items"),
            of_study("items/lexical/", lexical.measure_texts, "measure_texts"),
            of_study("items/lexical.<slug:kind>", lexical.table, "lexical"),
            of_study("items/example/", importing.example, "example"),
            of_study("items/upload/", importing.upload, "upload"),
            of_study("items/preview/<str:name>/", importing.preview, "import_preview"),
            of_study("items/columns/<str:name>/", importing.columns, "import_columns"),
            of_study("items/finished/", finished_answers.finished, "finished"),
            of_study("items/finished/upload/", finished_answers.upload, "finished_upload"),
            of_study("items/finished/<str:name>/", finished_answers.file, "finished_file"),
            of_study("items/sample/", sampling.sample, "sample"),
            of_study("items/sample/<int:job_id>/", sampling.sampled, "sampled"),
            of_study("items/sample/<int:job_id>/table/", sampling.table, "sampled_table"),
            of_study(
                "items/sample/<int:job_id>/<slug:name>.<slug:kind>", sampling.plot, "sampled_plot"
            ),
            of_study("items/import/<str:name>/", importing.start, "import_start"),
            of_study("items/choose/", reviewing.choose, "choose"),
            of_study("relabel/", relabelling.relabel, "relabel"),
            of_study("relabel/upload/", relabelling.upload, "relabel_upload"),
            of_study("relabel/file/<str:name>/", relabelling.file, "relabel_file"),
            of_study("design/", design.design, "design"),
            of_study("design/consequences/", design.consequences, "consequences"),
            of_study("design/make/", design.make, "make_design"),
            of_study("plan/", planning.plan, "plan"),
            of_study("plan/<slug:name>.<slug:kind>", planning.plot, "plan_plot"),
            of_study("pilots/", piloting.pilots, "pilots"),
            of_study("pilots/<int:pilot_id>/texts/", piloting.texts, "pilot_texts"),
            of_study("try/", trying.consent, "try"),
            of_study("try/instructions/", trying.instructions, "try_instructions"),
            of_study("try/<int:booklet>/<int:screen>/", trying.screen, "try_screen"),
            of_study("try/<int:booklet>/pause/<int:phase>/", trying.pause, "try_pause"),
            of_study("try/thanks/", trying.thanks, "try_thanks"),
            of_study("try/walked/", trying.walked, "try_walked"),
            *(of_study(f"{step}/", states.view_of(step), step) for step in states.STEPS),
            of_study("collect/", collecting.collect, "collect"),
            of_study("collect/link/", collecting.switch_link, "switch_link"),
            of_study("collect/announce/", collecting.announce, "announce"),
            of_study(
                "collect/announcements/<int:announcement_id>/cancel/",
                collecting.cancel_announcement,
                "cancel_announcement",
            ),
            of_study("collect/code/", collecting.renew_code, "renew_code"),
            of_study("collect/booklets/", collecting.booklets, "booklets"),
            of_study("live/", live.live, "live"),
            of_study("live/now/", live.now, "live_now"),
            of_study("live/<slug:name>.<slug:kind>", live.plot, "live_plot"),
            of_study("alerts/", alerts.alerts, "alerts"),
            of_study("alerts/email/", alerts.add_email, "alert_email"),
            of_study("alerts/webhook/", alerts.add_webhook, "alert_webhook"),
            of_study("alerts/<int:channel_id>/", alerts.channel, "alert_channel"),
            of_study("platforms/", listings.platforms, "platforms"),
            of_study("platforms/cap/", listings.cap, "cap"),
            of_study("platforms/dry-run/", listings.dry_run, "dry_run"),
            of_study("platforms/visits/", visits.visits, "visits"),
            of_study("platforms/visits/decide/", visits.decide, "decide"),
            of_study("platforms/visits/<int:visit_id>/", visits.visit, "visit"),
            of_study("platforms/ledger/", ledger.ledger, "ledger"),
            of_study("platforms/ledger/payments.tsv", ledger.payments, "payments"),
            of_study("platforms/ledger/<uuid:intent_id>/", ledger.settle, "settle"),
            of_study("platforms/<int:listing_id>/", listings.listing, "listing"),
            of_study("platforms/<int:listing_id>/remove/", listings.remove, "listing_remove"),
            of_study("platforms/<int:listing_id>/credit.tsv", visits.credit, "listing_credit"),
            of_study("platforms/<int:listing_id>/publish/", publishing.publish, "listing_publish"),
            of_study("platforms/<int:listing_id>/top-up/", publishing.top_up, "listing_top_up"),
            of_study("platforms/<int:listing_id>/wage/", wages.wage, "listing_wage"),
            *(
                of_study(
                    f"platforms/<int:listing_id>/{step}/",
                    publishing.view_of(step),
                    f"listing_{step}",
                )
                for step in publishing_steps.STEPS
            ),
            of_study("roster/", roster.roster, "roster"),
            of_study("roster/send/", link_mail.send_links, "send_links"),
            of_study("roster/links.csv", roster.links_csv, "roster_links"),
            of_study("roster/credit.csv", roster.credit_csv, "credit"),
            of_study("people/", people.people, "people"),
            of_study("people/phases/<int:run_id>/open/", people.open_phase, "open_phase"),
            of_study("people/exclude/", exclusions.exclude_several, "exclude_several"),
            of_study("people/include/", exclusions.include_several, "include_several"),
            of_study("people/let-count/", exclusions.let_count, "let_count"),
            of_study("people/undo/", exclusions.undo, "undo_exclusions"),
            of_study("people/compare/", comparisons.compare, "compare"),
            of_study("people/compare/<int:job_id>/", comparisons.comparison, "comparison"),
            of_study(
                "people/compare/<int:job_id>/<slug:name>.<slug:kind>",
                comparisons.plot,
                "comparison_plot",
            ),
            of_study("people/<int:annotator_id>/", person.person, "person"),
            of_study(
                "people/<int:annotator_id>/<slug:name>.<slug:kind>", person.plot, "person_plot"
            ),
            of_study("people/<int:annotator_id>/comment/", person.blank_comment, "blank_comment"),
            of_study("people/<int:annotator_id>/exclude/", exclusions.exclude, "exclude"),
            of_study("people/<int:annotator_id>/include/", exclusions.include, "include"),
            of_study("people/<int:annotator_id>/reissue/", roster.reissue, "reissue"),
            of_study("people/<int:annotator_id>/remove/", roster.remove, "remove"),
            of_study("results/", results.results, "results"),
            of_study("results/score/", results.score, "score"),
            of_study("results/items/", results.item_table, "result_items"),
            of_study("results/items.tex", plots.rated_items_latex, "result_items_latex"),
            of_study("results/review.<slug:kind>", reviewing.table, "review_table"),
            of_study("results/review-counts.tsv", reviewing.counts, "review_counts"),
            of_study("results/plots/<slug:name>.<slug:kind>", plots.plot, "plot"),
            of_study("results/tables/<slug:name>.<slug:kind>", plots.table, "result_table"),
            of_study("adjudications/", adjudications.adjudications, "adjudications"),
            of_study(
                "adjudications/<int:item_id>/<int:phase>/", adjudications.adjudicate, "adjudicate"
            ),
            of_study(
                "adjudications/<int:adjudication_id>/lift/",
                adjudications.lift,
                "lift_adjudication",
            ),
            of_study("baselines/", baselines.baselines, "baselines"),
            of_study("baselines/upload/", baselines.upload, "baseline_upload"),
            of_study("baselines/comparisons/", comparing.change, "baseline_comparisons"),
            of_study("baselines/jobs/<int:job_id>/again/", baselines.again, "baselines_again"),
            of_study(
                "baselines/jobs/<int:job_id>/put-away/",
                baselines.put_away,
                "baselines_put_away",
            ),
            of_study("baselines/table.<slug:kind>", baseline_files.table, "baseline_table"),
            of_study(
                "baselines/tables/<slug:name>.<slug:kind>",
                baseline_files.further,
                "baseline_further",
            ),
            of_study(
                "baselines/differences.tsv", baseline_files.differences, "baseline_differences"
            ),
            of_study("baselines/values.tsv", baseline_files.values, "baseline_values"),
            of_study(
                "baselines/plots/<slug:name>.<slug:kind>", baseline_files.plot, "baseline_plot"
            ),
            of_study("baselines/trainings/", training.trainings, "trainings"),
            of_study("baselines/<int:baseline_id>/", baseline.baseline, "baseline"),
            of_study("baselines/<int:baseline_id>/remove/", baseline.remove, "baseline_remove"),
            of_study("baselines/<int:baseline_id>/review/", baseline.review, "baseline_review"),
            of_study("download/", downloads.download, "download"),
            of_study("download/archive.zip", downloads.archive, "archive"),
            of_study("download/label-studio.zip", downloads.for_label_studio, "label_studio"),
            of_study("download/prepare/", downloads.prepare, "prepare"),
            of_study("download/prepared/<int:job_id>.zip", downloads.prepared, "prepared"),
            of_study("releases/", releases.releases, "releases"),
            of_study("releases/new/", releases.new_release, "release_new"),
            of_study("releases/<int:number>/", releases.release, "release"),
            of_study("releases/<int:number>/archive.zip", releases.release_file, "release_file"),
            of_study(
                "releases/<int:number>/CHANGELOG.md", releases.release_changes, "release_changes"
            ),
            of_study("continue/", creating.continue_again, "continue"),
            of_study("jobs/<int:job_id>/", jobs.job, "job"),
            of_study("jobs/<int:job_id>/state/", jobs.state, "job_state"),
            of_study("jobs/<int:job_id>/cancel/", jobs.cancel, "job_cancel"),
        ]


def _overview(request: HttpRequest) -> HttpResponse:
    return redirect("admin:index")
