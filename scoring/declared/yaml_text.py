"""Read the YAML of a declaration. Only the service, which has PyYAML, imports this module."""

import json
import re
from typing import Any

import yaml

from wardboard.scoring.declared.codes import DeclarationCode
from wardboard.scoring.reading.collector import Unreadable
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.problems import quote

_JSON = "!json"
_SCALAR = re.compile(r"(?:null|true|false|-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?:[eE][-+]?\d{1,2})?)\Z", re.A)


class _Loader(yaml.SafeLoader):
    """Take scalars that JSON has as JSON, and all others as text: `no`, 2024-01-31."""

    yaml_implicit_resolvers = {}

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if getattr(event, "anchor", None) is not None or getattr(event, "tag", None) is not None:
            raise yaml.MarkedYAMLError(problem="a tag, an alias or an anchor", problem_mark=event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        mapping: dict[Any, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.value in mapping:
                raise yaml.MarkedYAMLError(problem="a key twice, or no text", problem_mark=key.start_mark)
            mapping[key.value] = self.construct_object(value, deep=True)
        return mapping


_Loader.add_implicit_resolver(_JSON, _SCALAR, list("ntf-0123456789"))
_Loader.add_constructor(_JSON, lambda _, node: json.loads(node.value))
_Loader.add_constructor("tag:yaml.org,2002:map", _Loader.construct_mapping)


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
