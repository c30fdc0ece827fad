"""The text of a message with a personal link: its preset, its placeholders, and their values."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils import translation
from django.utils.translation import gettext

from annotation.basics.errors import AnnotationError
from annotation.basics.languages import spoken_for
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.items.imports.problems import text_problem
from annotation.models import Study
from annotation.monitoring.services import alert_channels

MAX_SUBJECT_CHARS = 200
MAX_TEXT_CHARS = 10_000
PLACEHOLDERS = ("name", "link", "study", "contact")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Letter:
    """Subject and text, with placeholders such as {name}."""

    subject: str
    text: str

    def filled(self, values: Mapping[str, str]) -> "Letter":
        """Both with values. One pass: a name that looks like a placeholder stays as it is."""

        def fill(text: str) -> str:
            return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)

        # A line break in a header would begin another header.
        return Letter(one_line(fill(self.subject)), fill(self.text))


def one_line(text: str) -> str:
    return " ".join(text.split())


def preset(study: Study) -> Letter:
    """What a researcher may change before it is sent, in the language of the study."""
    with translation.override(spoken_for(study.language)):
        return Letter(
            gettext("Your personal link: {study}"),
            gettext(
                "Hello {name},\n\nyou are invited to take part in “{study}”. This is your"
                " personal link:\n\n{link}\n\nIt is meant for you alone: please do not pass it"
                " on.\n\nIf you have questions, please write to {contact}."
            ),
        )


def read(subject: str, text: str) -> Letter:
    """What a researcher typed; raises AnnotationError with what is to be mended."""
    # Browsers send a line break as two characters.
    letter = Letter(one_line(subject), text.replace("\r\n", "\n").strip())
    for part, limit, name in (
        (letter.subject, MAX_SUBJECT_CHARS, _("subject")),
        (letter.text, MAX_TEXT_CHARS, _("text")),
    ):
        if not part:
            raise AnnotationError(_("The %(part)s is empty. Please fill it in.") % {"part": name})
        if len(part) > limit:
            raise AnnotationError(
                _("The %(part)s has %(n)s characters; at most %(limit)s are allowed.")
                % {"part": name, "n": len(part), "limit": limit}
            )
        if problem := text_problem(part):
            raise AnnotationError(problem % {"field": name})
        for placeholder in _PLACEHOLDER.findall(part):
            if placeholder not in PLACEHOLDERS:
                raise AnnotationError(
                    _("There is no placeholder {%(name)s}. You can use: %(known)s.")
                    % {
                        "name": placeholder,
                        "known": ", ".join(f"{{{placeholder}}}" for placeholder in PLACEHOLDERS),
                    }
                )
    if "{link}" in letter.subject:
        raise AnnotationError(_("Mail servers log the subject, so put {link} only into the text."))
    if "{link}" not in letter.text:
        raise AnnotationError(_("The text has no {link}, so nobody would get their link."))
    return letter


def contact_refusal(letter: Letter, user: User) -> Said:
    """Why this message of this user promises a contact that is none; empty if it does not."""
    if "{contact}" not in letter.subject + letter.text or alert_channels.address_of(user):
        return ""
    return _(
        "The message contains {contact}, but the account “%(name)s” has no "
        "e-mail address. Write a contact into the text instead, or ask an "
        "administrator to enter the address under Researchers, All settings."
    ) % {"name": user.get_username()}


def contact_of(user: User) -> str:
    """Whom people can write to: the person who sends the messages."""
    name = user.get_full_name() or user.get_username()
    return f"{name}, {user.email}" if user.email else name


def values_for(*, study: Study, name: str, link: str, contact: str) -> dict[str, str]:
    return {
        "name": one_line(name),
        "link": link,
        "study": one_line(study.title),
        "contact": one_line(contact),
    }
