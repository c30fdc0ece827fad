"""Questions that many studies ask, ready in the languages of annotators."""

from functools import cache
from pathlib import Path

from annotation.basics.languages import spoken_for
from annotation.basics.person_questions import PersonQuestion
from annotation.models import Study
from annotation.questionnaires.queries import yaml_files

_FOLDER = Path(__file__).parent.parent / "ready"


def of(study: Study) -> list[PersonQuestion]:
    """In the study's language; in English where they are not translated into it."""
    return _in(spoken_for(study.language))


@cache
def _in(language: str) -> list[PersonQuestion]:
    file = _FOLDER / f"{language}.yaml"
    if not file.exists():
        file = _FOLDER / "en.yaml"
    return yaml_files.read(file.read_text("utf-8")).questions
