"""Picking the filters by which a platform decides who sees a listing."""

from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import done, page_of, refusals, show, study_page, to
from annotation.core.platforms import platform_of
from annotation.core.platforms.base import Platform
from annotation.core.platforms.people_filters import PeopleFilter
from annotation.crowds.forms.people_filters import FilterForm, SearchForm
from annotation.crowds.pages.listings import listing_of
from annotation.crowds.services import people_filters as services
from annotation.models import Listing, Study


@study_page
@require_http_methods(["GET", "POST"])
def people_filters(request: HttpRequest, study: Study, listing_id: int) -> HttpResponse:
    """The filters of the platform, found by a search, and one of them to choose from."""
    row = listing_of(study, listing_id)
    platform = platform_of(row.platform)
    if not platform.capabilities.has_people_filters or row.state != Listing.State.DRAFT:
        return to(study, "listing", row.pk)
    if request.method == "POST" and "remove" in request.POST:
        with refusals(request):
            services.remove(listing=row, key=request.POST["remove"])
            done(request, study, _("Removed a filter of listing %(n)s.") % {"n": row.number})
        return to(study, "listing_filters", row.pk)
    filters: list[PeopleFilter] = []
    problem: Said = ""
    try:
        filters = list(platform.people_filters(row))
    except AnnotationError as error:
        problem = error.message
    key = (request.POST if request.method == "POST" else request.GET).get("filter", "")
    if key and not problem:
        return _one_filter(request, study, row, filters, key)
    search = SearchForm(request.GET)
    words = search.words()
    rows = [each for each in filters if each.matches(words)]
    return show(
        request,
        study,
        "crowds/people_filters.html",
        title=_("Filters of listing %(n)s") % {"n": row.number},
        section="platforms",
        listing=row,
        chosen=platform.chosen_filters(row),
        problem=problem,
        search=search,
        page=page_of(request, rows),
        page_query=urlencode({"q": search.cleaned_data["q"]}) if words else "",
        n_filters=len(filters),
        **({} if problem or words else _eligible(platform, row)),
    )


def _eligible(platform: Platform, row: Listing) -> dict[str, Any]:
    """How many people the filters leave; of a later part, only its own people count."""
    if row.phase_number > 1:
        return {}
    try:
        return {"n_eligible": platform.n_eligible(row)}
    except AnnotationError as error:
        return {"uncounted": error.message}


def _one_filter(
    request: HttpRequest, study: Study, row: Listing, filters: list[PeopleFilter], key: str
) -> HttpResponse:
    platform = platform_of(row.platform)
    people_filter = next((each for each in filters if each.key == key), None)
    if people_filter is None:
        raise Http404
    before = {each.key: each.selection for each in platform.chosen_filters(row)}
    sent = request.POST if request.method == "POST" else None
    form = FilterForm(people_filter, sent, selection=before.get(key))
    if sent is not None and form.is_valid():
        with refusals(request):
            services.choose(listing=row, people_filter=people_filter, selection=form.selection())
            done(request, study, _("Chose a filter of listing %(n)s.") % {"n": row.number})
        return to(study, "listing_filters", row.pk)
    return show(
        request,
        study,
        "crowds/people_filter.html",
        title=_("Filter: %(title)s") % {"title": people_filter.title},
        section="platforms",
        status=200 if sent is None else 400,
        listing=row,
        people_filter=people_filter,
        form=form,
        is_chosen=key in before,
    )
