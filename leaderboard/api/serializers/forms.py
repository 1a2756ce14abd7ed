"""The fields of requests: of their queries, and of their bodies."""

from functools import partial
from typing import Any

from rest_framework.serializers import (
    CharField,
    ChoiceField,
    Field,
    IntegerField,
    RegexField,
    UUIDField,
)

from leaderboard.api.serializers.common import field_of
from leaderboard.api.serializers.fields import Commit, Flag, Form, Text, Upload
from leaderboard.models import Status
from leaderboard.models.systems import IMAGE_DIGEST
from leaderboard.services.boards.columns import SORTINGS
from leaderboard.services.rows.filters import FILTERS
from leaderboard.services.traces.tasks import Outcome
from wardboard.scoring.facts import FACTS, Fact, Kind
from wardboard.scoring.runs import MOST_RUNS

PAGE_SIZE = 50
LONGEST_REASON = 300  # characters
LONGEST_CODE = 200  # characters
GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code"
CLIENT_ID = "wardboard"
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
# What a program states about itself.
_Stated = partial(Text, default="", max_length=60)
_APPLIED = (
    "Changes to a system that has been on a leaderboard are applied when this submission is published; "
    "`facts_not_applied` of the answer names them."
)


# --- Queries ---------------------------------------------------------------------------------------


class PageQuery(Form):
    page = IntegerField(
        default=1, min_value=1, max_value=999_999_999_999, help_text="From 1. A page past the last is empty."
    )
    per_page = IntegerField(
        default=PAGE_SIZE,
        min_value=1,
        max_value=200,
        help_text="How many of the list are on a page, 1 to 200.",
    )


class TeamQuery(Form):
    team = CharField(
        required=False,
        max_length=40,
        help_text="Short name of a team that the account is in; without it the account's own team, or that "
        "of the token.",
    )


class WaitQuery(Form):
    wait = IntegerField(
        default=0,
        min_value=0,
        max_value=60,
        help_text="Answer once the submission is scored, rejected, failed or cancelled, or after so many "
        "seconds, 0 to 60; it may be earlier, as few requests may wait at a time. "
        "`Retry-After`: it is in progress.",
    )


class SubmissionsQuery(TeamQuery, PageQuery):
    benchmark = CharField(required=False, help_text="Slug of a leaderboard.")
    status = ChoiceField(Status.values, required=False, help_text=f"One of: {', '.join(Status.values)}.")
    system = CharField(required=False, help_text="Name of a system of the team, in any case.")
    sha256 = RegexField(
        "^[0-9A-Fa-f]{64}$", required=False, help_text="Of the file: 64 digits from 0 to 9 and a to f."
    )
    commit = Commit(
        required=False, help_text="As stated with the file, or the first seven digits of it or more."
    )


class TasksQuery(PageQuery):
    outcome = ChoiceField(
        [*Outcome], required=False, help_text="Tasks with this verdict; `wrong` is wrong in any run."
    )
    group = CharField(
        required=False, help_text="Key of a group, such as task3, where tasks are listed by group."
    )


class BoardQuery(PageQuery):
    """The filters are those of the page; the service that reads the table checks their values."""

    as_of = Text(
        required=False,
        help_text="The leaderboard as of a date (2026-11-01: at its end, UTC), or the number of an event.",
    )
    sort = Text(
        required=False,
        help_text=f"{', '.join(SORTINGS)}, or the key of a metric of the leaderboard; `-` before it: "
        "descending.",
    )

    def get_fields(self) -> dict[str, Any]:
        filters = {each.key: Text(required=False, help_text=each.describe()) for each in FILTERS}
        return {**super().get_fields(), **filters}


# --- Bodies ----------------------------------------------------------------------------------------


class PublishForm(Form):
    confirm_log = Flag(
        default=False,
        help_text="Confirm that the result holds, although its log marks samples as invalid.",
    )
    public_traces = Flag(
        required=False,
        help_text="Whether everyone may read the traces while the result is published, where the leaderboard "
        "offers that. Without it they stay as they are: at first for the team alone.",
    )


class WithdrawForm(Form):
    reason = Text(
        default="",
        max_length=LONGEST_REASON,
        help_text="Public, in the log of the leaderboard: up to 300 characters.",
    )


class CiTokenForm(Form):
    token = Text(help_text="The ID token of the CI job: a JWT of its issuer.")
    publisher = UUIDField(help_text="Id of the trusted publisher, from its page: a UUID. It is not secret.")


