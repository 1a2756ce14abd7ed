"""Read the YAML of a declaration. Only the service, which has PyYAML, imports this module."""

import json
import re
from typing import Any

import yaml

from wardboard.scoring.declared.codes import DeclarationCode
from wardboard.scoring.reading.collector import Unreadable
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.problems import quote

# What JSON has beside texts; all other scalars are texts: `no`, 2024-01-31.
_JSON = re.compile(r"null|true|false|-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?:[eE][-+]?\d{1,2})?", re.ASCII)


class _Loader(yaml.BaseLoader):
    """Refuse what no declaration needs, and what makes a short text long: tags, anchors, aliases."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if getattr(event, "anchor", None) is not None or getattr(event, "tag", None) is not None:
            raise yaml.MarkedYAMLError(problem="a tag, an alias or an anchor", problem_mark=event.start_mark)
        return super().compose_node(parent, index)

    def construct_scalar(self, node: Any) -> Any:
        is_json = node.style is None and _JSON.fullmatch(node.value)
        return json.loads(node.value) if is_json else node.value

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        mapping: dict[Any, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.value in mapping:
                raise yaml.MarkedYAMLError(problem="a key twice, or no text", problem_mark=key.start_mark)
            mapping[key.value] = self.construct_object(value, deep=True)
        return mapping


def parse_yaml(text: str) -> Any:
    """Return the value of `text`. Raises Unreadable, and nothing else."""
    line, column = None, None
    try:
        return _Loader(text).get_single_data()
    except yaml.MarkedYAMLError as error:
        why = error.problem or "it is no YAML"
        if mark := error.problem_mark:
            line, column = mark.line + 1, mark.column + 1
    except (yaml.YAMLError, RecursionError) as error:
        why = getattr(error, "reason", "it is nested too deeply")
    message = phrase("the YAML cannot be read: {why}", why=quote(why))
    raise Unreadable(DeclarationCode.YAML, message, line=line, column=column)
