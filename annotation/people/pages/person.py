"""One annotator: what was seen of their answers beside those of the others; never who it is."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import translation
from django.views.decorators.http import require_GET, require_http_methods

from annotation.answering.services import withdrawal
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import (
    Confirmation,
    confirm,
    done,
    page_of,
    refusals,
    show,
    study_page,
    to,
)
from annotation.core.pages.plot_files import plot_file
from annotation.core.queries.comments import comments
from annotation.kinds.registry import kind_of
from annotation.models import Judgment, Study
from annotation.models.kinds import Source
from annotation.people.queries import people as people_queries
from annotation.people.queries import person as queries
from annotation.people.queries import person_answer_rows, person_answers
from annotation.questionnaires.queries import answers_in_words

# No database counts further.
MAX_KEY_DIGITS = 19


@study_page
@require_GET
def person(request: HttpRequest, study: Study, annotator_id: int) -> HttpResponse:
    who = get_object_or_404(study.annotators.select_related("study"), pk=annotator_id)
    own = person_answers.own_answers(who)
    others = person_answers.others_of(who, own)
    (row,) = people_queries.person_rows(study, [who])
    order = request.GET.get("sort", "")
    page = page_of(request, person_answer_rows.in_order(study, own, others, order))
    figures = queries.figures(who, own, others, row) if own else []
    return show(
        request,
        study,
        "people/person.html",
        title=_("Annotator %(who)s") % {"who": who.pseudonym},
        section="people",
        row=row,
        held=queries.held_in_words(who),
        simulated=who.source == Source.SIMULATED,
        compares_people=kind_of(study).people.compares_people,
        sittings=queries.sittings(who, own, others),
        figures=figures,
        has_signs=any(figure.is_sign for figure in figures),
        plot=queries.time_plot(own, others),
        comments=person_answers.comments_of(who),
        exclusions=queries.exclusions(who),
        about=list(answers_in_words.of_person(who)),
        page=page,
        by_disagreement=order == "disagreement",
        query="sort=disagreement" if order == "disagreement" else "",
        answers=person_answer_rows.answer_rows(study, list(page.object_list), others),
    )


@study_page
@require_http_methods(["GET", "POST"])
def blank_comment(request: HttpRequest, study: Study, annotator_id: int) -> HttpResponse:
    """Blank one comment, which may name somebody, before anybody else reads it."""
    who = get_object_or_404(study.annotators, pk=annotator_id)
    data = request.POST if request.method == "POST" else request.GET
    number = data.get("answer", "")
    in_list = data.get("list") == "all"
    answer = comments(study).filter(assignment__annotator=who, pk=_key(number)).first()
    if answer is None:
        messages.warning(request, str(_("This answer has no comment to blank.")))
        return to(study, "comments") if in_list else to(study, "person", who.pk)
    if request.method == "POST":
        with refusals(request):
            blanked = withdrawal.blank_comment(annotator=who, judgment=answer.pk)
            done(request, study, said_of_blanking(blanked))
        return to(study, "comments") if in_list else to(study, "person", who.pk)
    return confirm(
        request,
        study,
        Confirmation(
            title=_("Blank this comment?"),
            consequences=[
                _("Comment: %(comment)s") % {"comment": answer.comment},
                _("It is replaced by …, here and in all new files."),
                _("The answer itself stays and still counts."),
                _("The comment is erased for good."),
                _("Earlier files and releases keep the comment."),
            ],
            button=_("Blank it"),
            is_dangerous=True,
        ),
        back="comments" if in_list else "people",
        section="releases" if in_list else "people",
        carried=[("answer", number), *([("list", "all")] if in_list else [])],
    )


def _key(number: str) -> int:
    return int(number) if number.isdecimal() and len(number) < MAX_KEY_DIGITS else 0


def said_of_blanking(judgment: Judgment) -> Said:
    return _("Blanked a comment of %(who)s: booklet %(booklet)s, screen %(screen)s.") % {
        "who": judgment.assignment.annotator.pseudonym,
        "booklet": judgment.assignment.booklet.number,
        "screen": judgment.question.screen,
    }


@study_page
@require_GET
def plot(
    request: HttpRequest, study: Study, annotator_id: int, name: str, kind: str
) -> HttpResponse:
    """The times as a file."""
    who = get_object_or_404(study.annotators.select_related("study"), pk=annotator_id)
    own = person_answers.own_answers(who)
    # Programs read the data: their columns have the same names for everybody.
    with translation.override("en" if kind == "tsv" else translation.get_language()):
        time_plot = queries.time_plot(own, person_answers.others_of(who, own))
    if time_plot is None or time_plot.key != name:
        raise Http404
    stem = f"{study.slug}-{who.pseudonym}-{name}"
    return plot_file(request, time_plot, kind, stem=stem) or to(study, "person", who.pk)