class DeviceCodeForm(Form):
    client_id = ChoiceField([CLIENT_ID], help_text=f"Send client_id={CLIENT_ID}.")
    scope = _Stated(
        help_text="Scopes of the token with spaces between, such as `read submit`; all without it.",
    )
    client_version = _Stated(
        help_text="Of the program. The page on which the code is approved shows it.",
    )
    host = _Stated(
        help_text="Name of the machine; the page shows it, and the token is named after it.",
    )


class DeviceTokenForm(Form):
    client_id = ChoiceField([CLIENT_ID], help_text=f"Send client_id={CLIENT_ID}.")
    grant_type = ChoiceField([GRANT_TYPE], help_text=f"Send grant_type={GRANT_TYPE}.")
    device_code = Text(max_length=LONGEST_CODE, help_text="As the request for a code was answered.")


# --- Files -----------------------------------------------------------------------------------------


class CheckOptions(Form):
    """What a request with a file says about it, beside the facts."""

    benchmark = Text(help_text="Slug of the leaderboard; GET /api/v1/benchmarks/ lists them.")
    strict = Flag(
        default=False,
        help_text="true: warnings are problems, and so are facts that are not applied; nothing is stored "
        "then.",
    )
    select = Text(
        required=False,
        allow_blank=False,
        help_text="Which files of an archive with several systems to take, such as gpt-4o/**: * is a part of "
        "a name, ** any folders. What each selects is of one system; several have `|` between them, and are "
        "runs of one.",
    )
    acknowledgement = Text(
        required=False,
        help_text="For leaderboards with credentialed data: the version of the terms that you acknowledge, "
        "which the leaderboard's `acknowledgement` names.",
    )


class SubmitOptions(CheckOptions, WaitQuery):
    team = Text(
        required=False,
        max_length=40,
        help_text="Short name of the team whose submission it is; without it your own, or the token's.",
    )
    publish = Flag(default=False, help_text="true: publish as soon as it is scored.")
    designate = Flag(
        default=False,
        help_text="true: publish as soon as it is scored, as the system's entry, whatever its score. Only "
        "the first designated file of a `version` can be the entry: a later one without a new version is "
        "refused before it is scored. Without any, the entry is the first result sent for publication.",
    )
    allow_empty = Flag(
        default=False,
        help_text="true: take a file in which more than half of the tasks have no answer (blank, an error, a "
        "refusal, one text for most, or missing). Its result has no rank. Without it such a file is refused.",
    )
    unranked = Flag(
        default=False,
        help_text="true: refuse the file unless the leaderboard is an unranked lane, whose results are never "
        "published and take no place in a ranking.",
    )


class _StatedFacts(Form):
    """The facts about the system and its runs. `stated_facts` of the services reads their values."""

    take_back = CharField(
        required=False,
        help_text="Names of facts of a known system that you no longer state, separated by commas, such as "
        f"task_memory. {_APPLIED}",
    )
    runs = IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_RUNS,
        help_text="How many runs were planned, if more than there are files; each missing run counts as "
        "wrong on every task.",
    )

    def get_fields(self) -> dict[str, Any]:
        return {**super().get_fields(), **{fact.key: _field_of(fact) for fact in FACTS}}


def _field_of(fact: Fact) -> Field[Any, Any, Any, Any]:
    if fact.is_required:
        return CharField(max_length=fact.longest, help_text=fact.explains)
    texts = [fact.explains, _APPLIED if fact.is_of_system else "Public once published."]
    if fact.kind is Kind.NAMES:
        texts.insert(1, "Separated by commas.")
    options: dict[str, Any] = {"required": False, "help_text": " ".join(texts)}
    if fact.choices:
        return ChoiceField(fact.choices.values, **options)
    if fact.kind is Kind.DIGEST:
        return RegexField(IMAGE_DIGEST.replace(r"\Z", "$"), **options)
    if fact.kind is Kind.COMMIT:
        return Commit(**options)
    if fact.kind in (Kind.TEXT, Kind.URL):
        return CharField(max_length=fact.longest, **options)
    return CharField(**options) if fact.kind is Kind.NAMES else field_of(fact, **options)


class SubmitQuery(_StatedFacts, SubmitOptions):
    """What a request says whose body is the file itself."""


class CheckForm(CheckOptions):
    file = Upload(
        help_text="A result file as the benchmark's harness writes it, plain or gzip. Repeat the part for "
        "several complete runs of one frozen configuration, up to 10, or send one zip or tar(.gz) of their "
        "files, which are then numbered in the order of their names."
    )


class SubmitForm(_StatedFacts, SubmitOptions, CheckForm):
    """A result file, and what is stated about it."""


# The parameters that describe the system and its runs.
STATED = (*(fact.key for fact in FACTS), "take_back", "runs")
