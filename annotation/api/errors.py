"""How the API refuses: one shape for everything, `{"detail": …}`, with all problems of a 400."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404
from django.utils import translation
from django.utils.translation import gettext as _
from rest_framework import exceptions, serializers, status
from rest_framework.response import Response
from rest_framework.views import set_rollback

from annotation.errors import AnnotationError, ImportProblemsError
from annotation.sentences import Said, Sentence

# Between what is wrong and what to do, in the sentences of `annotation.imports`.
_THEN = "; "


class ProblemSerializer(serializers.Serializer[Any]):
    line = serializers.IntegerField(
        allow_null=True, help_text="Of the file; null where it has none."
    )
    field = serializers.CharField(help_text="Its name; empty where it is about none.")
    sentence = serializers.CharField(help_text="What is wrong, and what to do, for a person.")
    remedy = serializers.CharField(help_text="What to do alone; empty where nothing else helps.")


class ErrorSerializer(serializers.Serializer[Any]):
    detail = serializers.CharField(help_text="What is refused, and why, for a person.")
    problems = ProblemSerializer(
        many=True, required=False, help_text="All that is wrong with what was sent."
    )


class TooLargeError(exceptions.APIException):
    """The body is larger than anything that is read here."""

    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE

    def __init__(self, limit: str) -> None:
        super().__init__(_("The request is larger than %(limit)s.") % {"limit": limit})


def refused(problems: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The body of a 400."""
    detail = " ".join(
        f"{one['field']}: {one['sentence']}" if one["field"] else str(one["sentence"])
        for one in problems[:3]
    )
    return {"detail": detail, "problems": list(problems)}


def problem(
    sentence: str, *, field: str = "", line: int | None = None, remedy: str = ""
) -> dict[str, Any]:
    return {
        "line": line,
        "field": _whole(field),
        "sentence": _whole(sentence),
        "remedy": _whole(remedy),
    }


def _whole(text: str) -> str:
    """Half a character that was sent, and is quoted, could not be sent back."""
    return text.encode(errors="replace").decode()


def of_file(said: Said) -> dict[str, Any]:
    """One problem of an imported file: its line, its field and the remedy, where it says them."""
    line: int | None = None
    if isinstance(said, Sentence) and {"line", "problem"} <= said.values.keys():
        line, said = int(said.values["line"]), said.values["problem"]
    if not isinstance(said, Sentence):
        return problem(str(said), line=line)
    field = said.values.get("field", "")
    return problem(str(said), field=str(field), line=line, remedy=_remedy(said))


def _remedy(said: Sentence) -> str:
    """What stands behind the last semicolon of the sentence itself, not of a text it quotes."""
    template = said.singular if said.plural else translation.gettext(said.singular)
    _what, then, remedy = template.rpartition(_THEN)
    if not then and isinstance(inner := said.values.get("problem"), Sentence):
        return _remedy(inner)
    return str(Sentence(remedy, values=said.values)) if then and remedy else ""


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
        yield problem(str(errors), field=field)


def handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer what was raised; None: it is a fault of ours, which crashes loudly."""
    found = _of_rules(error) or _of_requests(error)
    if found is None:
        return None
    headers = error.headers if isinstance(error, AnnotationError) else {}
    if asks := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = asks
    if (wait := getattr(error, "wait", None)) is not None:
        headers["Retry-After"] = str(max(1, int(wait)))
    set_rollback()
    code, body = found
    return Response(body, status=code, headers=headers)


def _of_rules(error: Exception) -> tuple[int, dict[str, Any]] | None:
    """What a rule of the study forbids, or a file."""
    match error:
        case ImportProblemsError():
            return error.status, refused([of_file(said) for said in error.said])
        case AnnotationError() if error.status == status.HTTP_400_BAD_REQUEST:
            return error.status, refused([problem(str(said)) for said in error.said])
        case AnnotationError():
            return error.status, {"detail": _whole(error.message)}
    return None


def _of_requests(error: Exception) -> tuple[int, dict[str, Any]] | None:
    """What is wrong with the request, or with whoever sent it."""
    match error:
        case exceptions.ValidationError():
            return error.status_code, refused([*of_fields(error.detail)])
        case exceptions.ParseError():
            return error.status_code, refused([problem(str(error.detail))])
        case Http404():
            # The same whatever was not found, and whoever may see it.
            return status.HTTP_404_NOT_FOUND, {"detail": _("There is nothing here.")}
        case PermissionDenied():
            return status.HTTP_403_FORBIDDEN, {"detail": _("You may not do this.")}
        case RequestDataTooBig():
            too_large = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
            return too_large, {"detail": _("The request is too large.")}
        case SuspiciousOperation():
            said = _("The request cannot be read.")
            return status.HTTP_400_BAD_REQUEST, refused([problem(said)])
        case exceptions.APIException():
            return error.status_code, {"detail": str(error.detail)}
    return None
