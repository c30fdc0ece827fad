"""Addresses of this room."""

from annotation.people.api import annotator_answers, annotators, roster
from annotation.people.api import privacy as privacy_api
from annotation.people.pages import comments, exclusions, people, person, privacy

# Of the researcher's site, below the address of a study: route, page, name.
PAGES = [
    ("privacy/", privacy.privacy, "privacy"),
    ("privacy/erase/", privacy.erase, "privacy_erase"),
    ("people/", people.people, "people"),
    ("people/phases/<int:run_id>/open/", people.open_phase, "open_phase"),
    ("people/exclude/", exclusions.exclude_several, "exclude_several"),
    ("people/include/", exclusions.include_several, "include_several"),
    ("people/let-count/", exclusions.let_count, "let_count"),
    ("people/undo/", exclusions.undo, "undo_exclusions"),
    ("people/<int:annotator_id>/", person.person, "person"),
    ("people/<int:annotator_id>/<slug:name>.<slug:kind>", person.plot, "person_plot"),
    ("people/<int:annotator_id>/comment/", person.blank_comment, "blank_comment"),
    (
        "people/<int:annotator_id>/give-place-back/",
        exclusions.give_place_back,
        "give_place_back",
    ),
    ("people/<int:annotator_id>/exclude/", exclusions.exclude, "exclude"),
    ("people/<int:annotator_id>/include/", exclusions.include, "include"),
    ("comments/", comments.comments, "comments"),
]

# Of the API, below the address of a study: route, view, name.
API = [
    ("retention/", privacy_api.Retention, "retention"),
    ("consents/", privacy_api.Consents, "consents"),
    ("roster/", roster.Roster, "roster"),
    ("roster/send/", roster.RosterSend, "roster_send"),
    ("annotators/", annotators.AnnotatorList, "annotators"),
    ("annotators/<slug:pseudonym>/", annotators.AnnotatorDetail, "annotator"),
    ("annotators/<slug:pseudonym>/exclude/", annotators.AnnotatorExclude, "exclude"),
    ("annotators/<slug:pseudonym>/include/", annotators.AnnotatorInclude, "include"),
    (
        "annotators/<slug:pseudonym>/let-count/",
        annotators.AnnotatorLetCount,
        "let_count",
    ),
    ("annotators/<slug:pseudonym>/answers/", annotator_answers.AnnotatorAnswers, "answers"),
    ("annotators/<slug:pseudonym>/link/", roster.RosterLink, "roster_link"),
    (
        "annotators/<slug:pseudonym>/phases/<int:phase_number>/open/",
        annotators.AnnotatorOpenPhase,
        "open_phase",
    ),
]
