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
    )
    if form.is_bound and form.is_valid():
        earlier = form.cleaned_data.get("earlier_round")
        with transaction.atomic():
            study = studies.create(owner=user, **form.cleaned_data)
            if earlier:
                rounds.begin(study=study, earlier=earlier)
        log(request, study, _("Created the study."), flag=ADDITION)
        return to(study, "change")
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
