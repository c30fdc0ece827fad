"""What Prolific documents of the calls that Likeness makes: paths, fields and words.

Every request that a test sends to the simulator is held against this table, which was read in
public sources and not in our own adapter:

- `CLI`: the operations that Prolific's own command-line client checks against the live OpenAPI
  description, https://github.com/prolific-oss/cli (README, "API Coverage"; fields in
  `client/payloads.go` and `model/study.go`), read in November 2026.
- `DOCS`: https://docs.prolific.com/api-reference/, read in November 2026. The shares of a filter
  (`weightings`) are those of its page filters/study-distribution-quotas-with-filters.
"""

from collections.abc import Mapping

from tests.crowds.platforms.documentation import Documentation, Operation, names

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

OPERATIONS = (
    Operation("GET", "/.well-known/study/jwks.json", f"{CLI} wellKnownEndpoints_getStudyJwks"),
    Operation("GET", "/api/v1/users/me/", f"{CLI} users_GetUser"),
    Operation("GET", "/api/v1/workspaces/{id}/balance/", f"{CLI} workspaces_GetWorkspaceBalance"),
    Operation("GET", "/api/v1/studies/", f"{CLI} studies_GetStudies", query=PAGING | {"state"}),
    Operation(
        "POST",
        "/api/v1/studies/",
        f"{DOCS}/studies/create-study",
        needs=names(
            "name description external_study_url prolific_id_option completion_codes"
            " total_available_places estimated_completion_time reward"
        ),
        may=names(
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
        needs=names("total_available_places"),
    ),
    Operation("DELETE", "/api/v1/studies/{id}/", f"{CLI} studies_DeleteStudy"),
    Operation("POST", "/api/v1/studies/{id}/test-study", f"{CLI} studies_CreateTestStudy"),
    Operation(
        "POST",
        "/api/v1/researchers/participants/",
        f"{CLI} users_CreateTestParticipantForResearcher",
        needs=names("email"),
    ),
    Operation(
        "POST",
        "/api/v1/studies/{id}/transition/",
        f"{DOCS}/studies/publish-study",
        needs=names("action"),
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
        needs=names("reward total_available_places"),
    ),
    Operation(
        "GET",
        "/api/v1/filters/",
        f"{DOCS}/filters/get-filters",
        query=names("workspace_id detailed filter_tag"),
    ),
    Operation(
        "POST",
        "/api/v1/eligibility-count/",
        f"{DOCS}/filters/get-eligible-count",
        needs=names("filters"),
        may=names("workspace_id organisation_id"),
    ),
    Operation("GET", "/api/v1/submissions/{id}/", f"{CLI} submissions_GetSubmission"),
    Operation(
        "POST",
        "/api/v1/submissions/{id}/transition/",
        f"{DOCS}/submissions/transition-submission",
        needs=names("action"),
        may=names("message rejection_category completion_code completion_code_data"),
        actions=frozenset({"APPROVE", "REJECT", "COMPLETE"}),
    ),
    Operation(
        "POST",
        "/api/v1/submissions/bulk-approve/",
        f"{DOCS}/submissions/bulk-approve-submissions",
        needs=names("submission_ids"),
    ),
    Operation(
        "POST",
        "/api/v1/submissions/{id}/request-return/",
        f"{CLI} submissions_RequestSubmissionReturn",
        needs=names("request_return_reasons"),
    ),
    Operation(
        "POST",
        "/api/v1/submissions/bonus-payments/",
        f"{CLI} bonuses_CreateBonusPayments",
        needs=names("study_id csv_bonuses"),
    ),
    Operation(
        "POST", "/api/v1/bulk-bonus-payments/{id}/pay/", f"{DOCS}/bonuses/pay-bonus-payments"
    ),
    Operation(
        "GET",
        "/api/v1/messages/",
        f"{DOCS}/messages/get-messages",
        query=names("user_id created_after"),
    ),
    Operation("GET", "/api/v1/messages/unread/", f"{DOCS}/messages/get-unread-messages"),
    Operation(
        "POST",
        "/api/v1/messages/",
        f"{DOCS}/messages/send-message",
        needs=names("recipient_id study_id body"),
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
        needs=names("name workspace_id"),
        may=names("description participant_ids"),
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
        needs=names("participant_ids"),
    ),
    Operation(
        "DELETE",
        "/api/v1/participant-groups/{id}/participants/",
        f"{CLI} participantGroups_RemoveFromParticipantGroup",
        needs=names("participant_ids"),
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
        needs=names("event_type target_url workspace_id"),
    ),
    Operation(
        "POST",
        "/api/v1/hooks/subscriptions/{id}/",
        f"{CLI} webhooks_ConfirmSubscription",
        needs=names("secret"),
    ),
    Operation(
        "DELETE",
        "/api/v1/hooks/subscriptions/{id}/",
        f"{CLI} webhooks_DeleteSubscription",
    ),
)

undocumented = Documentation(OPERATIONS, WORDS, PARTS).undocumented
