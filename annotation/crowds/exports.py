"""Tables about people who came by a platform: what was paid, and whom a panel gives credit to."""

from annotation.core.exports.columns import Column


def payments() -> list[Column]:
    """Of `PaymentRecord`."""
    return [
        Column("listing", "number of the listing", lambda row: row.listing.number),
        Column("platform", "the platform of the listing", lambda row: row.listing.platform),
        Column("environment", "environment of the platform", lambda row: row.listing.environment),
        Column(
            "annotator",
            "pseudonym; empty if the person took no place",
            lambda row: row.pseudonym,
        ),
        Column(
            "submission_id", "the platform's id of the submission", lambda row: row.submission_id
        ),
        Column("kind", "the kind of payment", lambda row: row.kind),
        Column("reason_code", "the purpose of the payment", lambda row: row.reason_code),
        Column("currency", "currency of both amounts", lambda row: row.currency),
        Column("paid", "what the person gets", lambda row: str(row.paid)),
        Column("fee", "what the platform takes", lambda row: str(row.fee)),
        Column("state", "state of the step", lambda row: row.state),
        Column(
            "planned_at",
            "when it was planned; empty if the platform paid automatically",
            lambda row: row.planned_at.isoformat() if row.planned_at else "",
        ),
        Column(
            "settled_at",
            "when it was settled; empty if it is not, or if the platform paid automatically",
            lambda row: row.settled_at.isoformat() if row.settled_at else "",
        ),
        Column("requested_by", "the researcher who requested it", lambda row: row.requested_by),
        Column("intent", "id of the step in the ledger", lambda row: row.intent),
    ]


def panel_credit() -> list[Column]:
    """Of `CreditRecord`."""
    return [
        Column("person_id", "the panel's id of the person", lambda row: row.person_id),
        Column("submission_id", "the panel's id of the session", lambda row: row.submission_id),
        Column(
            "outcome",
            "how the session ended; empty while it is in progress",
            lambda row: row.outcome,
        ),
        Column("code", "the code on the last page", lambda row: row.code),
        Column("begun", "when the session began", lambda row: row.begun_at.isoformat()),
        Column(
            "finished",
            "when it ended; empty if it has not",
            lambda row: row.finished_at.isoformat() if row.finished_at else "",
        ),
        Column("answers", "number of answers in the listing's phase", lambda row: row.n_answers),
        Column(
            "annotator",
            "pseudonym; empty if the person took no place",
            lambda row: row.pseudonym,
        ),
    ]
