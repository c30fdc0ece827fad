"""Files of one tool that are offered as those of another: told before anything is read."""

from annotation.basics.sentences import Problem, Said
from annotation.basics.sentences import sentence as _

_OF_TURK = Problem(
    "unreadable",
    _("these are results of Mechanical Turk"),
    _("choose the format Mechanical Turk (mturk)"),
)
_OF_LABEL_STUDIO = Problem(
    "unreadable",
    _("this is a table of Label Studio"),
    _("export the project as JSON or JSON-MIN, and choose the format Label Studio (label-studio)"),
)
_OF_OURS = Problem(
    "unreadable",
    _("this is a table with BestItem and WorstItem"),
    _("choose that format (nrc)"),
)
_OF_POTATO = Problem(
    "unreadable", _("this is a file of Potato"), _("choose the format Potato (potato)")
)
_JSON = Problem(
    "unreadable",
    _("this is JSON, but the chosen format is a table"),
    _("choose the format Label Studio or Potato (label-studio, potato), or upload the table"),
)
_NO_JSON = Problem(
    "unreadable",
    _("this is not JSON"),
    _("export the project of Label Studio as JSON or JSON-MIN, or choose another format"),
)
_PAGE = Problem(
    "unreadable", _("this is a web page, not a file with answers"), _("download the file again")
)
# What the first line of a table names, and whose table that is.
_TABLES = (
    ("mturk", ("assignmentid", "hitid"), _OF_TURK),
    ("label-studio", ("annotation_id",), _OF_LABEL_STUDIO),
    ("nrc", ("item1", "bestitem", "worstitem"), _OF_OURS),
)


def wrong_kind(first: str, file_format: str) -> Said:
    """What is wrong with a file that begins with this line; empty: it may be of this format."""
    start = first.lstrip()
    if start[:1] in {"{", "["}:
        return _JSON if file_format in {"nrc", "mturk"} else ""
    if start[:5].lower() in {"<!doc", "<html"}:
        return _PAGE
    cells = first.replace(";", ",").replace("\t", ",").split(",")
    names = {cell.strip().strip('"').lower() for cell in cells}
    for of_format, needed, problem in _TABLES:
        # A table of Label Studio is refused wherever it is offered: its JSON says more.
        if names.issuperset(needed):
            is_here = of_format == file_format and of_format != "label-studio"
            return "" if is_here else problem
    if file_format == "label-studio":
        return _NO_JSON
    if file_format != "potato" and any(":::" in name for name in names):
        return _OF_POTATO
    return ""
