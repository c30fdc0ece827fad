"""The OpenAPI document, and what is answered where nothing is."""

from functools import cache
from typing import Any

from django.http import Http404
from django.utils import translation
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiYamlRenderer
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.core.api.operations import AlwaysTheSame


class English(SchemaGenerator):
    """One document for everybody, whatever language they read."""

    def get_schema(self, *args: Any, **kwargs: Any) -> Any:
        with translation.override("en"):
            return super().get_schema(*args, **kwargs)  # type: ignore[no-untyped-call]


class InTheLanguageOfTheAddress(AlwaysTheSame):
    """YAML where the address says so."""

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        wanted = request.query_params.get("type", "json")
        renderer = next(
            (candidate for candidate in renderers if candidate.format.endswith(wanted)),
            renderers[0],
        )
        return renderer, renderer.media_type


@extend_schema(exclude=True)
class Schema(APIView):
    """JSON, or YAML with `?type=yaml`; `manage.py spectacular` writes the same to a file."""

    renderer_classes = [OpenApiJsonRenderer, OpenApiYamlRenderer]
    content_negotiation_class = InTheLanguageOfTheAddress

    def get(self, request: Request) -> Response:
        return Response(_schema())


@cache
def _schema() -> Any:
    """Made once: it takes a while."""
    generator = English()  # type: ignore[no-untyped-call] # its package has no types
    return generator.get_schema(request=None, public=True)


@extend_schema(exclude=True)
class Nowhere(APIView):
    content_negotiation_class = AlwaysTheSame

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        raise Http404
