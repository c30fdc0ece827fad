"""The questionnaires of a study, as people see them; a draft's are made here."""

from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.basics.errors import AnnotationError
from annotation.basics.person_questions import CHOICE, KINDS, PersonQuestion
from annotation.basics.questionnaires import MOMENTS, Questionnaire, Questionnaires
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import done, refusals, show, study_page, to
from annotation.core.pages.navigation import Text
from annotation.kinds.registry import kind_of
from annotation.models import QuestionnaireReply, Study
from annotation.questionnaires.forms.editing import KIND_LABELS, FileForm, QuestionForm, TextsForm
from annotation.questionnaires.forms.replying import ReplyForm
from annotation.questionnaires.queries import definitions, published, ready_questions, yaml_files
from annotation.questionnaires.services import definitions as services

LABELS = dict(QuestionnaireReply.Moment.choices)


@dataclass(frozen=True)
class Section:
    """One moment on the page: its questions as people see them, and what may be added."""

    questionnaire: Questionnaire
    label: Text
    preview: ReplyForm
    texts: TextsForm
    ready: list[PersonQuestion]
    # Of how many people it is complete, and how many of them an answer has screened out.
    n_people: int
    n_screened_out: int


@study_page
@require_GET
def questionnaires(request: HttpRequest, study: Study) -> HttpResponse:
    return _page(request, study, definitions.of(study))


def _page(
    request: HttpRequest,
    study: Study,
    every: Questionnaires,
    *,
    texts: tuple[str, TextsForm] | None = None,
    file: FileForm | None = None,
    status: int = 200,
) -> HttpResponse:
    there = {question.key for question in every.questions}
    ready = [question for question in ready_questions.of(study) if question.key not in there]
    counts = definitions.counts(study)
    sections = []
    for moment in MOMENTS:
        here = every.at(moment)
        if moment == "between" and not (here.questions or kind_of(study).answering.has_phases):
            continue
        form = TextsForm(initial={"title": here.title, "introduction": here.introduction})
        if texts and texts[0] == moment:
            form = texts[1]
        form.auto_id = f"id_{moment}_%s"
        form.fields["title"].help_text = (
            gettext("Leave empty for “The last questions”.")
            if moment == QuestionnaireReply.Moment.AFTER
            else gettext("Leave empty for “About you”.")
        )
        sections.append(
            Section(here, LABELS[moment], ReplyForm(here), form, ready, *counts[moment])
        )
    return show(
        request,
        study,
        "questionnaires/questionnaires.html",
        title=gettext("Questionnaires"),
        section="questionnaires",
        status=status,
        sections=sections,
        texts=texts[1] if texts else None,
        has_questions=bool(every.questions),
        may_change=study.is_draft,
        kinds=KIND_LABELS.items(),
        page_language=translation.get_language(),
        file=file or FileForm(),
        published=published.overview(study),
    )


@study_page
@require_POST
def texts(request: HttpRequest, study: Study, moment: str) -> HttpResponse:
    every, _questionnaire = _at(study, moment)
    form = TextsForm(request.POST)
    if form.is_valid():
        with refusals(request):
            services.put_texts(study=study, moment=moment, **form.cleaned_data)
            done(request, study, _("Saved the title and the introduction of a questionnaire."))
        return to(study, "questionnaires")
    return _page(request, study, every, texts=(moment, form), status=400)


@study_page
@require_POST
def add_ready(request: HttpRequest, study: Study, moment: str) -> HttpResponse:
    _at(study, moment)
    with refusals(request):
        chosen = set(request.POST.getlist("question"))
        keys = [question.key for question in ready_questions.of(study) if question.key in chosen]
        services.add_ready(study=study, moment=moment, keys=keys)
        done(request, study, _added(keys))
    return to(study, "questionnaires")


