"""Questionnaires as a file of YAML, which people can read, change and share."""

import re
from collections.abc import Mapping
from typing import Any

import yaml

from annotation.basics.person_questions import QuestionnaireError
from annotation.basics.questionnaires import Questionnaires
from annotation.basics.sentences import sentence as _

SIZE_LIMIT = 200_000
MAX_INTEGER = 10**15
_BOOL, _TIME = "tag:yaml.org,2002:bool", "tag:yaml.org,2002:timestamp"
_INT = "tag:yaml.org,2002:int"


class _Loader(yaml.SafeLoader):
    """Reads `no` as a word and not as false, and a date as it is written."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            # A few of them could stand for millions of questions.
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(problem="an alias", problem_mark=mark)
        return super().compose_node(parent, index)

    def construct_yaml_int(self, node: Any) -> int:
        """Without numbers that no text can be made of."""
        number: int = super().construct_yaml_int(node)
        if abs(number) > MAX_INTEGER:
            raise yaml.MarkedYAMLError(problem="too large", problem_mark=node.start_mark)
        return number


_Loader.add_constructor(_INT, _Loader.construct_yaml_int)
_Loader.yaml_implicit_resolvers = {
    sign: [(tag, pattern) for tag, pattern in pairs if tag not in {_BOOL, _TIME}]
    for sign, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
for _sign in "tTfF":
    _Loader.yaml_implicit_resolvers.setdefault(_sign, []).append(
        (_BOOL, re.compile(r"^(?:true|True|false|False)$"))
    )


def read(text: str) -> Questionnaires:
    """Raises QuestionnaireError, with the line, for what is no file of questionnaires."""
    if len(text) > SIZE_LIMIT:
        raise QuestionnaireError(
            _("This file is larger than %(n)s characters.") % {"n": SIZE_LIMIT}
        )
    return Questionnaires.of(load(text))


def load(text: str) -> Mapping[str, Any]:
    try:
        data = yaml.load(text, _Loader)  # noqa: S506 - a safe loader, which reads fewer types
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        raise QuestionnaireError(
            _("Line %(line)s cannot be read as YAML.") % {"line": mark.line + 1 if mark else 1}
        ) from error
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise QuestionnaireError(
            _("The file needs at least one of the entries before:, between: and after:.")
        )
    return data


def written(every: Questionnaires) -> str:
    return yaml.safe_dump(every.as_json, allow_unicode=True, sort_keys=False, width=100)
