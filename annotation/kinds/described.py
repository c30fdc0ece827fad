"""How a study is described: what opening it freezes, and who reads a changed consent text."""

from annotation.basics.sentences import sentence as _

# What every annotator shall have seen alike: not to be edited once the study was opened.
FROZEN_FIELDS = {
    "kind": _("kind"),
    "language": _("language"),
    "instructions": _("instructions"),
    "most_question": _("question for the best"),
    "least_question": _("question for the worst"),
    "rating_question": _("question for a rating"),
    "scale": _("scale"),
    "categories": _("categories"),
    "worked_example": _("worked example"),
    "comprehension": _("comprehension question"),
}

# Who reads a changed consent text: those who come from now on, or whoever has questions left, too.
NEW_PEOPLE, EVERYBODY = "new_people", "everybody"
