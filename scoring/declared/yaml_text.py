"""Read the YAML of a declaration. Only the service, which has PyYAML, imports this module."""

import re
from typing import Any

import yaml

from wardboard.scoring.declared.codes import DeclarationCode
from wardboard.scoring.reading.collector import Unreadable
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.problems import quote


class _Refused(yaml.MarkedYAMLError):
    """The text uses a part of YAML that no declaration needs."""


class _Loader(yaml.SafeLoader):
    """Take scalars as the core schema of YAML 1.2 does, so that `no` and 2024-01-31 are text.

    Source: YAML 1.2.2, section 10.3.2, without hexadecimal and octal numbers, infinity and NaN.
    """

    yaml_implicit_resolvers = {}

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if getattr(event, "anchor", None) is not None:
            raise _Refused(problem="an alias or an anchor", problem_mark=event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        mapping: dict[Any, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _Refused(problem="a key that is no text", problem_mark=key.start_mark)
            if key.value in mapping:
                raise _Refused(problem=f"the key {key.value} twice", problem_mark=key.start_mark)
            mapping[key.value] = self.construct_object(value, deep=True)
        return mapping


for _tag, _pattern, _first in (
    ("null", r"null|~|", ["n", "~", ""]),
    ("bool", r"true|false", ["t", "f"]),
    ("int", r"[-+]?[0-9]{1,15}", list("-+0123456789")),
    ("float", r"[-+]?[0-9]{1,15}(?:\.[0-9]{0,15})?(?:[eE][-+]?[0-9]{1,2})?", list("-+0123456789")),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})\Z"), _first)
_Loader.add_constructor("tag:yaml.org,2002:map", _Loader.construct_mapping)
_Loader.add_constructor("tag:yaml.org,2002:int", lambda _, node: int(node.value))
_Loader.add_constructor("tag:yaml.org,2002:float", lambda _, node: float(node.value))


def parse_yaml(text: str) -> Any:
    """Return the value of `text`. Raises Unreadable, and nothing else."""
    try:
        return _Loader(text).get_single_data()
    except RecursionError:
        raise Unreadable(DeclarationCode.YAML, phrase("the YAML is nested too deeply")) from None
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line, column = (mark.line + 1, mark.column + 1) if mark else (None, None)
        why = getattr(error, "problem", None) or getattr(error, "reason", None) or type(error).__name__
        message = phrase("the YAML cannot be read: {why}", why=quote(why))
        raise Unreadable(DeclarationCode.YAML, message, line=line, column=column) from None
