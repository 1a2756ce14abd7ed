"""Submit files, wait for the score, and judge it: the one way behind the command and the function."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from dataclasses import fields as members_of
from pathlib import Path
from typing import Any

from wardboard.ci.gates import (
    IF_FIRST,
    NO_GATE,
    SAME_FILES,
    ComparedResult,
    Gate,
    GateFailed,
    compared_with,
    judge_answers,
    judge_found,
    judge_published,
    judge_regression,
    judge_rescored,
    judge_score,
    judge_significance,
    judge_undecided,
    judge_validity,
    judge_warnings,
)
from wardboard.ci.logs import judge_log
from wardboard.client.ci_systems import commits_of, variable
from wardboard.client.connection import ServiceOptions, deadline_in
from wardboard.client.credentials import TEAM_VARIABLE, find_url
from wardboard.client.documents import shown
from wardboard.client.job_identity import authorized
from wardboard.client.service import PENDING, SEALED, Client, Document, settled
from wardboard.client.upload import FilePart
from wardboard.errors import ForeignAnswer, RequestRefused, WardboardError, WrongUse
from wardboard.files.checking import CheckedFiles
from wardboard.files.reading import all_opened, artifact_digest
from wardboard.scoring.benchmark_cli import Failure
from wardboard.scoring.facts import is_same_commit
from wardboard.scoring.reading.formats.systems import glob_of
from wardboard.scoring.reading.problems import SubmissionInvalid

DEFAULT_TIMEOUT = 7200.0  # seconds
_LEAST_BOUND, _MOST_TOLERANCE = 0.01, 0.5  # of a share: what goes beyond is no gate
# As the service reads a fact that is true or false.
_TRUE = ("true", "yes", "1")


def _require_flags(options: "Gates | SubmissionPlan") -> None:
    # A text such as "false" would count as true, and an empty one as false.
    for each in members_of(options):
        value = getattr(options, each.name)
        if each.type is bool and not isinstance(value, bool):
            raise WrongUse(f"{each.name} is True or False, not {value!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gates:
    """What a result has to pass.

    - fail_under, tolerance: 0..1; None for no such gate
    - require_entry: whether `fail_on_regression` fails a system without a published entry
    - significant: whether it judges by the paired test of the service, and not by the scores
    - require_change: whether the answers of an earlier submission of another commit fail
    """

    fail_under: float | None = None
    fail_on_regression: bool = False
    tolerance: float = 0.0
    require_entry: bool = False
    significant: bool = False
    strict: bool = False
    require_change: bool = False

    def __post_init__(self) -> None:
        """Raise WrongUse for a gate that would not do what it is taken for."""
        _require_flags(self)
        for name in ("fail_under", "tolerance"):
            value = getattr(self, name)
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not (is_number and 0 <= value <= 1) and not (value is None and name == "fail_under"):
                raise WrongUse(f"{name} is a number from 0 to 1, as a score is: not {value!r}")
        if (self.tolerance or self.require_entry or self.significant) and not self.fail_on_regression:
            raise WrongUse(
                "--tolerance, --require-entry and --significant are parts of --fail-on-regression: add it"
            )
        if self.fail_under is not None and self.fail_under < _LEAST_BOUND:
            raise WrongUse(f"a --fail-under of {self.fail_under:g} lets every score pass: 0.80 is 80%")
        if self.tolerance > _MOST_TOLERANCE:
            raise WrongUse(f"a --tolerance of {self.tolerance:g} lets nearly all pass: 0.01 is one point")
        if self.significant and self.tolerance:
            raise WrongUse("--significant judges by a test and has no --tolerance: leave one of them out")

    @property
    def judge_score(self) -> bool:
        return self.fail_under is not None or self.fail_on_regression

    @property
    def need_score(self) -> bool:
        return self.judge_score or self.require_change


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionOutcome:
    """A submission and what became of it.

    - document: the submission as the API shows it
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
    - team: short name of the team that it is for; "" for that of the token, or one's own
    - season: slug of the season of the leaderboard that the files go to, whole or without the leaderboard's
    - unranked: whether the files go to the unranked lane of the leaderboard, which may be the lane itself
    - allow_empty: whether to send files most of whose answers are no answers
    - allow_existing: whether an earlier submission of the same files will do, however it is described
    - allow_pull_request: whether a job of a pull request may publish by a stored token
    - wait: whether to wait for the score, `timeout` seconds at most
    - notes: gates without a verdict, which each report shows
    - show_status: called with each document on the way
    """

    benchmark: str
    system: str
    files: Sequence[FilePart]
    fields: Sequence[tuple[str, str]]
    gates: Gates = Gates()
    team: str = ""
    season: str | None = None
    publish: bool = False
    designate: bool = False
    unranked: bool = False
    allow_empty: bool = False
    allow_existing: bool = False
    allow_pull_request: bool = False
    wait: bool = True
    timeout: float = DEFAULT_TIMEOUT
    notes: Sequence[Gate] = ()
    show_status: Callable[[Document], None] | None = None

    def __post_init__(self) -> None:
        """Raise WrongUse for options that exclude each other, and for empty texts."""
        _require_flags(self)
        for name, value in (("benchmark", self.benchmark), *self.fields):
            if not value.strip():
                raise WrongUse(f"{name} is empty: name it, or leave it out")
        if self.season is not None:
            self.refuse_needing_score()
        if self.unranked and (self.publish or self.designate or self.gates.significant):
            raise WrongUse(
                "--unranked sends files whose results are never published: leave --publish, --designate and "
                "--significant, which compares with the published entry, out"
            )
        if self.designate and self.gates.fail_on_regression:
            raise WrongUse(
                "--designate publishes the result as the entry that --fail-on-regression compares it with: "
                "leave one of them out"
            )

    def refuse_needing_score(self) -> None:
        """Raise WrongUse for options that a sealed file would take for nothing."""
        if self.gates.need_score or self.publish or self.designate or self.unranked:
            raise WrongUse(
                "nobody sees a score of a season before its reveal, which publishes all: leave --fail-under, "
                "--fail-on-regression, --require-change, --publish, --designate and --unranked out"
            )


def plan_of(stated: Mapping[str, Any], **others: Any) -> SubmissionPlan:
    """Return the plan whose fields, and those of its gates, are `stated` by their names, or are `others`."""
    gates = Gates(**{each.name: stated[each.name] for each in members_of(Gates)})
    same = {each.name: stated[each.name] for each in members_of(SubmissionPlan) if each.name in stated}
    return SubmissionPlan(**{**same, "gates": gates, **others})


def submit(
    files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    benchmark: str,
    system: str,
    season: str | None = None,
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
    tolerance: float = 0.0,
    require_entry: bool = False,
    significant: bool = False,
    strict: bool = False,
    require_change: bool = False,
    allow_existing: bool = False,
    allow_empty: bool = False,
    allow_pull_request: bool = False,
    unranked: bool = False,
    **facts: object,
) -> SubmissionOutcome:
    """Submit result files, wait for the score, and return the outcome.

    - files: a path, or several, which are runs of one configuration; a folder is sent as an archive
    - benchmark: slug of the leaderboard, such as medagentbench-300
    - season: slug of a season of it, where the files are sealed; such an outcome has no score yet
    - team: short name of one of your teams, by default WARDBOARD_TEAM; "" for your own, or that of the token
    - url, token: by default WARDBOARD_URL and WARDBOARD_TOKEN, the identity of the CI job
      (WARDBOARD_PUBLISHER), or what `wardboard login` stored
    - timeout: seconds to wait for the score
    - publish: once it is scored, and every gate passed
    - fail_under, fail_on_regression, tolerance, require_entry, significant, strict, require_change: as the
      options of `wardboard submit`
    - allow_empty: send files most of whose answers are no answers; the result has no rank
    - allow_existing: take an earlier submission of the same files that is described otherwise
    - allow_pull_request: publish from a job of a pull request, by a stored token
    - unranked: send the files to the unranked lane of the leaderboard
    - facts: fields of the API, such as interaction="multi-turn", seconds_per_task=12.5, open_weights=False

    Raises WardboardError: GateFailed, RequestRefused, NotReached, ForeignAnswer, SubmissionEnded,
    NotFinished, WrongUse. Each has the exit code of the command as `code`.
    """
    stated = locals()
    paths = [files] if isinstance(files, str | os.PathLike) else list(files)
    fields = [("system", system), *(("models", model) for model in models)]
    fields += [(name, field_text(value)) for name, value in facts.items() if value is not None]
    address = url or find_url()
    with ExitStack() as stack:
        parts, _ = stack.enter_context(parts_opened([os.fspath(path) for path in paths]))
        digest = "" if "select" in dict(fields) else artifact_digest([part.file for part in parts])
        options = ServiceOptions(url=address, token=token, deadline=deadline_in(timeout))
        sender = os.environ.get(TEAM_VARIABLE, "") if team is None else team
        plan = plan_of(stated, files=parts, fields=fields, team=sender)
        return run(Client(authorized(options, artifact=digest)), plan)


@contextmanager
def parts_opened(names: Sequence[str], select: str = "") -> Iterator[tuple[list[FilePart], str]]:
    """Open files, and yield what the service, which knows no folders of several, is to select of them.

    Raises WrongUse, and RequestRefused where several are of more systems than one.
    """
    with ExitStack() as stack:
        try:
            files = stack.enter_context(all_opened(names, select))
        except Failure as error:
            raise WrongUse(str(error)) from None
        except SubmissionInvalid as invalid:
            checked = CheckedFiles(runs=len(names), problems=invalid.problems, warnings=invalid.warnings)
            raise RequestRefused(checked.as_document()) from None
        if len(names) > 1 and select:
            select = "|".join(glob_of(Path(name).name) for name, _ in files) if len(files) > 1 else ""
        yield [FilePart(name="stdin" if name == "-" else name, file=file) for name, file in files], select


def field_text(value: object) -> str:
    """Return a value as a field of the API has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def run(client: Client, plan: SubmissionPlan) -> SubmissionOutcome:
    """Carry out a plan. Raises WardboardError."""
    with naming_page(client):
        if plan.publish or plan.designate:
            client.refuse_unmerged(is_allowed=plan.allow_pull_request)
        return _run(client, plan)


