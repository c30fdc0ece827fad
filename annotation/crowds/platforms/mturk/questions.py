"""The XML of Mechanical Turk: what a HIT shows, and what a worker handed in."""

from collections.abc import Mapping
from html import escape
from xml.etree import ElementTree

from lxml import etree

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import sentence as _
from annotation.core.platforms.errors import RefusedError

_SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
_EXTERNAL = _SCHEMAS + "2006-07-14/ExternalQuestion.xsd"
_HTML = _SCHEMAS + "2011-11-11/HTMLQuestion.xsd"
_ANSWERS = "QuestionFormAnswers"
MAX_QUESTION_BYTES = 65_535
# Of what a worker handed in: more is no form of ours.
_MAX_ANSWER_BYTES = 1_000_000
_MAX_FIELDS, _MAX_FIELD_LENGTH = 100, 10_000


class QuestionTooLongError(RefusedError):
    """Mechanical Turk takes no more than 65,535 bytes."""


class AnswerUnreadableError(AnnotationError):
    """The submission does not have the format that Mechanical Turk documents."""


def external_question(address: str, *, frame_height: int) -> str:
    """Shows the page at the address in a frame; height 0: as high as there is room."""
    return _written(_EXTERNAL, "ExternalQuestion", ExternalURL=address, FrameHeight=frame_height)


def html_question(*, title: str, text: str, button: str) -> str:
    """A page that the platform itself shows: a text, and a button that hands it in."""
    paragraphs = "".join(f"<p>{escape(part)}</p>" for part in text.split("\n") if part.strip())
    page = (
        '<!DOCTYPE html><html><head><meta charset="utf-8"><title>'
        f"{escape(title)}</title>"
        '<script src="https://assets.crowd.aws/crowd-html-elements.js"></script></head>'
        f"<body><crowd-form><h1>{escape(title)}</h1>{paragraphs}"
        '<input type="hidden" name="seen" value="1">'
        f'<crowd-button form-action="submit">{escape(button)}</crowd-button>'
        "</crowd-form></body></html>"
    )
    return _written(_HTML, "HTMLQuestion", HTMLContent=page, FrameHeight=0)


def _written(namespace: str, name: str, **children: object) -> str:
    # A plain attribute, and not a prefix: the service's own examples have it so.
    root = ElementTree.Element(name, {"xmlns": namespace})
    for key, value in children.items():
        ElementTree.SubElement(root, key).text = str(value)
    text = ElementTree.tostring(root, encoding="unicode")
    if len(text.encode()) > MAX_QUESTION_BYTES:
        raise QuestionTooLongError(
            _("This text is too long for Mechanical Turk: write at most %(n)s characters.")
            % {"n": 20_000}
        )
    return text


def read_answer(xml: str) -> Mapping[str, str]:
    """The fields of the form that a worker's browser posted; the first of each name counts.

    Raises AnswerUnreadableError. It is foreign text: no entity is resolved, nothing is fetched.
    """
    if len(xml) > _MAX_ANSWER_BYTES:
        raise AnswerUnreadableError(_("The submission is too long to be read."))
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=False,
    )
    try:
        root = etree.fromstring(xml.encode(), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise _unreadable() from error
    document = root.getroottree().docinfo
    if document.doctype or etree.QName(root).localname != _ANSWERS:
        raise _unreadable()
    fields: dict[str, str] = {}
    for answer in root.iterchildren(tag=etree.Element):
        texts = {
            etree.QName(part).localname: "".join(part.itertext())
            for part in answer.iterchildren(tag=etree.Element)
        }
        name = texts.get("QuestionIdentifier", "").strip()
        if name and len(fields) < _MAX_FIELDS:
            fields.setdefault(name[:200], texts.get("FreeText", "")[:_MAX_FIELD_LENGTH])
    return fields


def _unreadable() -> AnswerUnreadableError:
    return AnswerUnreadableError(
        _("The submission does not have the format that Mechanical Turk documents.")
    )
