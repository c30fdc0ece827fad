"""Addresses of this room's pages for researchers, and of its part of the API."""

from annotation.crowds.api import arrivals as arrivals_api
from annotation.crowds.api import crowds as crowds_api
from annotation.crowds.pages import (
    approvals,
    collecting,
    demographics,
    ledger,
    link_mail,
    listings,
    people_filters,
    publishing,
    publishing_steps,
    roster,
    visits,
    wages,
)

# Of the researcher's site, below the address of a study: route, page, name.
PAGES = [
    ("collect/", collecting.collect, "collect"),
    ("collect/link/", collecting.switch_link, "switch_link"),
    ("collect/announce/", collecting.announce, "announce"),
    (
        "collect/announcements/<int:announcement_id>/cancel/",
        collecting.cancel_announcement,
        "cancel_announcement",
    ),
    ("collect/code/", collecting.renew_code, "renew_code"),
    ("collect/booklets/", collecting.booklets, "booklets"),
    ("platforms/", listings.platforms, "platforms"),
    ("platforms/cap/", listings.cap, "cap"),
    ("platforms/demographics/", demographics.demographics, "demographics"),
    ("platforms/dry-run/", listings.dry_run, "dry_run"),
    ("platforms/visits/", visits.visits, "visits"),
    ("platforms/visits/decide/", visits.decide, "decide"),
    ("platforms/visits/approve-passed/", approvals.approve_passed, "approve_passed"),
    ("platforms/visits/<int:visit_id>/", visits.visit, "visit"),
    ("platforms/ledger/", ledger.ledger, "ledger"),
    ("platforms/ledger/payments.tsv", ledger.payments, "payments"),
    ("platforms/ledger/<uuid:intent_id>/", ledger.settle, "settle"),
    ("platforms/<int:listing_id>/", listings.listing, "listing"),
    ("platforms/<int:listing_id>/filters/", people_filters.people_filters, "listing_filters"),
    ("platforms/<int:listing_id>/remove/", listings.remove, "listing_remove"),
    ("platforms/<int:listing_id>/credit.tsv", visits.credit, "listing_credit"),
    ("platforms/<int:listing_id>/publish/", publishing.publish, "listing_publish"),
    ("platforms/<int:listing_id>/top-up/", publishing.top_up, "listing_top_up"),
    ("platforms/<int:listing_id>/wage/", wages.wage, "listing_wage"),
    *(
        (
            f"platforms/<int:listing_id>/{step}/",
            publishing.view_of(step),
            f"listing_{step}",
        )
        for step in publishing_steps.STEPS
    ),
    ("roster/", roster.roster, "roster"),
    ("roster/send/", link_mail.send_links, "send_links"),
    ("roster/links.csv", roster.links_csv, "roster_links"),
    ("roster/credit.csv", roster.credit_csv, "credit"),
    ("people/<int:annotator_id>/reissue/", roster.reissue, "reissue"),
    ("people/<int:annotator_id>/remove/", roster.remove, "remove"),
]

# Of the API, below the address of a study: route, view, name.
API = [
    ("invitation/", arrivals_api.Invitation, "invitation"),
    ("announcements/", arrivals_api.AnnouncementList, "announcements"),
    (
        "announcements/<int:announcement_id>/",
        arrivals_api.AnnouncementDetail,
        "announcement",
    ),
    ("money/", crowds_api.Money, "money"),
    ("listings/", crowds_api.ListingList, "listings"),
    ("listings/<int:listing>/", crowds_api.ListingDetail, "listing"),
    ("ledger/", crowds_api.Ledger, "ledger"),
    ("payments/", crowds_api.Payments, "payments"),
]
