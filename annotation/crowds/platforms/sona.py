"""Credit at SONA, a participant pool of universities: by our server, and not by people's browsers.

Documented, with credit that was given before, in SONA's manual (read on 2026-11-29):
https://www.sona-systems.com/researcher/server-side-completion-url-responses/ and
https://www.sona-systems.com/researcher/client-side-completion-url-responses/
"""

import re
from dataclasses import dataclass
from urllib.parse import parse_qs
from xml.etree import ElementTree

import requests
from django.conf import settings

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.errors import DoubtfulError, RefusedError, UnavailableError
from annotation.crowds.platforms.transport import (
    BoundedSession,
    TooMuchError,
    read_bounded,
    was_not_sent,
)

_PATH = "/services/SonaAPI.svc/WebstudyCredit"
_EXPERIMENT = re.compile(r"[0-9]{1,12}")
_TOKEN = re.compile(r"[0-9A-Za-z-]{8,100}")
_MAX_SECONDS = 30.0
_MAX_BYTES = 64 * 1024
_MAX_REASON_LENGTH = 300


@dataclass(frozen=True)
class CompletionUrl:
    """A study at SONA, as its *server-side completion URL* names it."""

    site: str
    experiment_id: str
    credit_token: str

    @classmethod
    def of(cls, address: str) -> "CompletionUrl | None":
        """None if it is no such address of a site that the operator names."""
        before, _sign, query = address.strip().partition("?")
        site = before.removesuffix(_PATH)
        fields = parse_qs(query)
        experiment, token = (
            fields.get(name, [""])[0] for name in ("experiment_id", "credit_token")
        )
        is_study = _EXPERIMENT.fullmatch(experiment) and _TOKEN.fullmatch(token)
        is_there = site in settings.SONA_SITES and before == site + _PATH
        return cls(site, experiment, token) if is_study and is_there else None


def problem(address: str) -> Said:
    """Why credit cannot be given by this address, with the remedy; empty: it can."""
    if CompletionUrl.of(address):
        return ""
    if not settings.SONA_SITES:
        return _(
            "No SONA site is set up on this server. The operator must set LIKENESS_SONA_SITES and "
            "restart the server."
        )
    return _(
        "This is not a server-side completion URL of %(sites)s. Copy it from the study's page "
        "at SONA; it contains %(path)s, experiment_id and credit_token."
    ) % {"sites": ", ".join(settings.SONA_SITES), "path": _PATH}


def give_credit(study: CompletionUrl, survey_code: str) -> None:
    """Ask SONA once. Raises RefusedError, UnavailableError (nothing was done) or DoubtfulError.

    Whoever has credit is refused a second one, so that asking twice gives it once.
    """
    sent = {
        "experiment_id": study.experiment_id,
        "credit_token": study.credit_token,
        "survey_code": survey_code,
    }
    is_local = study.site.startswith("http://")
    try:
        with BoundedSession(seconds=_MAX_SECONDS, is_local=is_local) as session:
            answer = session.get(
                study.site + _PATH,
                params=sent,
                timeout=_MAX_SECONDS / 2,
                stream=True,
                allow_redirects=False,
            )
            text = read_bounded(answer, most_bytes=_MAX_BYTES)
            session.refuse_if_cut_off()
    except (requests.RequestException, TooMuchError) as error:
        # Its words would quote the address, and the token with it.
        if was_not_sent(error):
            raise UnavailableError(_("SONA cannot be reached.")) from None
        raise DoubtfulError(_("SONA gave no clear answer.")) from None
    if answer.status_code != 200:
        raise DoubtfulError(
            _("SONA gave no clear answer (%(status)s).") % {"status": answer.status_code}
        )
    _read(text, hidden=study.credit_token)


def _read(text: str, *, hidden: str) -> None:
    try:
        # No entities: an answer has none.
        root = None if "<!" in text else ElementTree.fromstring(text)  # noqa: S314
    except ElementTree.ParseError:
        root = None
    if root is None:
        raise DoubtfulError(_("SONA gave no clear answer."))
    names = {element.tag.rpartition("}")[2]: element for element in root.iter()}
    errors = names.get("Errors")
    if errors is not None and (words := " ".join("".join(errors.itertext()).split())):
        reason = words.replace(hidden, "…")[:_MAX_REASON_LENGTH]
        raise RefusedError(
            _("SONA gave no credit: %(reason)s") % {"reason": reason},
        )
    status = names.get("credit_status")
    if status is None or status.text != "G":
        raise DoubtfulError(_("SONA gave no clear answer."))