@contextmanager
def naming_page(client: Client) -> Iterator[None]:
    """Add the address of its submission's page to an error; raise errors of Python as WardboardError."""
    try:
        with shown():
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


def _require_no_warning(client: Client, plan: SubmissionPlan) -> None:
    """Check the files before sending anything that would count against the quota. Raises GateFailed."""
    checked = client.validate(plan.benchmark, plan.files, select=dict(plan.fields).get("select", ""))
    stated = any(name == "deterministic" and value.strip().lower() in _TRUE for name, value in plan.fields)
    # The service drops this warning of a deterministic system, which it does not know of yet.
    repeats = (checked.get("warnings_by_code") or {}).get("runs.identical", 0) if stated else 0
    found = [judge_warnings(checked)] if checked["warnings_total"] > repeats else []
    found += judge_log(checked, plan.fields, strict=True)
    commit, ran = dict(plan.fields).get("commit", ""), (checked["from_log"] or {}).get("commits") or ()
    if not any(is_same_commit(commit, each) for each in ran):
        why = "--strict takes it only where the log states the same commit."
        found += [replace(note, passed=False, message=f"{note.message} {why}") for note in plan.notes]
    if any(gate.passed is False for gate in found):
        raise GateFailed(found, checked)


def _placed(client: Client, plan: SubmissionPlan) -> SubmissionPlan:
    """Return a plan with the lane or the season that is meant. Raises RequestRefused where there is none."""
    if plan.unranked:
        return replace(plan, benchmark=find_lane(client, plan.benchmark))
    if plan.season is not None:
        prefix = f"{plan.benchmark}-"
        # A leaderboard that is no season would score the files at once.
        season = client.season(prefix + plan.season.removeprefix(prefix))
        return replace(plan, benchmark=season["slug"])
    return plan


