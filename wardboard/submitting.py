"""Submit files, wait for the score, and judge it: the one way behind the command and the function."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from scoring.benchmark_cli import Failure
from wardboard.ci.gates import (
    Gate,
    GateFailed,
    judge_found,
    judge_published,
    judge_regression,
    judge_score,
    judge_warnings,
)
from wardboard.client.connection import ServiceOptions
from wardboard.client.credentials import TEAM_VARIABLE, find_url
from wardboard.client.job_identity import authorized
from wardboard.client.service import Client, Document
from wardboard.client.upload import FilePart, ShowUpload
from wardboard.errors import ForeignAnswer, WardboardError, WrongUse
from wardboard.files.reading import all_opened, artifact_digest

DEFAULT_TIMEOUT = 7200.0  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Gates:
    """What a result has to pass. fail_under, tolerance: 0..1; None for no such gate."""

    fail_under: float | None = None
    fail_on_regression: bool = False
    tolerance: float = 0.0
    strict: bool = False

    @property
    def need_score(self) -> bool:
        return self.fail_under is not None or self.fail_on_regression


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionOutcome:
    """A submission and what became of it.

    - document: the submission as the API shows it
    - page: the address of its page
    - gates: each with its verdict
    """

    document: Document
    page: str
    gates: Sequence[Gate] = ()

    @property
    def rank(self) -> tuple[int, int, int] | None:
        """The best and the worst rank that it has, or would have if published, and of how many systems.

        They differ while the score is rounded. None before it is scored.
        """
        rank = self.document.get("rank")
        return (rank["best"], rank["worst"], rank["systems"]) if rank else None

    @property
    def score(self) -> float | None:
        """The figure that is ranked, 0..1; None before it is scored."""
        result = self.document.get("result")
        return float(result["score"]) if result else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionPlan:
    """What to submit, and what to do then.

    - fields: names and values of the request, without leaderboard, files, `publish` and `designate`
    - key: the Idempotency-Key; "" for a new one
    - team: short name of the team that it is for; "" for that of the token, or one's own
    - allows_existing: whether an earlier submission of the same files will do, however it is described
    - is_awaited: whether to wait for the score, `seconds` at most
    - show_upload, show_status: called on the way
    """

    benchmark: str
    system: str
    files: Sequence[FilePart]
    fields: Sequence[tuple[str, str]]
    gates: Gates = Gates()
    key: str = ""
    team: str = ""
    publish: bool = False
    designate: bool = False
    allows_existing: bool = False
    is_awaited: bool = True
    seconds: float = DEFAULT_TIMEOUT
    show_upload: ShowUpload | None = None
    show_status: Callable[[Document], None] | None = None


def submit(
    files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    benchmark: str,
    system: str,
    models: Iterable[str] = (),
    team: str | None = None,
    url: str = "",
    token: str = "",
    wait: bool = True,
    timeout: float = DEFAULT_TIMEOUT,
    publish: bool = False,
    designate: bool = False,
    fail_under: float | None = None,
    fail_on_regression: bool = False,
    strict: bool = False,
    allow_existing: bool = False,
    idempotency_key: str = "",
    **facts: object,
) -> SubmissionOutcome:
    """Submit result files, wait for the score, and return the outcome.

    - files: a path, or several, which are runs of one configuration; a folder is sent as an archive
    - benchmark: slug of the leaderboard, such as medagentbench-300
    - team: short name of one of your teams, by default WARDBOARD_TEAM; "" for your own, or that of the token
    - url, token: by default WARDBOARD_URL and WARDBOARD_TOKEN, the identity of the CI job
      (WARDBOARD_PUBLISHER), or what `wardboard login` stored
    - timeout: seconds to wait for the score
    - publish: once it is scored, and every gate passed
    - fail_under, fail_on_regression, strict: as the options of `wardboard submit`
    - allow_existing: take an earlier submission of the same files that is described otherwise
    - facts: fields of the API, such as interaction="multi-turn", seconds_per_task=12.5, open_weights=False

    Raises WardboardError: GateFailed, RequestRefused, NotReached, ForeignAnswer, SubmissionEnded,
    NotFinished, WrongUse. Each has the exit code of the command as `code`.
    """
    paths = [files] if isinstance(files, str | os.PathLike) else list(files)
    fields = [("system", system), *(("models", model) for model in models)]
    fields += [(name, field_text(value)) for name, value in facts.items() if value is not None]
    address = url or find_url()
    with ExitStack() as stack:
        try:
            opened = stack.enter_context(all_opened([os.fspath(path) for path in paths]))
        except Failure as error:
            raise WrongUse(str(error)) from None
        options = ServiceOptions(url=address, token=token)
        return run(
            Client(authorized(options, artifact=artifact_digest(opened))),
            SubmissionPlan(
                benchmark=benchmark,
                system=system,
                files=[
                    FilePart(name=str(Path(path)), file=file)
                    for path, file in zip(paths, opened, strict=True)
                ],
                fields=fields,
                gates=Gates(fail_under=fail_under, fail_on_regression=fail_on_regression, strict=strict),
                key=idempotency_key,
                team=os.environ.get(TEAM_VARIABLE, "") if team is None else team,
                publish=publish,
                designate=designate,
                allows_existing=allow_existing,
                is_awaited=wait,
                seconds=timeout,
            ),
        )


def field_text(value: object) -> str:
    """Return a value as a field of the API has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value)


