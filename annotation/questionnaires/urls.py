"""Addresses of this room."""

from annotation.questionnaires.api import questionnaires as questionnaires_api
from annotation.questionnaires.api import replies as replies_api
from annotation.questionnaires.pages import editing, publishing

# Of the researcher's site, below the address of a study: route, page, name.
PAGES = [
    ("questionnaires/", editing.questionnaires, "questionnaires"),
    ("questionnaires/questionnaires.yaml", editing.download, "questionnaire_file"),
    ("questionnaires/upload/", editing.upload, "questionnaire_upload"),
    ("questionnaires/published/", publishing.publish, "questionnaire_published"),
    ("questionnaires/<slug:moment>/", editing.texts, "questionnaire_texts"),
    ("questionnaires/<slug:moment>/ready/", editing.add_ready, "questionnaire_ready"),
    ("questionnaires/<slug:moment>/add/", editing.add, "questionnaire_add"),
    ("questionnaires/<slug:moment>/<slug:key>/edit/", editing.edit, "questionnaire_edit"),
    ("questionnaires/<slug:moment>/<slug:key>/move/", editing.move, "questionnaire_move"),
    ("questionnaires/<slug:moment>/<slug:key>/remove/", editing.remove, "questionnaire_remove"),
]

# Of the API, below the address of a study: route, view, name.
API = [
    ("questionnaires/", questionnaires_api.QuestionnaireView, "questionnaires"),
    ("questionnaires/replies/", replies_api.ReplyList, "questionnaire_replies"),
]