def _run(client: Client, plan: SubmissionPlan) -> SubmissionOutcome:
    gates, plan = plan.gates, _placed(client, plan)
    if gates.strict:
        _require_no_warning(client, plan)
    # A result that has to pass a gate is published once it has passed.
    needs_score = gates.need_score or (gates.strict and plan.publish)
    is_published_later = plan.publish and needs_score and not plan.designate
    document, is_earlier = _send(client, plan, publish=plan.publish and not is_published_later)
    first = document
    release = {name: value for name, value in plan.fields if name in ("version", "commit")}
    # The service compares the commit that an ID token states.
    is_open = is_earlier and not (release or client.is_of_job or plan.allow_existing)
    if is_open and (of_job := commits_of(os.environ)):
        release = {"commit": of_job[0]}
    found = judge_found(document, system=plan.system, release=release)
    if found and not plan.allow_existing:
        raise GateFailed([*plan.notes, found], document)
    # No commit is known, of a job: nothing says that the files are not stale.
    is_stale = is_open and gates.strict and not release and variable(os.environ, "CI")
    same = replace(SAME_FILES, passed=False, is_doubt=False) if is_stale else SAME_FILES
    notes = [*plan.notes, *([same] if is_earlier else ())]
    if plan.show_status:
        plan.show_status(document)
    is_wanted = (plan.publish or plan.designate) and not plan.allow_existing
    is_awaited = plan.wait or needs_score
    with _carrying(document):
        if is_awaited and document["status"] not in ("scored", SEALED):
            document = client.wait(document["id"], seconds=plan.timeout, show=plan.show_status, last=document)
        notes += judge_log(document, plan.fields, strict=gates.strict)
        if document["status"] == SEALED:
            plan.refuse_needing_score()
            return passed(as_it_is(client, document), notes)
    if not is_awaited:
        outcome = passed(as_it_is(client, document), notes)
        if is_wanted and document["status"] == "scored":
            _require_published(document, [])
        return replace(outcome, gates=[*outcome.gates, NO_GATE])
    with _carrying(document):
        outcome = passed(judge(client, document, gates, team=plan.team), notes)
    # What is described otherwise is accepted as it is, and that may be unpublished. What the team withdrew
    # stays so, as it does without a gate.
    if is_published_later and not document["published"] and not (found or document.get("withdrawn_at")):
        with _carrying(document):
            document = client.publish(document["id"])
        if lower := judge_rescored(document, outcome.document):
            raise GateFailed([*outcome.gates, lower], document)
    notice = first.get("notice")
    if notice and "notice" not in document:
        document = {**document, "notice": notice}
    if is_wanted:
        _require_published(document, outcome.gates)
    # A file without warnings says nothing about the score.
    shown = outcome.gates if gates.judge_score else [*outcome.gates, NO_GATE]
    return replace(outcome, document=document, gates=shown)


