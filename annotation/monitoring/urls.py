"""Addresses of this room."""

from annotation.monitoring.api import alerts as alerts_api
from annotation.monitoring.api import live as live_api
from annotation.monitoring.api import progress as progress_api
from annotation.monitoring.pages import alerts, live

# Of the researcher's site, below the address of a study: route, page, name.
PAGES = [
    ("live/", live.live, "live"),
    ("live/now/", live.now, "live_now"),
    ("live/<slug:name>.<slug:kind>", live.plot, "live_plot"),
    ("alerts/", alerts.alerts, "alerts"),
    ("alerts/email/", alerts.add_email, "alert_email"),
    ("alerts/webhook/", alerts.add_webhook, "alert_webhook"),
    ("alerts/<int:channel_id>/", alerts.channel, "alert_channel"),
]

# Of the API, below the address of a study: route, view, name.
API = [
    ("alerts/", alerts_api.AlertList, "alerts"),
    ("alerts/rules/", alerts_api.AlertRules, "alert_rules"),
    ("alerts/channels/", alerts_api.ChannelList, "alert_channels"),
    ("alerts/channels/<int:channel_id>/", alerts_api.ChannelDetail, "alert_channel"),
    ("alerts/channels/<int:channel_id>/test/", alerts_api.ChannelTest, "alert_test"),
    ("alerts/messages/", alerts_api.MessageList, "alert_messages"),
    ("live/", live_api.StudyLive, "live"),
    ("progress/", progress_api.StudyProgress, "progress"),
]
