"""The page of one measure: its definition, its differences from people, and reviews of them."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.http import urlencode
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.baselines.pages.measure_rows import (
    ShownRow,
    options_of,
    part_name,
    people_of,
    rounding,
)
from annotation.baselines.queries import described_measures, leaderboards
from annotation.baselines.queries.comparable_measures import compares_over_items
from annotation.baselines.queries.measure_figures import with_current_figures
from annotation.baselines.queries.measure_plots import OTHERS, boxes_plot, scatter_plot
from annotation.baselines.queries.score_sources import Source
from annotation.baselines.queries.scored_items import scored_items
from annotation.baselines.services import baselines as services
from annotation.basics import references
from annotation.basics.chart_frame import written
from annotation.basics.errors import AnnotationError
from annotation.basics.measure_names import shown_name
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import (
    Confirmation,
    confirm,
    done,
    log,
    refusals,
    show,
    study_page,
    to,
    url,
    user_of,
)
from annotation.items.queries import number_columns
from annotation.kinds.registry import kind_of
from annotation.models import AuditEvent, Baseline, BaselineReport, Study
from annotation.studies.pages.creating import CREATED
from annotation.studies.services import studies

_N_LISTED = 20


@study_page
@require_GET
def baseline(request: HttpRequest, study: Study, baseline_id: int) -> HttpResponse:
    row = get_object_or_404(study.baselines.select_related("by"), pk=baseline_id)
    (stored,) = with_current_figures([row])
    report = leaderboards.latest_report(study)
    board_parts = leaderboards.rows_shown(report) if report else []
    people = people_of(study, report)
    described = described_measures.described(stored)
    return show(
        request,
        study,
        "baselines/baseline.html",
        title=shown_name(stored.name),
        section="baselines",
        baseline=stored,
        is_uploaded=stored.measure == Baseline.UPLOADED,
        described=described,
        choices=described_measures.choices(stored),
        parts=[
            (part_name(part), ShownRow(row))
            for part in board_parts
            for row in part.rows
            if row.baseline == stored.pk
        ],
        rounding=rounding(report) if report else "",
        level=written(100 * options_of(report).level) if report else "",
        other=OTHERS[any(part.is_over_pools for part in board_parts)],
        review_obstacle=_obstacle(study),
        references=references.named_in([described.definition]),
        **_beside_people(study, stored, people, report),
    )


def _beside_people(
    study: Study, baseline: Baseline, people: Source | None, report: BaselineReport | None
) -> dict[str, Any]:
    """The plot and the list, or why there are none.

    Both compare all items, which a measure within each dialogue does not allow.
    """
    if people is None or not compares_over_items(baseline):
        return {"obstacle": ""}
    try:
        points = leaderboards.points(study, baseline, people, report=report)
        listed = leaderboards.largest_disagreements(
            study, baseline, people, n=_N_LISTED, report=report
        )
    except AnnotationError as error:
        return {"obstacle": error.message}
    name = people.title
    return {
        "people": name,
        "plot": scatter_plot(baseline.pk, baseline.name, points, people=name),
        "boxes": boxes_plot(baseline.pk, baseline.name, report) if report else None,
        "disagreements": listed,
        # Labels as they are; scores with decimals.
        "people_digits": 0 if all(row.people.is_integer() for row in listed) else 3,
    }


def _obstacle(study: Study) -> str:
    """Why no review of its discrepancies can begin; empty if nothing hinders."""
    try:
        _refuse_unreviewable(study)
    except AnnotationError as error:
        return error.message
    return ""


def _refuse_unreviewable(study: Study) -> None:
    """Raise StateError unless people's scores are there: of a result, or labels in a column."""
    has_labels = kind_of(study).baselines.scores is not None and number_columns.columns(study)
    if not has_labels:
        scored_items(study)


@study_page
@require_http_methods(["GET", "POST"])
def remove(request: HttpRequest, study: Study, baseline_id: int) -> HttpResponse:
    baseline = get_object_or_404(study.baselines, pk=baseline_id)
    if request.method == "POST":
        name = baseline.name
        with refusals(request):
            services.remove(baseline=baseline)
            done(request, study, _("Removed the measure %(name)s.") % {"name": name})
        return to(study, "baselines")
    confirmation = Confirmation(
        title=_("Remove %(name)s?") % {"name": shown_name(baseline.name)},
        consequences=[
            _("Its values are deleted. You can compute or upload them again."),
            _("Its row stays in the leaderboard until you compute the leaderboard again."),
            _("People's answers are not affected."),
        ],
        button=_("Remove it"),
        is_dangerous=True,
    )
    return confirm(request, study, confirmation, back="baselines", section="baselines")


@study_page
@require_POST
def review(request: HttpRequest, study: Study, baseline_id: int) -> HttpResponse:
    """A new study in which people say why the measure and the people differ."""
    baseline = get_object_or_404(study.baselines, pk=baseline_id)
    with refusals(request):
        _refuse_unreviewable(study)
        title = str(_("Review of %(measure)s") % {"measure": baseline.name})
        made = studies.create(
            owner=user_of(request),
            title=title[:200],
            language=study.language,
            preset="discrepancy-review",
            earlier_round=study,
        )
        log(request, study, _("Created a review of %(name)s.") % {"name": baseline.name})
        log(request, made, CREATED, kind=AuditEvent.Kind.CREATED)
        messages.success(request, str(CREATED))
        return redirect(f"{url(made, 'choose')}?{urlencode({'baseline': baseline.pk})}")
    return to(study, "baseline", baseline.pk)