def as_it_is(client: Client, document: Document) -> SubmissionOutcome:
    """Return the outcome of a submission, scored or not yet. Raises SubmissionEnded where it will not be."""
    if document["status"] not in (*PENDING, SEALED):
        return judge(client, settled(document), Gates())
    return SubmissionOutcome(document=document, page=client.page_of(document))


def passed(outcome: SubmissionOutcome, notes: Sequence[Gate] = ()) -> SubmissionOutcome:
    """Return an outcome with notes before its gates. Raises GateFailed where one of them failed."""
    outcome = replace(outcome, gates=[*notes, *outcome.gates])
    if any(gate.passed is False for gate in outcome.gates):
        raise GateFailed(outcome.gates, outcome.document)
    return outcome


def _send(client: Client, plan: SubmissionPlan, *, publish: bool) -> tuple[Document, bool]:
    """Send the files; return the submission, and whether an earlier request had sent the same."""
    flags = {
        "designate": plan.designate,
        "publish": publish and not plan.designate,
        "unranked": plan.unranked,
        "allow_empty": plan.allow_empty,
    }
    fields = [*plan.fields, *((name, "true") for name, is_set in flags.items() if is_set)]
    # Before they are sent: a file that vanishes meanwhile must not cost the id of the submission.
    # The service counts runs that are declared and were not sent, and takes what is selected alone.
    is_unknown = not {"runs", "select"}.isdisjoint(dict(plan.fields))
    digest = "" if is_unknown else artifact_digest([part.file for part in plan.files])
    document, is_earlier = client.submit(plan.benchmark, plan.files, fields, team=plan.team)
    _require_own(document, plan, digest)
    return document, is_earlier


def _require_published(document: Document, gates: Sequence[Gate]) -> None:
    """Raise GateFailed, with the other gates, where a scored submission is not published as asked."""
    if unpublished := judge_published(document, notice=document.get("notice") or ""):
        raise GateFailed([*gates, unpublished], document)


def _require_own(document: Document, plan: SubmissionPlan, digest: str) -> None:
    """Raise ForeignAnswer unless an answer is about these files on this leaderboard."""
    for what, sent, found in (
        ("leaderboard", plan.benchmark, document["benchmark"]),
        ("file", digest, document["file"]["sha256"]),
    ):
        if sent and sent != found:
            raise ForeignAnswer(f"the answer is about another {what} than was sent: {found}, not {sent}")
    if document.get("filename") is None:
        raise ForeignAnswer(f"the answer is about a submission of another team, “{document['team']}”")
    if plan.unranked and (document["published"] or not document.get("unranked")):
        raise ForeignAnswer("the file was sent to an unranked lane, and the answer is about a ranked result")


