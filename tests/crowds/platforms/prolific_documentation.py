"""What Prolific documents of the calls that Likeness makes: paths, fields and words.

Every request that a test sends to the simulator is held against this table, which was read in
public sources and not in our own adapter:

- `CLI`: the operations that Prolific's own command-line client checks against the live OpenAPI
  description, https://github.com/prolific-oss/cli (README, "API Coverage"; fields in
  `client/payloads.go` and `model/study.go`), read in November 2026.
- `DOCS`: https://docs.prolific.com/api-reference/, read in November 2026. The shares of a filter
  (`weightings`) are those of its page filters/study-distribution-quotas-with-filters.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

CLI = "https://github.com/prolific-oss/cli"
DOCS = "https://docs.prolific.com/api-reference"
PAGING = frozenset({"page", "page_size", "limit", "offset"})
# Of fields that take one of some words, wherever they stand.
WORDS: Mapping[str, frozenset[str]] = {
    "prolific_id_option": frozenset({"question", "url_parameters", "not_required"}),
    "code_type": frozenset(
        {
            *("COMPLETED", "FAILED_ATTENTION_CHECK", "FOLLOW_UP_STUDY", "GIVE_BONUS"),
            *("INCOMPATIBLE_DEVICE", "NO_CONSENT", "FIXED_SCREENOUT", "OTHER"),
        }
    ),
    "actor": frozenset({"participant", "researcher"}),
    "rejection_category": frozenset(
        {
            *("BAD_CODE", "FAILED_CHECK", "FAILED_INSTRUCTIONS", "INCOMP_LONGITUDINAL"),
            *("LOW_EFFORT", "MALINGERING", "NO_CODE", "NO_DATA", "OTHER", "TOO_QUICKLY"),
            *("TOO_SLOWLY", "UNSUPP_DEVICE"),
        }
    ),
}
# Of fields that take an object, or a list of them: what it may hold.
PARTS: Mapping[str, frozenset[str]] = {
    "completion_codes": frozenset({"code", "code_type", "actor", "actions"}),
    "actions": frozenset(
        {
            *("action", "return_reason", "participant_group"),
            *("fixed_screen_out_reward", "slots"),
        }
    ),
    "filters": frozenset({"filter_id", "selected_values", "selected_range", "weightings"}),
    "selected_range": frozenset({"lower", "upper"}),
    "submissions_config": frozenset(
        {"max_submissions_per_participant", "max_concurrent_submissions"}
    ),
    "metadata": frozenset(),
}


@dataclass(frozen=True)
class Operation:
    """One call: what its body must and may say, and which words its `action` takes."""

    method: str
    path: str
    source: str
    needs: frozenset[str] = frozenset()
    may: frozenset[str] = frozenset()
    query: frozenset[str] = frozenset()
    actions: frozenset[str] = frozenset()

    def is_of(self, row: Mapping[str, Any]) -> bool:
        pattern = re.sub(r"\{\w+\}", "[^/]+", self.path)
        return row["method"] == self.method and bool(re.fullmatch(pattern, row["path"]))


def _fields(words: str) -> frozenset[str]:
    return frozenset(words.split())


OPERATIONS = (
    Operation("GET", "/.well-known/study/jwks.json", f"{CLI} wellKnownEndpoints_getStudyJwks"),
    Operation("GET", "/api/v1/users/me/", f"{CLI} users_GetUser"),
    Operation("GET", "/api/v1/workspaces/{id}/balance/", f"{CLI} workspaces_GetWorkspaceBalance"),
    Operation("GET", "/api/v1/studies/", f"{CLI} studies_GetStudies", query=PAGING | {"state"}),
    Operation(
        "POST",
        "/api/v1/studies/",
        f"{DOCS}/studies/create-study",
        needs=_fields(
            "name description external_study_url prolific_id_option completion_codes"
            " total_available_places estimated_completion_time reward"
        ),
        may=_fields(
            "internal_name maximum_allowed_time device_compatibility peripheral_requirements"
            " filters submissions_config project metadata is_external_study_url_secure"
            " is_custom_screening"
        ),
    ),
    Operation("GET", "/api/v1/studies/{id}/", f"{CLI} studies_GetStudy"),
    Operation(
        "PATCH",
        "/api/v1/studies/{id}/",
        f"{DOCS}/studies/update-study, {CLI} cmd/study/increase_places.go",
        needs=_fields("total_available_places"),
    ),
    Operation("DELETE", "/api/v1/studies/{id}/", f"{CLI} studies_DeleteStudy"),
    Operation("POST", "/api/v1/studies/{id}/test-study", f"{CLI} studies_CreateTestStudy"),
    Operation(
        "POST",
        "/api/v1/researchers/participants/",
        f"{CLI} users_CreateTestParticipantForResearcher",
        needs=_fields("email"),
    ),
    Operation(
        "POST",
        "/api/v1/studies/{id}/transition/",
        f"{DOCS}/studies/publish-study",
        needs=_fields("action"),
        actions=frozenset({"PUBLISH", "PAUSE", "START", "STOP"}),
    ),
    Operation(
        "GET",
        "/api/v1/studies/{id}/submissions/",
        f"{CLI} studies_GetStudySubmissions",
        query=PAGING,
    ),
    Operation(
        "POST",
        "/api/v1/study-cost-calculator/",
        f"{CLI} studies_CalculateStudyCost",
        needs=_fields("reward total_available_places"),
    ),
    Operation(
        "GET",
        "/api/v1/filters/",
        f"{DOCS}/filters/get-filters",
        query=_fields("workspace_id detailed filter_tag"),
    ),
    Operation(
        "POST",
        "/api/v1/eligibility-count/",
        f"{DOCS}/filters/get-eligible-count",
        needs=_fields("filters"),
        may=_fields("workspace_id organisation_id"),
    ),
    Operation("GET", "/api/v1/submissions/{id}/", f"{CLI} submissions_GetSubmission"),
    Operation(
        "POST",
        "/api/v1/submissions/{id}/transition/",
        f"{DOCS}/submissions/transition-submission",
        needs=_fields("action"),
        may=_fields("message rejection_category completion_code completion_code_data"),
        actions=frozenset({"APPROVE", "REJECT", "COMPLETE"}),
    ),
    Operation(
        "POST",
        "/api/v1/submissions/bulk-approve/",
        f"{DOCS}/submissions/bulk-approve-submissions",
        needs=_fields("submission_ids"),
    ),
    Operation(
        "POST",
        "/api/v1/submissions/{id}/request-return/",
        f"{CLI} submissions_RequestSubmissionReturn",
        needs=_fields("request_return_reasons"),
    ),
    Operation(
        "POST",
        "/api/v1/submissions/bonus-payments/",
        f"{CLI} bonuses_CreateBonusPayments",
        needs=_fields("study_id csv_bonuses"),
    ),
    Operation(
        "POST", "/api/v1/bulk-bonus-payments/{id}/pay/", f"{DOCS}/bonuses/pay-bonus-payments"
    ),
    Operation(
        "GET",
        "/api/v1/messages/",
        f"{DOCS}/messages/get-messages",
        query=_fields("user_id created_after"),
    ),
    Operation("GET", "/api/v1/messages/unread/", f"{DOCS}/messages/get-unread-messages"),
    Operation(
        "POST",
        "/api/v1/messages/",
        f"{DOCS}/messages/send-message",
        needs=_fields("recipient_id study_id body"),
    ),
    Operation(
        "GET",
        "/api/v1/participant-groups/",
        f"{CLI} participantGroups_GetParticipantGroups",
        query=PAGING | {"workspace_id", "project_id", "organisation_id"},
    ),
    Operation(
        "POST",
        "/api/v1/participant-groups/",
        f"{CLI} participantGroups_CreateParticipantGroup",
        needs=_fields("name workspace_id"),
        may=_fields("description participant_ids"),
    ),
    Operation(
        "DELETE",
        "/api/v1/participant-groups/{id}/",
        f"{CLI} participantGroups_DeleteParticipantGroup",
    ),
    Operation(
        "GET",
        "/api/v1/participant-groups/{id}/participants/",
        f"{CLI} participantGroups_GetParticipantGroupParticipants",
        query=PAGING,
    ),
    Operation(
        "POST",
        "/api/v1/participant-groups/{id}/participants/",
        f"{CLI} participantGroups_AddToParticipantGroup",
        needs=_fields("participant_ids"),
    ),
    Operation(
        "DELETE",
        "/api/v1/participant-groups/{id}/participants/",
        f"{CLI} participantGroups_RemoveFromParticipantGroup",
        needs=_fields("participant_ids"),
    ),
    Operation("GET", "/api/v1/hooks/event-types/", f"{CLI} webhooks_GetEventTypes"),
    Operation(
        "GET",
        "/api/v1/hooks/subscriptions/",
        f"{CLI} webhooks_GetSubscriptions",
        query=PAGING | {"workspace_id", "is_enabled"},
    ),
    Operation(
        "POST",
        "/api/v1/hooks/subscriptions/",
        f"{CLI} webhooks_CreateSubscription",
        needs=_fields("event_type target_url workspace_id"),
    ),
    Operation(
        "POST",
        "/api/v1/hooks/subscriptions/{id}/",
        f"{CLI} webhooks_ConfirmSubscription",
        needs=_fields("secret"),
    ),
    Operation(
        "DELETE",
        "/api/v1/hooks/subscriptions/{id}/",
        f"{CLI} webhooks_DeleteSubscription",
    ),
)


def undocumented(row: Mapping[str, Any]) -> list[str]:
    """What Prolific's documentation does not have of one request, as the journal shows it."""
    what = f"{row['method']} {row['path']}"
    operation = next((each for each in OPERATIONS if each.is_of(row)), None)
    if operation is None:
        return [f"{what}: no such call"]
    body = row["body"] if isinstance(row["body"], dict) else {}
    problems = [f"no {name}" for name in sorted(operation.needs - body.keys())]
    problems += [f"field {name}" for name in sorted(body.keys() - operation.needs - operation.may)]
    problems += [f"query {name}" for name in sorted(row["query"].keys() - operation.query)]
    if operation.actions and body.get("action") not in operation.actions:
        problems.append(f"action {body.get('action')!r}")
    return [f"{what}: {problem}" for problem in [*problems, *_inside(body)]]


def _inside(value: Any) -> list[str]:
    """What parts of a body hold that is not documented."""
    if isinstance(value, list):
        return [problem for each in value for problem in _inside(each)]
    if not isinstance(value, dict):
        return []
    problems = []
    for name, part in value.items():
        if name in WORDS and part not in WORDS[name]:
            problems.append(f"{name} {part!r}")
        for each in part if isinstance(part, list) else [part]:
            if name in PARTS and not isinstance(each, dict):
                problems.append(f"{name} {each!r}")
            elif name in PARTS:
                problems += [f"{name}.{key}" for key in sorted(each.keys() - PARTS[name])]
        problems += _inside(part)
    return problems
