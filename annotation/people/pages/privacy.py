"""What a study holds of people, when that goes, and which consent they gave."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import (
    Confirmation,
    confirm,
    done,
    log,
    owns,
    refusals,
    show,
    study_page,
    to,
    user_of,
)
from annotation.core.queries import consents
from annotation.core.queries.retention_days import days_of
from annotation.models import Erasure, Study
from annotation.people.queries import retention as queries
from annotation.people.services import retention
from annotation.studies.forms.privacy import RetentionForm
from annotation.studies.pages.sharing import only_the_owner

# With the name of the owner.
ONLY_THE_OWNER = _(
    "Only %(owner)s, who owns this study, can choose how long personal data are kept."
)
# So many of those who have not answered are named; the page People has all.
SHOWN = 50


@study_page
@require_http_methods(["GET", "POST"])
def privacy(request: HttpRequest, study: Study) -> HttpResponse:
    """See what is held; say for how long."""
    form = RetentionForm(study, request.POST if request.method == "POST" else None)
    if form.is_bound:
        if not owns(request, study):
            return only_the_owner(request, study, ONLY_THE_OWNER)
        if form.is_valid():
            days = form.cleaned_data["days"]
            try:
                study = retention.set_days(study=study, days=days)
            except AnnotationError as error:
                form.add_error("days", error.message)
            else:
                done(request, study, said_of_days(days_of(study)))
                return to(study, "privacy")
    return show(
        request,
        study,
        "people/privacy.html",
        title=_("Privacy"),
        section="privacy",
        status=400 if form.errors else 200,
        form=form,
        held=queries.held(study),
        days=days_of(study),
        due_at=queries.due_at(study),
        is_due=queries.is_due(study),
        erased_from=queries.erased_from(study),
        obstacles=queries.obstacles(study),
        erasures=study.erasures.select_related("by"),
        texts=consents.texts(study),
        n_unanswered=(unanswered := consents.unanswered(study)).count(),
        unanswered=unanswered[:SHOWN],
        n_stopped=consents.stopped(study).count(),
        may_erase=owns(request, study),
    )


@study_page
@require_http_methods(["GET", "POST"])
def erase(request: HttpRequest, study: Study) -> HttpResponse:
    """Erase who people were, now: for the owner, who is told what that means."""
    if not owns(request, study):
        return only_the_owner(request, study, ONLY_THE_OWNER)
    if request.method == "POST":
        # Afterwards nobody knows any more which files still name somebody.
        named = retention.find_names(study).said()
        with refusals(request):
            erasure = retention.erase(study=study, by=user_of(request))
            done(request, study, _erased(erasure))
            for sentence in named if erasure else []:
                log(request, study, sentence)
                messages.info(request, str(sentence))
        return to(study, "privacy")
    held = queries.held(study)
    obstacles = queries.obstacles(study)
    if not held.is_any:
        obstacles = [_("The study no longer contains data that identify people.")]
    return confirm(
        request,
        study,
        Confirmation(
            title=_("Erase personal data?"),
            consequences=[
                ngettext(
                    "The name, address and platform id of %(n)s person are erased.",
                    "Names, addresses and platform ids of %(n)s people are erased.",
                    held.n_people,
                )
                % {"n": held.n_people},
                ngettext(
                    "The platform id of %(n)s visit and what was submitted there are erased.",
                    "The platform ids of %(n)s visits and what was submitted there are erased.",
                    held.n_visits,
                )
                % {"n": held.n_visits},
                _(
                    "Afterwards you can no longer pay, credit or write to people, or find "
                    "them on the roster."
                ),
                _(
                    "Credit lists and payment lists no longer identify people, so "
                    "download them first."
                ),
                *retention.find_names(study).said(),
                _(
                    "Texts and dates that people entered in questionnaires are erased. Other "
                    "answers, pseudonyms, scores and ledger totals stay."
                ),
                _(
                    "You cannot open the study again, and later rounds cannot recognise "
                    "these people."
                ),
                _("This cannot be undone."),
            ],
            button=_("Erase"),
            is_dangerous=True,
            obstacles=obstacles,
        ),
        back="privacy",
        section="privacy",
    )


def _erased(erasure: Erasure | None) -> Said:
    if erasure is None:
        return _("There was nothing to erase.")
    return ngettext(
        "Erased: personal data of %(n)s person.",
        "Erased: personal data of %(n)s people.",
        erasure.n_people,
    ) % {"n": erasure.n_people}


def said_of_days(days: int) -> Said:
    if not days:
        return _("Personal data are not erased automatically.")
    return ngettext(
        "Personal data are erased %(n)s day after the end.",
        "Personal data are erased %(n)s days after the end.",
        days,
    ) % {"n": days}
