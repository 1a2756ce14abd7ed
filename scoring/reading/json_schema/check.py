"""Check values of a file against the JSON Schema that a benchmark publishes."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from wardboard.scoring.reading.codes import ProblemCode
from wardboard.scoring.reading.collector import Findings, Remark
from wardboard.scoring.reading.messages import phrase


def load_schemas(folder: Path, *names: str) -> Mapping[str, Mapping[str, Any]]:
    """Return name -> released schema (JSON Schema 2020-12), read from the files of `folder`."""
    return MappingProxyType({name: json.loads((folder / f"{name}.json").read_bytes()) for name in names})


class SchemaCheck:
    """A check of values against a schema, or against a part of one.

    jsonschema-rs, where it is installed, finds the values that are valid, which nearly all are: jsonschema
    takes a hundred times as long. It is always jsonschema that finds the errors of the others.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = dict(schema)

    def report(
        self, value: Any, findings: Findings, remark_on: Callable[[Any], Remark | None]
    ) -> set[str | int]:
        """Add a problem for each error of the schema in `value`, whose place `findings` has.

        remark_on: returns the remark on an error (see `validator`), None for one that is reported elsewhere.
        Returns the keys (or positions) in `value` that are missing or that have an error.
        """
        wrong: set[str | int] = set()
        if self.is_surely_valid(value):
            return wrong
        # Import it here and below: most commands check no file, and importing jsonschema takes 0.1 s.
        from wardboard.scoring.reading.json_schema.validator import current_findings  # noqa: PLC0415

        token = current_findings.set(findings)
        try:
            # Take errors one by one as the validator finds them: a hostile file has hundreds of thousands.
            for error in self._validator.iter_errors(value):
                if error.path:
                    wrong.add(error.path[0])
                elif error.validator == "required":
                    wrong.add(error.message)
                if remark := remark_on(error):
                    code, message, hint, fix = remark
                    findings.problem(code, tuple(error.path), message, hint, fix)
        finally:
            current_findings.reset(token)
        return wrong

    def is_surely_valid(self, value: Any) -> bool:
        """Return whether jsonschema-rs says that `value` is valid; False where it is not installed."""
        try:
            return self._fast_validator is not None and bool(self._fast_validator.is_valid(value))
        except ValueError:
            # jsonschema-rs takes fewer values than Python's parser makes: no keys that UTF-8 cannot hold.
            return False

    @cached_property
    def _fast_validator(self) -> Any:
        try:
            import jsonschema_rs  # noqa: PLC0415
        except ModuleNotFoundError:
            # The service installs it. On a laptop it would be half of the installation, to save 0.3 s a file.
            return None
        return jsonschema_rs.Draft202012Validator(self._schema)

    @cached_property
    def _validator(self) -> Any:
        from wardboard.scoring.reading.json_schema.validator import Validator  # noqa: PLC0415

        return Validator(self._schema)


def missing_key(
    error: Any, codes: Mapping[str, ProblemCode], other_names: Mapping[str, Sequence[str]]
) -> Remark:
    """Return the remark on a missing key.

    codes: key -> code. other_names: key -> names that runners give what the format calls so.
    """
    key = error.message
    message = phrase("`{field}` is missing", field=key)
    names = other_names.get(key, ())
    # Null, a verdict or an object is no answer, and renaming it would not make it one.
    other = next((o for o in names if type(error.instance.get(o)) in (str, list, int, float)), None)
    if other is None:
        return Remark(codes[key], message)
    return Remark(codes[key], message, phrase("Rename `{other}` to `{field}`.", other=other, field=key))
