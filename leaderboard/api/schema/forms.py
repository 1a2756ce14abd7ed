"""Shapes of the input. `uploads` reads it and lists every problem, not only the first."""

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, defstruct

from leaderboard.api.schema.common import type_of
from leaderboard.models.systems import IMAGE_DIGEST
from wardboard.scoring.facts import FACTS, Fact, Kind
from wardboard.scoring.runs import MOST_RUNS

MULTIPART = "multipart/form-data"
# Of a file that is the body itself.
RAW_TYPES = (
    "application/json",
    "application/x-ndjson",
    "application/jsonl",
    "application/gzip",
    "application/zip",
    "application/x-tar",
    "application/octet-stream",
    "text/csv",
    "text/plain",
)

_APPLIED = (
    "Changes to a system that has been on a leaderboard are applied when this submission is published; "
    "`facts_not_applied` of the answer names them."
)


LONGEST_REASON = 300  # characters


class CheckFields(Struct, kw_only=True, forbid_unknown_fields=True):
    file: Annotated[
        str,
        Meta(
            description="A result file as the benchmark's harness writes it, plain or gzip. Repeat the part "
            "for several complete runs of one frozen configuration, up to 10, or send one zip or tar(.gz) "
            "of their files, which are then numbered in the order of their names.",
            extra_json_schema={"format": "binary"},
        ),
    ]
    benchmark: Annotated[str, Meta(description="Slug of the leaderboard.")]
    strict: Annotated[
        str | UnsetType,
        Meta(
            description="true: warnings are problems, and so are facts that are not applied; nothing is "
            "stored then. Or codes of warnings, separated by commas: these kinds alone are problems."
        ),
    ] = UNSET
    acknowledgement: Annotated[
        str | UnsetType,
        Meta(
            description="For leaderboards with credentialed data: the version of the terms "
            "that you acknowledge, "
            "which the leaderboard's `acknowledgement` names."
        ),
    ] = UNSET


def _stated(fact: Fact) -> tuple[str, Any] | tuple[str, Any, Any]:
    """Return the field in which a fact is stated: its name, its type and, unless it is required, no value."""
    if fact.is_required:
        return fact.key, Annotated[str, Meta(max_length=fact.longest, description=fact.explains)]
    texts = [fact.explains, _APPLIED if fact.is_of_system else "Public once published."]
    if fact.kind is Kind.NAMES:
        texts.insert(1, "Separated by commas.")
    return fact.key, Annotated[_input_type(fact) | UnsetType, Meta(description=" ".join(texts))], UNSET


def _input_type(fact: Fact) -> Any:
    bounds: dict[Kind, dict[str, Any]] = {
        Kind.NAMES: {},  # separated by commas
        Kind.DIGEST: {"pattern": IMAGE_DIGEST.replace(r"\Z", "$")},
        Kind.COMMIT: {"pattern": "^[0-9A-Fa-f]{7,64}$"},
        Kind.URL: {"max_length": fact.longest, "extra_json_schema": {"format": "uri"}},
        Kind.TEXT: {"max_length": fact.longest},
    }
    if fact.kind in bounds:
        return Annotated[str, Meta(**bounds[fact.kind])]
    return fact.choices or type_of(fact)


class _OtherFields(CheckFields, kw_only=True, forbid_unknown_fields=True):
    team: Annotated[
        Annotated[str, Meta(max_length=40)] | UnsetType,
        Meta(
            description="Short name of the team whose submission it is; without it your own, or the token's."
        ),
    ] = UNSET
    take_back: Annotated[
        str | UnsetType,
        Meta(
            description="Names of facts of a known system that you no longer state, separated by commas, "
            f"such as task_memory. {_APPLIED}"
        ),
    ] = UNSET
    runs: Annotated[
        Annotated[int, Meta(ge=1, le=MOST_RUNS)] | UnsetType,
        Meta(
            description="How many runs were planned, if more than there are files; each missing run counts "
            "as wrong on every task."
        ),
    ] = UNSET
    publish: Annotated[bool | UnsetType, Meta(description="Publish as soon as it is scored.")] = UNSET
    wait: Annotated[
        Annotated[int, Meta(ge=0, le=60)] | UnsetType,
        Meta(description="Answer once it is scored, or after so many seconds at most, or earlier."),
    ] = UNSET
    designate: Annotated[
        bool | UnsetType,
        Meta(
            description="Publish as soon as it is scored, as the system's entry, whatever its score. Only "
            "the first designated file of a `version` can be the entry: a later one without a new version is "
            "refused before it is scored. Without any, the entry is the first result that was sent for "
            "publication."
        ),
    ] = UNSET
    unranked: Annotated[
        bool | UnsetType,
        Meta(
            description="Refuse the file unless the leaderboard is an unranked lane, whose results are never "
            "published and take no place in a ranking."
        ),
    ] = UNSET


SubmitFields = defstruct(
    "SubmitFields",
    [_stated(fact) for fact in FACTS],
    bases=(_OtherFields,),
    kw_only=True,
    forbid_unknown_fields=True,
)


class WithdrawFields(Struct, kw_only=True, forbid_unknown_fields=True):
    reason: Annotated[
        Annotated[str, Meta(max_length=LONGEST_REASON)] | UnsetType,
        Meta(description="Public, in the log of changes of the leaderboard."),
    ] = UNSET


CHECK_PARAMETERS = tuple(name for name in CheckFields.__struct_fields__ if name != "file")
SUBMIT_PARAMETERS = tuple(name for name in SubmitFields.__struct_fields__ if name != "file")
# The parameters that describe the system and its runs.
STATED = (*(fact.key for fact in FACTS), "take_back", "runs")
