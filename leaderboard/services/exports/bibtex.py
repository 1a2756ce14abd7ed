"""Citing a board as it stood: an entry for BibTeX that names the state, the ground truth and the scorer."""

from collections.abc import Mapping
from datetime import date

from leaderboard.models import Benchmark, Evaluation
from leaderboard.services.boards.provenance import Provenance
from leaderboard.services.boards.row import Row
from leaderboard.services.exports.tables import escape_latex
from leaderboard.services.text import percent

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def bibtex(*, benchmark: Benchmark, provenance: Provenance, address: str, accessed: date) -> str:
    """Return the entry. address: where that state of the board is found again; an address of the web."""
    at = provenance.at.date() if provenance.at else accessed
    known = provenance.event > 0
    key = f"{benchmark.slug}-{provenance.event}" if known else benchmark.slug
    title = f"{benchmark.title}: leaderboard" + (f" as of {at.isoformat()}" if known else "")
    said = {"title": title, "author": "Wardboard", "note": _note(provenance, accessed)}
    return _entry(key, at, said, address, accessed)


def bibtex_of_result(
    *, row: Row, evaluation: Evaluation | None, provenance: Provenance, address: str, accessed: date
) -> str:
    """Return the entry of one result. evaluation: of a rescored row, with its revision. address: where the
    board is found again with that result on it."""
    benchmark, standing = row.benchmark, row.standing
    at = provenance.at.date() if provenance.at else accessed
    key = f"{benchmark.slug}-{provenance.event}-system-{standing.system_id}"
    title = f"{standing.name} on {benchmark.title}: {percent(standing.score)} as of {at.isoformat()}"
    told = [f"Event {provenance.event} of the board"] if provenance.event else []
    if evaluation is None:
        told.append(f"{standing.kind}, not rescored")
    else:
        revision = evaluation.revision
        told.append(f"ground truth {revision.number}, SHA-256 {revision.digest}")
        told += [f"scorer {evaluation.scorer_version}", f"submission {evaluation.submission_id}"]
    told.append(f"accessed {accessed.isoformat()}")
    author = standing.organisation or standing.team_name or "Wardboard"
    return _entry(key, at, {"title": title, "author": author, "note": "; ".join(told)}, address, accessed)


def _entry(key: str, at: date, said: Mapping[str, str], address: str, accessed: date) -> str:
    url = _in_url(address)
    fields = {
        # In a second pair of braces, so that styles leave capitals as they are and names whole.
        "title": f"{{{escape_latex(said['title'])}}}",
        "author": f"{{{escape_latex(said['author'])}}}",
        "year": str(at.year),
        "month": _MONTHS[at.month - 1],
        "howpublished": f"\\url{{{url}}}",
        "url": url,
        "urldate": accessed.isoformat(),
        "note": escape_latex(said["note"]),
    }
    lines = [f"  {name} = {value if name == 'month' else f'{{{value}}}'}," for name, value in fields.items()]
    return "\n".join([f"@misc{{{key},", *lines, "}", ""])


def _note(provenance: Provenance, accessed: date) -> str:
    said = [f"Event {provenance.event} of the board"] if provenance.event else []
    if provenance.revision is not None:
        said.append(f"ground truth {provenance.revision.number}, SHA-256 {provenance.revision.digest}")
    said += [f"scorer {provenance.scorer_version}", f"accessed {accessed.isoformat()}"]
    return "; ".join(said)


def _in_url(address: str) -> str:
    # A brace would end the field, and a backslash begin a command.
    return address.replace("{", "%7B").replace("}", "%7D").replace("\\", "%5C")
