"""Addresses of this room."""

from annotation.designs.api import designs as designs_api
from annotation.designs.api import pilots as pilots_api
from annotation.designs.pages import design, piloting, planning, trying

# Pages below the address of a study: route, page, name.
PAGES = [
    ("design/", design.design, "design"),
    ("design/consequences/", design.consequences, "consequences"),
    ("design/make/", design.make, "make_design"),
    ("plan/", planning.plan, "plan"),
    ("plan/<slug:name>.<slug:kind>", planning.plot, "plan_plot"),
    ("pilots/", piloting.pilots, "pilots"),
    ("pilots/<int:pilot_id>/texts/", piloting.texts, "pilot_texts"),
    ("try/", trying.consent, "try"),
    ("try/instructions/", trying.instructions, "try_instructions"),
    ("try/<int:booklet>/about/<slug:moment>/", trying.questionnaire, "try_questionnaire"),
    ("try/<int:booklet>/<int:screen>/", trying.screen, "try_screen"),
    ("try/<int:booklet>/pause/<int:phase>/", trying.pause, "try_pause"),
    ("try/thanks/", trying.thanks, "try_thanks"),
    ("try/walked/", trying.walked, "try_walked"),
]

# API views below the address of a study: route, view, name.
API = [
    ("pilots/", pilots_api.PilotList, "pilots"),
    ("pilots/<slug:pilot>/texts/", pilots_api.PilotTexts, "pilot_texts"),
    ("design/", designs_api.Design, "design"),
    ("design/make/", designs_api.DesignMake, "design_make"),
    ("plan/", designs_api.Plan, "plan"),
]
