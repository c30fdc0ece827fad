"""The XML that goes in (questions) and comes out (answers)."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit
from xml.etree import ElementTree

from tests.simulators.mturk.errors import RequestError

_SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas"
EXTERNAL = f"{_SCHEMAS}/2006-07-14/ExternalQuestion.xsd"
HTML = f"{_SCHEMAS}/2011-11-11/HTMLQuestion.xsd"
ANSWERS = f"{_SCHEMAS}/2005-10-01/QuestionFormAnswers.xsd"
MAX_BYTES = 65_535
_LOCAL = re.compile(r"(?:.+\.)?localhost|127\.0\.0\.1")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def check(question: str, *, allow_local_http: bool) -> None:
    """Refuse a question that the service would not take."""
    size = len(question.encode())
    if size > MAX_BYTES:
        raise RequestError("XMLParseError", f"The question has {size} bytes, over {MAX_BYTES}.")
    root = _root(question)
    if root.tag == f"{{{HTML}}}HTMLQuestion":
        if not (root.findtext(f"{{{HTML}}}HTMLContent") or "").strip():
            raise RequestError("XHTMLParseError", "The HTMLQuestion has no HTMLContent.")
        _check_height(root, HTML)
        return
    if root.tag != f"{{{EXTERNAL}}}ExternalQuestion":
        raise RequestError(
            "XMLParseError", f"The question's root {root.tag} is not one of those taken here."
        )
    _check_height(root, EXTERNAL)
    url = urlsplit((root.findtext(f"{{{EXTERNAL}}}ExternalURL") or "").strip())
    local = url.scheme == "http" and _LOCAL.fullmatch(url.hostname or "") and allow_local_http
    if not url.hostname or not (url.scheme == "https" or local):
        raise RequestError("XMLParseError", "The ExternalURL must be an https address.")


def _root(question: str) -> ElementTree.Element:
    if "<!DOCTYPE" in question:
        raise RequestError("XMLParseError", "A question may not have a document type.")
    try:
        return ElementTree.fromstring(question)
    except ElementTree.ParseError as error:
        raise RequestError(
            "XMLParseError", f"There was an error parsing the XML question data: {error}."
        ) from error


def _check_height(root: ElementTree.Element, namespace: str) -> None:
    height = (root.findtext(f"{{{namespace}}}FrameHeight") or "").strip()
    if not height.isdecimal():
        raise RequestError("XMLParseError", "The question needs a FrameHeight in pixels.")


def external_url(question: str) -> str | None:
    """The address a worker's frame shows; None for a question that is a page itself."""
    url = _root(question).findtext(f"{{{EXTERNAL}}}ExternalURL")
    return url.strip() if url is not None else None


def html_content(question: str) -> str:
    return _root(question).findtext(f"{{{HTML}}}HTMLContent") or ""


def frame_height(question: str) -> int:
    root = _root(question)
    texts = [root.findtext(f"{{{space}}}FrameHeight") for space in (EXTERNAL, HTML)]
    return int(next(text for text in texts if text is not None))


def answers(fields: Iterable[tuple[str, str]]) -> str:
    """What a worker's form held, as QuestionFormAnswers; of a repeated name the first is kept."""
    root = ElementTree.Element("QuestionFormAnswers", xmlns=ANSWERS)
    seen = set()
    for name, text in fields:
        if name in seen:
            continue
        seen.add(name)
        part = ElementTree.SubElement(root, "Answer")
        ElementTree.SubElement(part, "QuestionIdentifier").text = _CONTROLS.sub("", name)
        ElementTree.SubElement(part, "FreeText").text = _CONTROLS.sub("", text)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(
        root, encoding="unicode"
    )