def run(client: Client, plan: SubmissionPlan) -> SubmissionOutcome:
    """Carry out a plan. Raises WardboardError."""
    with naming_page(client):
        return _run(client, plan)


@contextmanager
def naming_page(client: Client) -> Iterator[None]:
    """Let an error say where the page of its submission is, if it is about one."""
    try:
        yield
    except WardboardError as error:
        document: Document = getattr(error, "document", {})
        # A file that is rejected is kept, and its problem document names the submission.
        submission = error.sent or document.get("submission") or document
        if "id" in submission:
            error.page = client.page_of(submission)
        raise


@contextmanager
def _carrying(document: Document) -> Iterator[None]:
    """Add the submission to an error: its file counts, and the job needs its id to go on."""
    try:
        yield
    except WardboardError as error:
        error.sent = document
        raise


def _run(client: Client, plan: SubmissionPlan) -> SubmissionOutcome:
    gates = plan.gates
    if gates.strict:
        # Check the files before sending anything that would count against the quota.
        checked = client.validate(plan.benchmark, plan.files, show=plan.show_upload)
        stated = ("deterministic", "true") in plan.fields
        # The service drops this warning of a deterministic system, which it does not know of yet.
        repeats = (checked.get("warnings_by_code") or {}).get("runs.identical", 0) if stated else 0
        if checked["warnings_total"] > repeats:
            raise GateFailed([judge_warnings(checked)], checked)
    # Read the entries before the submission, which may take the place of one.
    entries = _entries(client, plan) if gates.fail_on_regression else []
    # A result that has to pass a gate is published once it has passed.
    is_published_later = plan.publish and gates.need_score and not plan.designate
    fields = list(plan.fields)
    if plan.designate:
        fields.append(("designate", "true"))
    elif plan.publish and not is_published_later:
        fields.append(("publish", "true"))
    document = client.submit(
        plan.benchmark, plan.files, fields, key=plan.key, team=plan.team, show=plan.show_upload
    )
    page = client.page_of(document)
    if not plan.allows_existing and (found := judge_found(document, system=plan.system)):
        raise GateFailed([found], document)
    if plan.show_status:
        plan.show_status(document)
    if not (plan.is_awaited or gates.need_score):
        return SubmissionOutcome(document=document, page=page)
    notice = document.get("notice")
    if document["status"] != "scored":
        with _carrying(document):
            document = client.wait(document["id"], seconds=plan.seconds, show=plan.show_status)
    outcome = judge(client, document, gates, entries)
    if any(gate.passed is False for gate in outcome.gates):
        raise GateFailed(outcome.gates, document)
    if is_published_later and not document["published"]:
        with _carrying(document):
            document = client.publish(document["id"])
    if notice and "notice" not in document:
        document = {**document, "notice": notice}
    is_wanted = (plan.publish or plan.designate) and not plan.allows_existing
    if is_wanted and (unpublished := judge_published(document, notice=notice or "")):
        raise GateFailed([*outcome.gates, unpublished], document)
    return SubmissionOutcome(document=document, page=page, gates=outcome.gates)


def judge(client: Client, document: Document, gates: Gates, entries: Sequence[Document]) -> SubmissionOutcome:
    """Return the outcome of a scored submission, with every gate.

    entries: rows that its system may have had before.
    """
    if gates.need_score and not document.get("result"):
        raise ForeignAnswer("the answer is not a document of Wardboard: a scored submission has no `result`")
    verdicts = []
    if gates.strict:
        verdicts.append(judge_warnings(document))
    if gates.fail_under is not None:
        verdicts.append(judge_score(document, gates.fail_under))
    if gates.fail_on_regression:
        entry = next((row for row in entries if _is_of_same_system(row, document)), None)
        verdicts.append(judge_regression(document, entry, gates.tolerance))
    return SubmissionOutcome(document=document, page=client.page_of(document), gates=verdicts)


def _entries(client: Client, plan: SubmissionPlan) -> list[Document]:
    """Return the rows that may be of the system: the service may write its name in another way."""
    rows = client.rows(plan.benchmark, q=plan.system.strip()[:100])
    return [row for row in rows if row["kind"] == "rescored"]


def _is_of_same_system(row: Document, document: Document) -> bool:
    """Return whether a row is of the system and the team of a submission."""
    same_name: bool = row["system"]["name"] == document["system"]["name"]
    return same_name and row["team"] == document["team"]
