"""Rosters: personal links, shown once, and the list of who finished."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.core import signing
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.answering.services import rosters
from annotation.answering.services.rosters import PersonalKey
from annotation.basics.errors import AnnotationError, ImportProblemsError
from annotation.basics.sentences import Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.exports.columns import Column
from annotation.core.pages.frame import (
    Confirmation,
    confirm,
    done,
    hand_out,
    log,
    page_of,
    refusals,
    show,
    study_page,
    to,
    user_of,
)
from annotation.core.pages.jobs import described
from annotation.crowds.forms.rosters import (
    ENTRY_COLUMNS,
    read_roster,
    read_text,
    spreadsheet_csv,
    written,
)
from annotation.crowds.pages.link_mail import summary
from annotation.crowds.queries import link_messages
from annotation.crowds.queries.link_messages import MailedLink
from annotation.crowds.stored_personal_data import ROSTER, to_be_added
from annotation.kinds.services.recognition import InDoubtError, Match
from annotation.models import Annotator, Study
from annotation.people.queries import people as queries

# Of a field that says who somebody is: the rest is their id.
_WHO = "who-"
_SALT = "likeness.roster links"


def said_of_added(n: int) -> Said:
    return ngettext(
        "Added %(n)s person to the roster.", "Added %(n)s people to the roster.", n
    ) % {"n": n}


@study_page
@require_http_methods(["GET", "POST"])
def roster(request: HttpRequest, study: Study) -> HttpResponse:
    """Who is on the roster; adding people answers with their links, this once."""
    problems: list[str] = []
    in_doubt: list[Match] = []
    text = ""
    if request.method == "POST":
        file, text = request.FILES.get("file"), request.POST.get("entries", "")
        try:
            if study.state == Study.State.FINISHED:
                raise AnnotationError(_("The study is finished. Nobody can answer any more."))
            if isinstance(file, UploadedFile):
                if text.strip():
                    raise AnnotationError(_("Either upload a file or type the list, not both."))
                entries = read_roster(file)
            else:
                entries = read_text(text)
            made = rosters.add_roster(
                study=study,
                entries=entries,
                same=_decided(request, "same"),
                others=_decided(request, "others"),
                by=user_of(request),
            )
        except InDoubtError as error:
            in_doubt, text = error.matches, written(entries)
        except ImportProblemsError as error:
            problems = error.problems
        except AnnotationError as error:
            problems = [error.message]
        else:
            if made:
                log(request, study, said_of_added(len(made)))
            return _links(request, study, made, n_known=len(entries) - len(made))
    page = page_of(
        request,
        study.annotators.filter(person__platform=rosters.ROSTER)
        .select_related("person")
        .order_by("person__platform_id", "pk"),
    )
    mail = summary(study, list(page.object_list))
    return show(
        request,
        study,
        "crowds/roster.html",
        title=_("Roster"),
        section="collect",
        status=400 if problems else 409 if in_doubt else 200,
        problems=problems,
        in_doubt=in_doubt,
        entries=text,
        consent_lacks=to_be_added(study, ROSTER),
        page=page,
        rows=_rows(study, list(page.object_list), mail),
        mail=mail,
        job=described(request, study, mailing)
        if (mailing := link_messages.unfinished(study))
        else None,
    )


def _rows(
    study: Study, annotators: Sequence[Annotator], mail: Mapping[str, Any]
) -> list[tuple[queries.PersonRow, MailedLink | None, bool]]:
    """Each person, what became of their e-mail, and whether they can be sent one now."""
    return [
        (row, mail["mailed"].get(row.pk), row.pk in mail["may_be_sent"])
        for row in queries.person_rows(study, annotators)
    ]


def _decided(request: HttpRequest, answer: str) -> set[str]:
    """The ids of those whom the page has asked about, and of whom this was the answer."""
    return {
        name.removeprefix(_WHO)
        for name, given in request.POST.items()
        if name.startswith(_WHO) and given == answer
    }


class _PersonalLink(NamedTuple):
    """A link, and whose it is."""

    platform_id: str
    name: str
    email: str
    address: str


def _links(
    request: HttpRequest, study: Study, made: list[PersonalKey], *, n_known: int = 0
) -> HttpResponse:
    """The one page that shows personal links."""
    rows = [
        _PersonalLink(
            platform_id=made_key.annotator.person.platform_id if made_key.annotator.person else "",
            name=made_key.annotator.person.name if made_key.annotator.person else "",
            email=made_key.annotator.person.email if made_key.annotator.person else "",
            address=request.build_absolute_uri(reverse("annotator:own", args=[made_key.key])),
        )
        for made_key in made
    ]
    return show(
        request,
        study,
        "crowds/links.html",
        title=_("Personal links"),
        section="collect",
        rows=rows,
        n_known=n_known,
        recognised=[made_key for made_key in made if made_key.known_from],
        # Signed, so that the download below can only be of links that this page has shown.
        signed=signing.dumps([study.pk, rows], salt=_SALT, compress=True),
    )


@study_page
@require_POST
def links_csv(request: HttpRequest, study: Study) -> HttpResponse:
    """The links of the page that was just shown, as a file; nothing is kept here."""
    try:
        # As long as somebody may plausibly leave the page open.
        study_id, rows = signing.loads(
            request.POST.get("links", ""), salt=_SALT, max_age=24 * 60 * 60
        )
    except signing.BadSignature:
        study_id, rows = 0, []
    if study_id != study.pk:
        with refusals(request):
            raise AnnotationError(
                _(
                    "These links can no longer be shown. Issue new links to the people "
                    "who need them."
                )
            )
        return to(study, "roster")
    columns = [*ENTRY_COLUMNS, Column("link", "their own", lambda row: row.address)]
    links = [_PersonalLink(*row) for row in rows]
    file = _csv(f"{study.slug}-links.csv", spreadsheet_csv(columns, links))
    return hand_out(request, study, file)


@study_page
@require_http_methods(["GET", "POST"])
def reissue(request: HttpRequest, study: Study, annotator_id: int) -> HttpResponse:
    """A new personal link for somebody; the old one stops working."""
    # A platform brings its people itself: a link would let somebody else answer for them.
    annotator = get_object_or_404(
        study.annotators.filter(person__platform=rosters.ROSTER), pk=annotator_id
    )
    obstacle = rosters.reissue_refusal(annotator)
    if request.method == "POST":
        with refusals(request):
            made = rosters.reissue_key(annotator=annotator)
            log(request, study, _("Issued a new link for %(who)s.") % {"who": annotator})
            return _links(request, study, [made])
        return to(study, "roster")
    person = annotator.person
    assert person is not None  # a roster has people
    return confirm(
        request,
        study,
        Confirmation(
            title=_("Issue a new personal link?"),
            consequences=[
                _("For: %(who)s.") % {"who": person.name or person.platform_id},
                _("Their current link stops working immediately, even if they are answering."),
                _("Their answers are kept. With the new link they continue where they stopped."),
                _("The new link is shown only once."),
            ],
            button=_("Issue a new link"),
            obstacles=[obstacle] if obstacle else [],
        ),
        back="roster",
        section="collect",
    )


@study_page
@require_http_methods(["GET", "POST"])
def remove(request: HttpRequest, study: Study, annotator_id: int) -> HttpResponse:
    """Take somebody off the roster who has not started."""
    annotator = get_object_or_404(
        study.annotators.filter(person__platform=rosters.ROSTER), pk=annotator_id
    )
    if request.method == "POST":
        with refusals(request):
            rosters.remove_unstarted(annotator=annotator)
            done(request, study, _("Removed %(who)s from the roster.") % {"who": annotator})
        return to(study, "roster")
    person = annotator.person
    assert person is not None  # of a roster
    refusal = rosters.removal_refusal(annotator)
    return confirm(
        request,
        study,
        Confirmation(
            title=_("Remove from the roster?"),
            consequences=[
                _("For: %(who)s.") % {"who": person.name or person.platform_id},
                _("Their name, their address and their personal link are deleted."),
                _("They have not started, so no answers are lost."),
            ],
            button=_("Remove"),
            is_dangerous=True,
            obstacles=[refusal] if refusal else [],
        ),
        back="roster",
        section="collect",
    )


@study_page
@require_GET
def credit_csv(request: HttpRequest, study: Study) -> HttpResponse:
    """Who of the roster has finished, for course credit."""
    columns = [
        Column("id", "of the person", lambda row: row.platform_id),
        Column("name", "empty without one", lambda row: row.name),
        Column("finished", "yes or no", lambda row: "yes" if row.finished_at else "no"),
        Column("finished at", "in the server's time zone", _finished_at),
    ]
    records = queries.roster_records(study)
    file = _csv(f"{study.slug}-credit.csv", spreadsheet_csv(columns, records))
    return hand_out(request, study, file)


def _finished_at(row: queries.RosterRecord) -> str:
    at = row.finished_at
    return timezone.localtime(at).strftime("%Y-%m-%d %H:%M") if at else ""


def _csv(name: str, text: str) -> HttpResponse:
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
