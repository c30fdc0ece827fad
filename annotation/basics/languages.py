"""Which language a page speaks before anything is known but the browser's wishes; no cookie."""

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.translation.trans_real import parse_accept_lang_header

Answer = Callable[[HttpRequest], HttpResponse]


@cache
def translated() -> set[str]:
    """The languages that the annotator's pages are written in: English, and our catalogues."""
    folders = (Path(path) for path in settings.LOCALE_PATHS)
    return {"en", *(catalogue.name for folder in folders for catalogue in folder.glob("*"))}


class BrowserLanguage:
    """The first language the browser asks for that there is; researchers have English and German.

    An annotator's page goes on in the language of its study. The API speaks English.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response
        self.researchers = {code for code, _name in settings.LANGUAGES}
        self.everybody = translated()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        language = "en"
        is_api = request.path_info.startswith("/api/")
        if not is_api:
            known = self.everybody
            if request.path_info.startswith("/admin/"):
                known = self.researchers
            language = wanted(request.headers.get("Accept-Language", ""), known)
        request.LANGUAGE_CODE = language
        with translation.override(language):
            response = self.get_response(request)
            if not is_api:
                patch_vary_headers(response, ("Accept-Language",))
        return response


def wanted(header: str, known: Iterable[str]) -> str:
    for code, _weight in parse_accept_lang_header(header.lower()):
        base = code.split("-")[0]
        if base in known:
            return base
    return "en"


def spoken_for(language: str) -> str:
    """The language of our own words in a study whose texts are in `language`."""
    base = language.lower().split("-")[0]
    # Django knows many languages; a page half in one of them and half in English helps nobody.
    return base if base in translated() else "en"
