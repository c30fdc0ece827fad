"""A new study from a preset."""

from django.contrib import admin
from django.contrib.admin.models import ADDITION
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods

from annotation import presets
from annotation.admin.pages import log, to, user_of
from annotation.errors import AnnotationError
from annotation.forms.studies import NewStudyForm
from annotation.models import Study
from annotation.sentences import sentence as _
from annotation.services import rounds, studies
from annotation.services.design_rows import ImpossibleParametersError

CREATED = _("Created the study.")


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
        try:
            study = create_from(form, user)
        except ImpossibleParametersError as error:
            form.add_error(error.field, error.message)
        except AnnotationError as error:
            # All else that is refused has to do with the study that is continued.
            form.add_error("earlier_round", error.message)
        else:
            log(request, study, CREATED, flag=ADDITION)
            if n_groups := form.cleaned_data.get("n_groups"):
                said = {"study": study.earlier_round, "n": n_groups}
                log(request, study, _("Groups drawn from %(study)s: %(n)s.") % said)
            # Which of the scored items a review is about is asked next.
            return to(study, "choose" if presets.review_of(study.preset) else "change")
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


@transaction.atomic
def create_from(form: NewStudyForm, owner: User) -> Study:
    """The study that the form describes, with what it takes from the one it continues."""
    given = dict(form.cleaned_data)
    n_groups = given.pop("n_groups", None)
    study = studies.create(owner=owner, **given)
    if study.earlier_round and not presets.review_of(study.preset):
        rounds.begin(study=study, earlier=study.earlier_round, n_groups=n_groups)
    return study
