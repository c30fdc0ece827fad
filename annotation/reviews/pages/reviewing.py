"""Studies that look at scored items again: which of them, and what came of it."""

from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET, require_http_methods

from annotation.baselines.queries.scored_items import scored_items
from annotation.basics.errors import AnnotationError, ImportProblemsError, StateError
from annotation.basics.reviewed import Review
from annotation.basics.sentences import Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.exports.columns import lines
from annotation.core.pages.frame import done, refusals, show, study_page, to, user_of
from annotation.core.pages.populations import population_of
from annotation.items.queries import number_columns
from annotation.models import Study
from annotation.reviews import services as reviews
from annotation.reviews.exports import reviews as reviews_file
from annotation.reviews.forms import DiscrepanciesForm, ExpertsForm, ReviewForm
from annotation.reviews.services import ChosenItems
from annotation.studies import presets

FROZEN = _("The study has been opened, so its items are frozen. Create a new study instead.")
NO_REVIEW = _("This study does not review an earlier study that you can see.")


def earlier_of(study: Study, user: User) -> Study | None:
    """The study whose items are looked at again, where the user may see it, too."""
    return Study.objects.seen_by(user).filter(later_rounds=study).first()


@study_page
@require_http_methods(["GET", "POST"])
def choose(request: HttpRequest, study: Study) -> HttpResponse:
    """Choose items of the earlier study; they replace those that the draft has."""
    earlier = earlier_of(study, user_of(request))
    review = presets.review_of(study.preset)
    if earlier is None or review is None or not study.is_draft:
        with refusals(request):
            raise StateError(FROZEN if review and earlier else NO_REVIEW)
        return to(study, "items")
    is_sent = request.method == "POST"
    given = (request.POST, request.FILES) if is_sent else (None, None)
    form: ReviewForm = (
        ExpertsForm(earlier, *given)
        if review == Review.EXPERTS
        else DiscrepanciesForm(earlier, *given, baseline=request.GET.get("baseline", ""))
    )
    status, problems = 200, list[str]()
    if is_sent:
        status = 400
        if form.is_valid():
            try:
                chosen = chosen_by(study, form)
            except ImportProblemsError as error:
                problems = error.problems
            except AnnotationError as error:
                form.add_error(None, error.message)
                status = error.status
            else:
                done(request, study, said_of(chosen))
                return to(study, "items")
    return show(
        request,
        study,
        "reviews/choose.html",
        title=_("Choose the items"),
        section="items",
        status=status,
        form=form,
        problems=problems,
        obstacle=_obstacle(study, earlier),
        is_discrepancy=isinstance(form, DiscrepanciesForm),
        n_there=study.items.count(),
        is_made=study.design.is_made,
    )


def chosen_by(study: Study, form: ReviewForm) -> ChosenItems:
    if isinstance(form, DiscrepanciesForm):
        return reviews.choose_discrepancies(study=study, measure=form.measure(), **form.choice)
    assert isinstance(form, ExpertsForm)
    return reviews.choose_for_experts(study=study, **form.choice)


def _obstacle(study: Study, earlier: Study) -> str:
    """Why nothing can be chosen yet; empty if nothing hinders."""
    if presets.review_of(study.preset) == Review.DISCREPANCIES and number_columns.columns(earlier):
        return ""
    try:
        scored_items(earlier)
    except AnnotationError as error:
        return error.message
    return ""


def said_of(chosen: ChosenItems) -> Said:
    sentence = ngettext(
        "Copied %(n)s item with its context.",
        "Copied %(n)s items with their contexts.",
        chosen.n_items,
    ) % {"n": chosen.n_items}
    if chosen.n_without_score:
        sentence = ngettext(
            "%(said)s %(n)s item has no score and was left out.",
            "%(said)s %(n)s items have no score and were left out.",
            chosen.n_without_score,
        ) % {"said": sentence, "n": chosen.n_without_score}
    if chosen.n_without_value:
        sentence = ngettext(
            "%(said)s %(n)s item has no value of the measure and was left out.",
            "%(said)s %(n)s items have no value of the measure and were left out.",
            chosen.n_without_value,
        ) % {"said": sentence, "n": chosen.n_without_value}
    return sentence


@study_page
@require_GET
def counts(request: HttpRequest, study: Study) -> HttpResponse:
    """How many items each category of a review has, or how many scores a check contradicts."""
    population = population_of(request)
    file = reviews_file.review_file(study, population)
    if file is None or file.counts is None:
        with refusals(request):
            raise StateError(
                _("This study does not review scored items, so there is no such file.")
            )
        return to(study, "results")
    response = HttpResponse(
        file.counts.tsv, content_type="text/tab-separated-values; charset=utf-8"
    )
    parts = [study.slug, *(["simulated"] if population == "simulated" else []), file.counts.name]
    response["Content-Disposition"] = f'attachment; filename="{"-".join(parts)}"'
    return response


@study_page
@require_GET
def table(request: HttpRequest, study: Study, kind: str) -> HttpResponse:
    """The same as a file: every item as TSV, or tables for a paper in LaTeX."""
    if kind not in {"tsv", "tex"}:
        raise Http404
    population = population_of(request)
    file = reviews_file.review_file(study, population)
    if file is None or (kind == "tex" and not file.latex):
        with refusals(request):
            raise StateError(
                _("This study does not review scored items, so there is no such file.")
            )
        return to(study, "results")
    if kind == "tex":
        text, content_type = file.latex, "application/x-tex"
    else:
        text = "".join(lines(file.columns, file.rows))
        content_type = "text/tab-separated-values"
    response = HttpResponse(text, content_type=f"{content_type}; charset=utf-8")
    name = f"{file.name.removesuffix('.tsv')}.{kind}"
    parts = [study.slug, *(["simulated"] if population == "simulated" else []), name]
    response["Content-Disposition"] = f'attachment; filename="{"-".join(parts)}"'
    return response
