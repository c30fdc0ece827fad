"""Whatever the API is sent: it never fails, and answers nothing that its document does not say.

`SCHEMATHESIS_EXAMPLES` is the number of requests of each kind for each operation.
"""

import os
from typing import Any

import pytest
from django.core.wsgi import get_wsgi_application
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, seed
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from annotation.core.api.documents import English
from annotation.models import Study
from tests.support.api import answered_study, token_of
from tests.support.api_routes import parts_of
from tests.support.factories import make_study
from tests.support.rated_studies import make_rated

pytestmark = pytest.mark.slow

schemathesis = pytest.importorskip("schemathesis")
checks = pytest.importorskip("schemathesis.checks")
conformance = pytest.importorskip("schemathesis.specs.openapi.checks")

application = get_wsgi_application()
EXAMPLES = int(os.environ.get("SCHEMATHESIS_EXAMPLES", "2"))
CHECKS = [
    checks.not_a_server_error,
    conformance.status_code_conformance,
    conformance.content_type_conformance,
    conformance.response_schema_conformance,
    conformance.response_headers_conformance,
]
# Parts of addresses, and the rows of the study that they name.
PARTS = {
    "pseudonym": "pseudonym",
    "result_id": "result",
    "baseline_id": "baseline",
    "job_id": "job",
    "number": "number",
    "phase_number": "phase",
    "comparison_id": "comparison",
    "sample_id": "sample",
    "channel_id": "channel",
    "announcement_id": "announcement",
    "listing": "listing",
    "username": "colleague",
    "pilot": "pilot",
    "adjudication_id": "adjudication",
}


def whole(environ: Any, start_response: Any) -> list[bytes]:
    """The application, with every answer read to its end and closed."""
    answer = application(environ, start_response)
    try:
        return [b"".join(answer)]
    finally:
        answer.close()


@pytest.mark.timeout(3600)
def test_nothing_that_is_sent_is_answered_with_an_error_or_by_surprise(
    db: None, kept_connection: None, settings: Any
) -> None:
    settings.API_REQUESTS_PER_MINUTE = 0
    study = answered_study()
    rated = make_rated()
    rated.answer({"a": 0, "b": 3}, {"a": 1, "b": 3})
    Study.objects.filter(pk=rated.study.pk).update(owner=study.owner)
    studies, rows = [study, make_study(owner=study.owner), rated.study], parts_of(study)
    schema = schemathesis.openapi.from_dict(English().get_schema(request=None, public=True))
    schema.app = whole
    token = {"Authorization": f"Token {token_of(study.owner)}"}
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) > 90

    failed = {}
    for operation in operations:
        for mode in schemathesis.GenerationMode:
            if mode == schemathesis.GenerationMode.NEGATIVE and not can_be_wrong(operation):
                continue
            try:
                fuzz(operation, mode, token, studies, rows)
            except Exception as error:  # noqa: BLE001 - all that is wrong is said at once
                failed[operation.label, mode.value] = str(error)[:3000]
    assert not failed, "\n\n".join(f"{what}: {why}" for what, why in failed.items())


def can_be_wrong(operation: Any) -> bool:
    """Whether a request can break the document: no text is wrong as a part of an address.

    Hypothesis would look for such a request in vain, for a second.
    """
    schemas = [parameter.definition["schema"] for parameter in operation.iter_parameters()]
    return bool([*operation.body]) or any(schema != {"type": "string"} for schema in schemas)


def fuzz(
    operation: Any, mode: Any, headers: dict[str, str], studies: list[Study], rows: dict[str, Any]
) -> None:
    """Requests to one operation that fit its document, or that do not; nothing is kept."""
    named = {one.name for one in operation.path_parameters}
    known = {part: rows[row] for part, row in PARTS.items() if part in named}

    @seed(1)
    @hypothesis_settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=[*HealthCheck],
    )
    @given(data=st.data())
    def send(data: Any) -> None:
        # What is drawn at random hardly ever names something that is there.
        there = {"slug": data.draw(st.sampled_from(studies)).slug} if "slug" in named else {}
        if data.draw(st.booleans()):
            there |= known
        case = data.draw(
            operation.as_strategy(generation_mode=mode, path_parameters=there or None)
        )
        with transaction.atomic():
            answer = case.call(headers=headers)
            transaction.set_rollback(True)
        case.validate_response(answer, checks=CHECKS)

    send()
