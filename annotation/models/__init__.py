"""Rows and their constraints; the words are those of the field, the same everywhere."""

from annotation.models.alerts import (
    Alert,
    AlertChannel,
    AlertDelivery,
    AlertKind,
    AlertRule,
)
from annotation.models.arrivals import Announcement, Arrival
from annotation.models.assignments import Assignment, PhaseRun, Visit
from annotation.models.audit import AuditEvent
from annotation.models.baselines import Baseline, BaselineReport, Training
from annotation.models.checks import Check, Telling
from annotation.models.corrections import Adjudication, Relabelling
from annotation.models.crowds import Budget, Intent, Listing, PlatformEvent, Ticket
from annotation.models.designs import (
    Block,
    Booklet,
    Design,
    ImportedTotals,
    ItemTuple,
    Member,
    Phase,
    Place,
    Question,
)
from annotation.models.items import Context, ContextGroup, Item, Pool, Turn
from annotation.models.jobs import AnnotatorStatistics, ItemScore, Job, Result, WorkerMark
from annotation.models.judgments import ANSWER_ROWS, Choice, Draft, Judgment, Pick, Placement
from annotation.models.link_messages import LinkMessage
from annotation.models.live import LiveCount, ProgressPoint
from annotation.models.people import (
    Annotator,
    Consent,
    ConsentRefusal,
    ConsentText,
    Erasure,
    Exclusion,
    Person,
    Throttle,
    WipeRequest,
)
from annotation.models.questionnaires import QuestionnaireReply
from annotation.models.releases import Release, ReleaseEvent, ReleaseShare
from annotation.models.studies import Study, StudyShare
from annotation.models.tokens import ApiToken

__all__ = [
    "ANSWER_ROWS",
    "Adjudication",
    "Alert",
    "AlertChannel",
    "AlertDelivery",
    "AlertKind",
    "AlertRule",
    "Annotator",
    "AnnotatorStatistics",
    "Announcement",
    "ApiToken",
    "Arrival",
    "Assignment",
    "AuditEvent",
    "Baseline",
    "BaselineReport",
    "Block",
    "Booklet",
    "Budget",
    "Check",
    "Choice",
    "Consent",
    "ConsentRefusal",
    "ConsentText",
    "Context",
    "ContextGroup",
    "Design",
    "Draft",
    "Erasure",
    "Exclusion",
    "ImportedTotals",
    "Intent",
    "Item",
    "ItemScore",
    "ItemTuple",
    "Job",
    "Judgment",
    "LinkMessage",
    "Listing",
    "LiveCount",
    "Member",
    "Person",
    "Phase",
    "PhaseRun",
    "Pick",
    "Place",
    "Placement",
    "PlatformEvent",
    "Pool",
    "ProgressPoint",
    "Question",
    "QuestionnaireReply",
    "Relabelling",
    "Release",
    "ReleaseEvent",
    "ReleaseShare",
    "Result",
    "Study",
    "StudyShare",
    "Telling",
    "Throttle",
    "Ticket",
    "Training",
    "Turn",
    "Visit",
    "WipeRequest",
    "WorkerMark",
]
