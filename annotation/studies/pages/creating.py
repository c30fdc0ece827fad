"""A new study from a preset."""

from django.contrib import admin
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods, require_POST

from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import log, refusals, study_page, to, user_of
from annotation.core.pages.job_pages import page_of
from annotation.core.services import repeated_jobs
from annotation.designs.services import rounds
from annotation.kinds import default_texts
from annotation.kinds.design_parameters import ImpossibleParametersError
from annotation.kinds.services.drawn_groups import Part
from annotation.models import AuditEvent, Job, Study
from annotation.studies import presets
from annotation.studies.forms.studies import NewStudyForm
from annotation.studies.services import copies, imported_studies, studies

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
            refuse(form)
            study = create_from(form, user)
        except ImpossibleParametersError as error:
            form.add_error(error.field, error.message)
        except AnnotationError as error:
            # All else that is refused has to do with the study that is continued.
            form.add_error("earlier_round", error.message)
        else:
            log(request, study, CREATED, kind=AuditEvent.Kind.CREATED)
            if said := part_in_words(form.part, study):
                log(request, study, said)
            if job := copying_job(study):
                return to(study, "job", job.pk)
            # Which of the scored items a review is about is asked next.
            return to(study, "choose" if presets.review_of(study.preset) else "change")
    return TemplateResponse(
        request,
        "studies/add.html",
        {
            **admin.site.each_context(request),
            "opts": Study._meta,
            "title": _("New study"),
            "form": form,
            "presets": presets.PRESETS.values(),
            "languages": default_texts.LANGUAGES,
        },
        status=400 if form.is_bound else 200,
    )


def refuse(form: NewStudyForm) -> None:
    """Raise what cannot be continued as the form says; it takes longer than a lock may be held."""
    given = form.cleaned_data
    preset, earlier = presets.PRESETS[given["preset"]], given.get("earlier_round")
    if earlier and not preset.review:
        rounds.refuse(earlier=earlier, part=form.part, kind=preset.kind)


def part_in_words(part: Part, study: Study) -> Said:
    """What the history says of a part of an earlier round; empty if all of it is taken."""
    if part.n_groups:
        return _("Groups drawn from %(study)s: %(n)s.") % {
            "study": study.earlier_round,
            "n": part.n_groups,
        }
    if part.n_first:
        return _("First groups of each person of %(study)s: %(n)s.") % {
            "study": study.earlier_round,
            "n": part.n_first,
        }
    return ""


def copying_job(study: Study) -> Job | None:
    """The job that takes the items of another study, where one is to do it."""
    return study.jobs.filter(kind__in=Job.COPYING_KINDS).order_by("-pk").first()


@study_page
@require_POST
def continue_again(request: HttpRequest, study: Study) -> HttpResponse:
    """Take the items of another study, where that failed or was cancelled."""
    with refusals(request):
        last = copying_job(study)
        if last is None:
            raise StateError(copies.ITEMS_ARE_THERE)
        job = repeated_jobs.repeat(last, user_of(request))
        log(request, study, page_of(job).repeated)
        return to(study, "job", job.pk)
    return to(study, "change")


@transaction.atomic
def create_from(form: NewStudyForm, owner: User) -> Study:
    """The study that the form describes; a job takes the items of the one that it continues.

    Call `refuse` first.
    """
    given = dict(form.cleaned_data)
    for name in form.OF_PART:
        given.pop(name, None)
    is_imported = given.pop("imported", False)
    study = studies.create(owner=owner, **given)
    if is_imported:
        return imported_studies.mark(study=study)
    if study.earlier_round and not presets.review_of(study.preset):
        rounds.request(study=study, earlier=study.earlier_round, part=form.part, by=owner)
    return study
