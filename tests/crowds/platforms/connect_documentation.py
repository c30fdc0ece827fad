"""What is public of Connect's API: paths, fields and words, each with where it was read.

Every request that a test sends to the simulator is held against this table, and so are the answers
of the simulator: what stands in no source cannot be relied on by accident. All was read in
November 2026, and nothing of it was tried with the service.

- `BINDINGS`: unofficial bindings, whose comments repeat CloudResearch's own description of the API
  (https://connect-api.cloudresearch.com/docs/api/, which was not read itself).
- `FOLLOW_UPS`: a program that sends messages by the same API. It names the two headers, and the
  address, like the bindings.
"""

from collections.abc import Mapping
from typing import Any

from tests.crowds.platforms.documentation import Documentation, Operation, names

BINDINGS = "https://github.com/tlo9/cloudresearch-connect-api tism/crconnect"
FOLLOW_UPS = "https://github.com/datasci-iopsy/dkg-phd-thesis scripts/send_connect_followups.py"
# Of every request, and of one that must not be carried out twice.
HEADERS = {"x-api-key": FOLLOW_UPS, "idempotency-token": FOLLOW_UPS}
# What Connect adds to the address of a project.
POTATO = "https://github.com/davidjurgens/potato potato/crowdsourcing, its provider for Connect"
PARAMETERS = dict.fromkeys(("participantId", "assignmentId", "projectId"), POTATO)

# "ProjectStatus", "AssignmentStatus", "ProjectCompletionType".
WORDS: Mapping[str, frozenset[str]] = {
    "status": names("Unpublished Paused Live Closed Completed Archived"),
    "projectCompletionType": names("RedirectUrl CompletionCode Template"),
}
ASSIGNMENT_STATES = names("Pending Approved Rejected")
PARTS: Mapping[str, frozenset[str]] = {
    "completionSettings": names("value projectCompletionType"),
    "platformTargeting": names("participants projects"),
    "projects": names("includedProjects excludedProjects"),
}
_PROJECT = names(
    "name projectUrl payment estimatedTimeInMinutes participants summary instructions"
    " internalName systemRequirements hasSensitiveContent deviceRequirements completionSettings"
    " maxTimeInMinutes demographicTargeting platformTargeting taskTemplate"
)
_NEEDED = names("name payment estimatedTimeInMinutes participants")
_SHOWN = _PROJECT | names("projectId totalCost createdAt")

ACCOUNT = Operation("GET", "/api/v1/account", f"{BINDINGS}/account.py get_info")
FEASIBILITY = Operation(
    "POST",
    "/api/v1/demographics/feasibility",
    f"{BINDINGS}/demographics.py calc_feasibility",
    needs=names("estimatedTimeInMinutes participants payment"),
    may=names("targetingCriteria"),
)
LIST = Operation(
    "GET",
    "/api/v1/project",
    f"{BINDINGS}/project.py list_all, FilterQuery",
    query=names("Status Size NextToken"),
)
CREATE = Operation(
    "POST",
    "/api/v1/project",
    f"{BINDINGS}/project.py create, ProjectData",
    needs=_NEEDED,
    may=_PROJECT - _NEEDED,
)
RETRIEVE = Operation("GET", "/api/v1/project/{id}", f"{BINDINGS}/project.py retrieve")
UPDATE = Operation(
    "POST",
    "/api/v1/project/{id}/update-status",
    f"{BINDINGS}/project.py update_status",
    needs=names("status"),
)
ASSIGNMENTS = Operation(
    "GET", "/api/v1/assignments/{id}", f"{BINDINGS}/assignments.py list_all, Assignment"
)
APPROVE, REJECT = (
    Operation(
        "POST",
        f"/api/v1/assignments/{{id}}/{verb}",
        f"{BINDINGS}/assignments.py {verb}",
        needs=names("participants"),
        items=names("id message"),
    )
    for verb in ("approve", "reject")
)
BONUS = Operation(
    "POST",
    "/api/v1/assignments/{id}/bonus",
    f"{BINDINGS}/assignments.py bonus",
    needs=names("bonusPayment"),
    items=names("id message amount"),
)
# What each answers: the names of the fields, and within those that hold objects.
ANSWERS: Mapping[Operation, Mapping[str, Any]] = {
    ACCOUNT: {"accountBalance": None},
    FEASIBILITY: {"totalProjectCost": None, "availablePlatforms": None},
    LIST: {"projects": dict.fromkeys(_SHOWN), "nextToken": None},
    CREATE: {"project": dict.fromkeys(_SHOWN)},
    RETRIEVE: {"project": dict.fromkeys(_SHOWN)},
    UPDATE: {},
    ASSIGNMENTS: {
        "assignments": {
            **dict.fromkeys(names("participantId assignmentId startTime completionTime")),
            **dict.fromkeys(names("status payment bonus")),
            "completion": dict.fromkeys(names("completionCode submissionType")),
        }
    },
    APPROVE: {},
    REJECT: {},
    BONUS: {},
}
DOCUMENTATION = Documentation(tuple(ANSWERS), WORDS, PARTS)


def beyond(answer: Any, fields: Mapping[str, Any]) -> list[str]:
    """Fields of an answer that no source has."""
    problems = []
    for name, value in answer.items():
        if name not in fields:
            problems.append(name)
        inner = fields.get(name)
        for each in value if isinstance(value, list) else [value]:
            if inner and isinstance(each, dict):
                problems += [f"{name}.{problem}" for problem in beyond(each, inner)]
    return problems