def judge(client: Client, document: Document, gates: Gates, *, team: str = "") -> SubmissionOutcome:
    """Return the outcome of a scored submission, with every gate. team: as for `submit`."""
    verdicts: list[Gate] = []
    if gates.strict:
        verdicts.append(judge_warnings(document))
    if gates.fail_under is not None:
        verdicts.append(judge_score(document, gates.fail_under))
    board = client.benchmark(document["benchmark"]) if gates.need_score and document.get("scored_by") else {}
    # A service may not name the reference answers in use.
    active = board["references"]["revision"] if board.get("references") else None
    verdicts += judge_validity(document, active=active)
    if answers := judge_answers(document, is_required=gates.require_change, is_strict=gates.strict):
        verdicts.append(answers)
    if gates.fail_on_regression and (undecided := judge_undecided(document)):
        verdicts.append(undecided)
    elif gates.fail_on_regression:
        comparison = compared = None
        if document.get("unranked"):
            compared = _last_on_lane(client, document, team, mixes_judges=board.get("mixes_judges", False))
        elif entry := _other_entry(document):
            comparison = _comparison(client, document, entry)
            # The service has compared the two already: they have the same judge and reference answers.
            upper = entry.get("score_upper")
            compared = ComparedResult(score=entry["score"], upper=upper, name="the published entry")
        # Scores by other judges or reference answers say nothing of each other.
        is_tested = comparison and (comparison["outcome"] or comparison.get("test"))
        if comparison and compared and (gates.significant or not is_tested):
            verdicts.append(judge_significance(document, compared, comparison))
        else:
            gate = judge_regression(
                document, compared, tolerance=gates.tolerance, is_required=gates.require_entry
            )
            is_missing = compared is None and gate.passed is False
            verdicts.append(_with_withdrawn(gate, client, document, team) if is_missing else gate)
    return SubmissionOutcome(document=document, page=client.page_of(document), gates=verdicts)


def find_lane(client: Client, benchmark: str) -> str:
    """Return the slug of the unranked lane that is meant. Raises RequestRefused where there is none."""
    if lane := client.unranked_lane(benchmark):
        return lane
    raise RequestRefused(
        {
            "code": "unranked.is-ranked",
            "detail": f"{benchmark} has no unranked lane.",
            "hint": "Leave --unranked out, and the file counts against the quota of the leaderboard.",
        }
    )


def _other_entry(document: Document) -> Document | None:
    """Return the entry of a result's system; None where the result is the entry, or the system has none.

    Raises ForeignAnswer where the submission does not say which it is.
    """
    if "entry" not in document:
        raise ForeignAnswer("the answer is not a document of Wardboard: a submission has no `entry`")
    entry: Document | None = document["entry"]
    return None if entry is None or entry["is_this"] else entry


def _comparison(client: Client, document: Document, entry: Document) -> Document:
    """Return how a result compares with the entry. Raises ForeignAnswer where it is about another one."""
    comparison = client.comparison(document["id"])
    if comparison["entry"] != entry["submission"]:
        raise ForeignAnswer(
            f"the answer compares with {comparison['entry']}, and the entry is {entry['submission']}"
        )
    return comparison


def _with_withdrawn(gate: Gate, client: Client, document: Document, team: str) -> Gate:
    """Return the failed gate of a system without an entry, with its last result that was withdrawn."""
    # It has failed, whatever the service answers now.
    with suppress(WardboardError, LookupError, StopIteration):
        lines = client.scored_before(document["benchmark"], document["system"]["name"], team=team)
        line = next(line for line in lines if line.get("withdrawn_at"))
        why = f"Its result {line['id']} was withdrawn on {line['withdrawn_at'][:10]}."
        return replace(gate, message=gate.message.removesuffix(IF_FIRST) + why)
    return gate


def _last_on_lane(
    client: Client, document: Document, team: str, *, mixes_judges: bool
) -> ComparedResult | None:
    """Return the last result of the system on its lane before a submission; None where there is none."""
    name = document["system"]["name"]
    lines = client.scored_before(document["benchmark"], name, team=team)
    ids = [line["id"] for line in lines]
    # Newest first: those after it were sent before it.
    earlier = lines[ids.index(document["id"]) + 1 :] if document["id"] in ids else lines
    for line in earlier:
        if line["system"] == name and line["score"] is not None:
            other = settled(client.submission(line["id"]))
            return compared_with(document, other, name="the last unranked result", mixes_judges=mixes_judges)
    return None