@study_page
@require_http_methods(["GET", "POST"])
def add(request: HttpRequest, study: Study, moment: str) -> HttpResponse:
    every, questionnaire = _at(study, moment)
    kind = request.GET.get("kind", CHOICE)
    if kind not in KINDS:
        raise Http404
    return _question_page(request, study, every, questionnaire, kind)


@study_page
@require_http_methods(["GET", "POST"])
def edit(request: HttpRequest, study: Study, moment: str, key: str) -> HttpResponse:
    every, questionnaire = _at(study, moment)
    question = next((each for each in questionnaire.questions if each.key == key), None)
    if question is None:
        raise Http404
    return _question_page(request, study, every, questionnaire, question.kind, question=question)


def _question_page(
    request: HttpRequest,
    study: Study,
    every: Questionnaires,
    questionnaire: Questionnaire,
    kind: str,
    *,
    question: PersonQuestion | None = None,
) -> HttpResponse:
    data = request.POST if request.method == "POST" else None
    form = QuestionForm(every, questionnaire, kind, data, question=question)
    if form.is_bound and form.is_valid():
        assert form.question is not None  # a valid form has one
        try:
            services.put_question(
                study=study,
                moment=questionnaire.moment,
                question=form.question,
                key=question.key if question else "",
            )
        except AnnotationError as error:
            form.add_error(None, error.message)
        else:
            saved = _("Changed question %(key)s.") % {"key": form.question.key}
            done(request, study, saved if question else _added([form.question.key]))
            return to(study, "questionnaires")
    return show(
        request,
        study,
        "questionnaires/question.html",
        title=gettext("Change a question") if question else gettext("Add a question"),
        section="questionnaires",
        status=400 if form.errors else 200,
        form=form,
        moment_label=LABELS[questionnaire.moment],
        kind_label=KIND_LABELS[kind],
    )


@study_page
@require_POST
def move(request: HttpRequest, study: Study, moment: str, key: str) -> HttpResponse:
    _at(study, moment)
    with refusals(request):
        by = -1 if request.POST.get("to") == "up" else 1
        services.move_question(study=study, moment=moment, key=key, by=by)
        done(request, study, _("Moved question %(key)s.") % {"key": key})
    return to(study, "questionnaires")


@study_page
@require_POST
def remove(request: HttpRequest, study: Study, moment: str, key: str) -> HttpResponse:
    _at(study, moment)
    with refusals(request):
        services.remove_question(study=study, moment=moment, key=key)
        done(request, study, _("Removed question %(key)s.") % {"key": key})
    return to(study, "questionnaires")


@study_page
@require_GET
def download(request: HttpRequest, study: Study) -> HttpResponse:
    """All of them as a file, for another study or another group."""
    response = HttpResponse(
        yaml_files.written(definitions.of(study)), content_type="application/yaml"
    )
    name = f"{study.slug}-questionnaires.yaml"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@study_page
@require_POST
def upload(request: HttpRequest, study: Study) -> HttpResponse:
    """Replace all of them by those of a file."""
    form = FileForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            sent = form.cleaned_data["file"].read(4 * yaml_files.SIZE_LIMIT)
            every = yaml_files.read(sent.decode("utf-8-sig"))
            services.put_all(study=study, data=every.as_json)
        except UnicodeDecodeError:
            form.add_error("file", gettext("This file is not a text file in UTF-8."))
        except AnnotationError as error:
            form.add_error("file", error.message)
        else:
            n = len(every.questions)
            done(request, study, _("Read %(n)s questions from a file.") % {"n": n})
            return to(study, "questionnaires")
    return _page(request, study, definitions.of(study), file=form, status=400)


def _at(study: Study, moment: str) -> tuple[Questionnaires, Questionnaire]:
    if moment not in MOMENTS:
        raise Http404
    every = definitions.of(study)
    return every, every.at(moment)


def _added(keys: list[str]) -> Said:
    return _("Added to a questionnaire: %(keys)s.") % {"keys": ", ".join(keys)}
