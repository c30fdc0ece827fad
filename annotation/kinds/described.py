"""How a study is described: what opening it freezes, and who reads a changed consent text."""

from annotation.basics.sentences import sentence as _

# All annotators must have seen the same values: they are frozen when the study is opened.
FROZEN_FIELDS = {
    "kind": _("kind"),
    "language": _("language"),
    "instructions": _("instructions"),
    "most_question": _("question for the best item"),
    "least_question": _("question for the worst item"),
    "rating_question": _("question for a rating"),
    "scale": _("scale"),
    "categories": _("categories"),
    "worked_example": _("worked example"),
    "comprehension": _("comprehension question"),
    "questionnaires": _("questionnaires"),
}

# Who reads a changed consent text: only people who come from now on, or also everybody who
# still has questions to answer.
NEW_PEOPLE, EVERYBODY = "new_people", "everybody"
