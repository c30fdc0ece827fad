"""Step 1: the texts of a study."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from annotation.basics.categories import Categories
from annotation.basics.errors import AnnotationError, TooManyError
from annotation.basics.markdown import render_markdown
from annotation.basics.scale import Scale
from annotation.basics.sentences import Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.pages.edit_conflicts import basis_of, changed_meanwhile
from annotation.core.pages.frame import done, show, study_page, to
from annotation.core.pages.refusing import with_field_labels
from annotation.core.queries import consents
from annotation.core.services.turns import Turn
from annotation.kinds import default_texts
from annotation.kinds.described import FROZEN_FIELDS
from annotation.kinds.forms.describing import DescribeForm
from annotation.kinds.rating.queries import plans as rating_plans
from annotation.kinds.registry import kind_of
from annotation.models import Study
from annotation.studies import presets
from annotation.studies.services import studies

_ONE_PREVIEW = Turn(
    _("Another preview is being made. Please try again in a few seconds."), retry_after=2
)
# A scale of more points is said by its ends.
_POINTS_SHOWN = 21


def _field_labels() -> dict[str, Any]:
    """What the fields are called in the forms of all kinds, the common ones last to prevail."""
    forms: list[type[DescribeForm]] = [*reversed(DescribeForm.__subclasses__()), DescribeForm]
    return {name: field.label for form in forms for name, field in form.base_fields.items()}


@with_field_labels(_field_labels)
@study_page
@require_http_methods(["GET", "POST"])
def describe(request: HttpRequest, study: Study) -> HttpResponse:
    """Edit the texts; a preview shows what is typed without storing it."""
    consent = consents.texts(study).first()
    form = kind_of(study).studies.describe_form(
        study,
        consent.text if consent else "",
        request.POST if request.method == "POST" else None,
    )
    status = 200
    preview: dict[str, Any] | None = None
    if form.is_bound:
        status = 400
        if form.is_valid():
            if "preview" in request.POST and not study.is_imported:
                try:
                    status, preview = 200, _preview(form)
                except TooManyError as error:
                    form.add_error(None, error.message)
                    status = error.status
            elif conflict := changed_meanwhile(request, study, form):
                form.add_error(None, conflict)
                status = 409
            else:
                try:
                    return _save(request, study, form)
                except AnnotationError as error:
                    form.add_error(None, error.message)
                    status = error.status
    return show(
        request,
        study,
        "studies/describe.html",
        title=_("Describe the study"),
        section="describe",
        status=status,
        form=form,
        groups=_groups(form),
        known_answers=rating_plans.about_known_answers(study),
        preview=preview,
        languages=default_texts.LANGUAGES,
        placeholders=[]
        if study.is_imported
        else presets.placeholders(form["consent"].value() or ""),
        basis=request.POST.get("basis") if preview else basis_of(form),
        consent=consent,
        n_agreed=getattr(consent, "n_agreed", 0),
    )


LABELS = {
    **FROZEN_FIELDS,
    "title": _("title"),
    "consent": _("consent"),
    "consent_asks": _("who must agree to the changed consent"),
    "consent_changes": _("what is new in the consent"),
    "thanks": _("thanks"),
}


def _save(request: HttpRequest, study: Study, form: DescribeForm) -> HttpResponse:
    changes = form.changes()
    study = studies.edit(study=study, changes=changes)
    if changes:
        done(request, study, saved([name_of(form, name) for name in changes]))
    if "consent_asks" in changes:
        done(request, study, asked_anew(study))
    return to(study, "describe")


def name_of(form: DescribeForm, column: str) -> str:
    """What a column is called, for the history."""
    return str({**LABELS, **form.LABELS}[column])


def saved(names: Iterable[str]) -> Said:
    return _("Saved: %(names)s.") % {"names": ", ".join(sorted(names))}


def asked_anew(study: Study) -> Said:
    """How many people the latest text is asked about, for the history."""
    n = consents.unanswered(study).count()
    return ngettext(
        "%(n)s person who has started will be asked to agree to version %(version)s "
        "of the consent text.",
        "%(n)s people who have started will be asked to agree to version %(version)s "
        "of the consent text.",
        n,
    ) % {"n": n, "version": studies.current_consent(study).version}


def _preview(form: DescribeForm) -> dict[str, Any]:
    """What an annotator would read, from the form as it stands.

    Raises TooManyError while another text is being rendered.
    """
    cleaned, study = form.cleaned_data, form.study
    changes = form.changes()
    with _ONE_PREVIEW.taken(wait_seconds=1):
        for text in (cleaned["consent"], cleaned["instructions"], cleaned["thanks"]):
            # The template finds them rendered.
            render_markdown(text)
    return {
        "questions": [
            cleaned[name]
            for name in ("most_question", "least_question", "rating_question")
            if name in cleaned
        ],
        "categories": _categories(changes.get("categories", study.categories)),
        "scale": _scale(changes.get("scale", study.scale)),
        "consent": cleaned["consent"],
        "instructions": cleaned["instructions"],
        "thanks": cleaned["thanks"],
        "example": changes.get("worked_example", study.worked_example)
        if "example_best" in form.fields
        else {},
        "comprehension": changes.get("comprehension", study.comprehension),
    }


def _categories(data: dict[str, Any]) -> dict[str, Any] | None:
    """Categories as their preview shows them, with what belongs to each."""
    if not data:
        return None
    categories = Categories.of(data)
    return {
        "several": categories.is_several,
        "names": [(name, categories.explanations.get(name, "")) for name in categories.names],
    }


def _scale(data: dict[str, Any]) -> dict[str, Any] | None:
    """A scale as its preview shows it: its points and their words, or those of its ends."""
    if not data:
        return None
    scale = Scale.of(data)
    shown = scale.points if scale.n_points <= _POINTS_SHOWN else (scale.low, scale.high)
    worded = {*shown, *scale.labels}
    return {
        "n_points": scale.n_points,
        "step": scale.text(scale.step),
        "all": len(shown) == scale.n_points,
        "points": [(scale.text(point), scale.label(point)) for point in sorted(worded)],
    }


def _groups(form: DescribeForm) -> list[dict[str, Any]]:
    """The form's fields under headings, in the order in which an annotator meets them."""
    study = {"title": _("The study"), "fields": [form[name] for name in form.OF_STUDY]}
    question = _question_groups(form)
    if form.study.is_imported:
        # Nobody reads the rest.
        return [study, *({**group, "note": ""} for group in question)]
    return [
        study,
        {
            "title": _("Before the task"),
            "fields": [
                form[name]
                for name in ("consent", *form.OF_CHANGED_CONSENT, "instructions")
                if name in form.fields
            ],
        },
        *question,
        {
            "title": _("Comprehension question"),
            "note": _(
                "People must answer this correctly before the first question. Leave empty for no"
                " comprehension question."
            ),
            "fields": [form[name] for name in form.CHECK],
        },
        {"title": _("After the task"), "fields": [form["thanks"]]},
    ]


def _question_groups(form: DescribeForm) -> list[dict[str, Any]]:
    """The fields of the question under their heading, if this form shows any."""
    group = form.OF_QUESTION
    names = [name for name in group.names if name in form.fields] if group else []
    if not group or not names:
        return []
    return [{"title": group.title, "note": group.note, "fields": [form[name] for name in names]}]
