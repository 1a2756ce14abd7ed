"""Decide the provenance level of a submission, and refuse requests that contradict what is signed."""

from collections.abc import Mapping

from leaderboard.models import CiJob, ProvenanceLevel
from leaderboard.services.errors import FactsInvalid
from wardboard.scoring.reading.problems import Problem, pointer, quote


def provenance_of(job: CiJob | None) -> ProvenanceLevel:
    """Return the level of a submission. job: None if an account submits."""
    return ProvenanceLevel.CI_ATTESTED if job and job.artifact_sha256 else ProvenanceLevel.ACCOUNT


def verified_release(job: CiJob | None) -> dict[str, str]:
    """Return the fields of `Release` that the job proves."""
    return {"commit": job.commit, "run_url": job.run_url} if job else {}


def refuse_contradictions(job: CiJob | None, *, stated: Mapping[str, str], sha256: str) -> None:
    """Raise FactsInvalid with every stated fact, and the digest, that the job's token contradicts."""
    # A commit may be shortened; the page of an attempt or of a job is below that of the run.
    problems = [
        _problem("contradict-ci", name, stated[name], signed, f"Leave `{name}` out: the service fills it in.")
        for name, signed in verified_release(job).items()
        if not signed.startswith(stated.get(name, "")) and not stated[name].startswith(f"{signed}/")
    ]
    if job and job.artifact_sha256 not in ("", sha256):
        hint = "Ask for the ID token once the file is complete, or without a digest in its audience."
        problems.append(_problem("not-attested", "file", sha256, job.artifact_sha256, hint))
    if problems:
        raise FactsInvalid(problems)


def _problem(code: str, name: str, stated: str, signed: str, hint: str) -> Problem:
    message = f"The request has {quote(stated)}; the CI system signed {quote(signed)}."
    return Problem(code=f"facts.{code}", pointer=pointer(name), message=message, hint=hint)
