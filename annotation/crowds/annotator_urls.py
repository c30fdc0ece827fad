"""Addresses without signing in: for annotators, and for the platforms that they come by."""

from django.urls import path

from annotation.crowds.pages import launching, webhooks

FOR_ANNOTATORS = [
    path("p/<slug:launch_token>/", launching.launch, name="launch"),
    path("webhooks/prolific/", webhooks.prolific, name="prolific-webhook"),
    path("webhooks/prolific/<slug:environment>/", webhooks.prolific, name="prolific-webhook"),
]
