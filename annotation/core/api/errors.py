"""How the API refuses: one shape for everything, `{"code": …, "detail": …}`.

A 400 has all problems of what was sent.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import exceptions, serializers, status
from rest_framework.response import Response
from rest_framework.views import set_rollback

from annotation.basics.errors import AnnotationError, ImportProblemsError
from annotation.basics.sentences import Problem, Said, Sentence


class ProblemSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(help_text="What kind of problem it is, for programs.")
    line = serializers.IntegerField(
        allow_null=True, help_text="Of the file; null where it has none."
    )
    field = serializers.CharField(help_text="Its name; empty where it is about none.")
    sentence = serializers.CharField(help_text="What is wrong, and what to do, for a person.")
    remedy = serializers.CharField(help_text="What to do alone; empty where nothing else helps.")


class ErrorSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(help_text="Why it is refused, for programs.")
    detail = serializers.CharField(help_text="What is refused, and why, for a person.")
    problems = ProblemSerializer(
        many=True, required=False, help_text="All that is wrong with what was sent."
    )


class TooLargeError(exceptions.APIException):
    """The body is larger than anything that is read here."""

    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_code = "too_large"

    def __init__(self, limit: str) -> None:
        super().__init__(_("The request is larger than %(limit)s.") % {"limit": limit})


def refused(problems: Sequence[dict[str, Any]], *, code: str = "invalid") -> dict[str, Any]:
    """The body of a 400."""
    detail = " ".join(
        f"{each['field']}: {each['sentence']}" if each["field"] else str(each["sentence"])
        for each in problems[:3]
    )
    return {"code": code, "detail": detail, "problems": list(problems)}


def problem(
    sentence: str,
    *,
    code: str = "invalid",
    field: str = "",
    line: int | None = None,
    remedy: str = "",
) -> dict[str, Any]:
    return {
        "code": code,
        "line": line,
        "field": _whole(field),
        "sentence": _whole(sentence),
        "remedy": _whole(remedy),
    }


def _whole(text: str) -> str:
    """Half a character that was sent, and is quoted, could not be sent back."""
    return text.encode(errors="replace").decode()


def of_file(message: Said) -> dict[str, Any]:
    """One problem of an imported file: its line, its field and the remedy, if it has them."""
    line: int | None = None
    if isinstance(message, Sentence) and {"line", "problem"} <= message.values.keys():
        line, message = int(message.values["line"]), message.values["problem"]
    if not isinstance(message, Sentence):
        return problem(message, line=line)
    field = str(message.values.get("field", ""))
    if (inner := _problem_in(message)) is None:
        return problem(str(message), field=field, line=line)
    return problem(
        str(message),
        code=inner.code,
        field=field or str(inner.what.values.get("field", "")),
        line=line,
        remedy=str(inner.remedy),
    )


def _problem_in(sentence: Sentence) -> Problem | None:
    """The problem that a sentence is, or is about: one that says where it is, for example."""
    if isinstance(sentence, Problem):
        return sentence
    inner = sentence.values.get("problem")
    return _problem_in(inner) if isinstance(inner, Sentence) else None


def of_fields(errors: Any, field: str = "") -> Iterator[dict[str, Any]]:
    """The problems of a serializer, whose fields may be nested, or of a form."""
    if isinstance(errors, Mapping):
        for name, inner in errors.items():
            named = "" if name in {"non_field_errors", "__all__"} else str(name)
            yield from of_fields(inner, ".".join(filter(None, (field, named))))
    elif isinstance(errors, list | tuple):
        for inner in errors:
            yield from of_fields(inner, field)
    else:
        yield problem(str(errors), field=field, code=getattr(errors, "code", None) or "invalid")


def handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer what was raised; None: it is a fault of ours, which crashes loudly."""
    refusal = _of_rules(error) or _of_requests(error)
    if refusal is None:
        return None
    headers = error.headers if isinstance(error, AnnotationError) else {}
    if asks := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = asks
    if (wait := getattr(error, "wait", None)) is not None:
        headers["Retry-After"] = str(max(1, int(wait)))
    set_rollback()
    code, body = refusal
    return Response(body, status=code, headers=headers)


def _of_rules(error: Exception) -> tuple[int, dict[str, Any]] | None:
    """What a rule of the study forbids, or a file."""
    match error:
        case ImportProblemsError():
            return error.status, refused(
                [of_file(message) for message in error.said], code=error.code
            )
        case AnnotationError() if error.status == status.HTTP_400_BAD_REQUEST:
            problems = [problem(str(message), code=error.code) for message in error.said]
            return error.status, refused(problems, code=error.code)
        case AnnotationError():
            return error.status, _body(error.code, error.message)
    return None


def _of_requests(error: Exception) -> tuple[int, dict[str, Any]] | None:
    """What is wrong with the request, or with its sender."""
    match error:
        case exceptions.ValidationError():
            return error.status_code, refused([*of_fields(error.detail)])
        case exceptions.ParseError():
            code = error.default_code
            problems = [problem(str(error.detail), code=code)]
            return error.status_code, refused(problems, code=code)
        case Http404():
            # The same answer whatever was not found, and for everybody.
            return status.HTTP_404_NOT_FOUND, _body("not_found", _("There is nothing here."))
        case PermissionDenied():
            message = _("You are not allowed to do this.")
            return status.HTTP_403_FORBIDDEN, _body("permission_denied", message)
        case RequestDataTooBig():
            message = _("The request is too large.")
            return status.HTTP_413_REQUEST_ENTITY_TOO_LARGE, _body("too_large", message)
        case SuspiciousOperation():
            problems = [problem(_("The request cannot be read."), code="unreadable")]
            return status.HTTP_400_BAD_REQUEST, refused(problems, code="unreadable")
        case exceptions.APIException():
            code = getattr(error.detail, "code", error.default_code)
            return error.status_code, _body(code, str(error.detail))
    return None


def _body(code: str, sentence: str) -> dict[str, Any]:
    return {"code": code, "detail": _whole(sentence)}
