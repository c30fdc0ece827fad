"""A new study from a preset."""

from django.contrib import admin
from django.contrib.admin.models import ADDITION
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods

from annotation import presets
from annotation.admin.pages import log, to, user_of
from annotation.forms.studies import NewStudyForm
from annotation.models import Study
from annotation.sentences import sentence as _
from annotation.services import rounds, studies


@require_http_methods(["GET", "POST"])
def add(request: HttpRequest) -> HttpResponse:
    user = user_of(request)
    form = NewStudyForm(
        user,
        request.POST if request.method == "POST" else None,
        continues=request.GET.get("earlier_round", ""),
        preset=request.GET.get("preset", ""),
    )
    if form.is_bound and form.is_valid():
        earlier = form.cleaned_data.get("earlier_round")
        is_review = presets.review_of(form.cleaned_data["preset"]) is not None
        with transaction.atomic():
            study = studies.create(owner=user, **form.cleaned_data)
            if earlier and not is_review:
                rounds.begin(study=study, earlier=earlier)
        log(request, study, _("Created the study."), flag=ADDITION)
        # Which of the scored items it is about is asked next.
        return to(study, "choose" if is_review else "change")
    return TemplateResponse(
        request,
        "admin/annotation/study/add.html",
        {
            **admin.site.each_context(request),
            "opts": Study._meta,
            "title": _("New study"),
            "form": form,
            "presets": presets.PRESETS.values(),
            "languages": presets.TEXT_LANGUAGES,
        },
        status=400 if form.is_bound else 200,
    )
