"""Addresses of this room."""

from django.urls import path

from annotation.answering.pages import (
    answering,
    consenting,
    joining,
    own,
    public,
    questionnaire,
    sending,
    stored,
    waiting,
    withdrawing,
)

# Without signing in: for annotators, and for the platforms that they come by.
FOR_ANNOTATORS = [
    path("", public.home, name="home"),
    path("healthz/", public.health, name="health"),
    path("robots.txt", public.robots, name="robots"),
    path("j/<slug:join_token>/", joining.join, name="join"),
    path("j/<slug:join_token>/return/", joining.come_back, name="return"),
    path("a/<slug:key>/", own.own, name="own"),
    path("a/<slug:key>/consent/", consenting.consent, name="consent"),
    path("a/<slug:key>/stop/", consenting.stop, name="stop"),
    path("a/<slug:key>/instructions/", own.read_instructions, name="instructions"),
    path("a/<slug:key>/about/<slug:moment>/", questionnaire.questionnaire, name="questionnaire"),
    path("a/<slug:key>/s/<int:number>/", answering.screen, name="screen"),
    path("a/<slug:key>/q/<int:question_id>/", answering.save, name="save"),
    path("a/<slug:key>/overview/", sending.overview, name="overview"),
    path("a/<slug:key>/submit/", sending.submit, name="submit"),
    path("a/<slug:key>/next-part.ics", waiting.calendar, name="calendar"),
    path("a/<slug:key>/remind/", waiting.remind, name="remind"),
    path("a/<slug:key>/more/", own.more, name="more"),
    path("a/<slug:key>/data/", stored.stored, name="data"),
    path("a/<slug:key>/data/download/", stored.download, name="download"),
    path("a/<slug:key>/new-link/", own.new_link, name="new-link"),
    path("a/<slug:key>/withdraw/", withdrawing.withdraw, name="withdraw"),
]
