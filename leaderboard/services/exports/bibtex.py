"""BibTeX entries that cite a board, or a result on it, with event, reference answers and grader."""

from collections.abc import Mapping, Sequence
from datetime import date

from leaderboard.models import Board, Evaluation, ReferenceRevision
from leaderboard.services.boards.provenance import Provenance
from leaderboard.services.boards.row import Row
from leaderboard.services.exports.tables import escape_latex
from leaderboard.services.judging.references import visible_digest

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def bibtex(*, board: Board, provenance: Provenance, address: str, accessed: date) -> str:
    """Return an entry that cites the board. address: URL of this state of the board."""
    at = provenance.at.date() if provenance.at else accessed
    has_event = provenance.event > 0
    key = f"{board.slug}-{provenance.event}" if has_event else board.slug
    title = f"{board.title}: leaderboard" + (f" as of {at.isoformat()}" if has_event else "")
    notes = []
    if provenance.revision is not None:
        notes.append(_describe_references(board, provenance.revision))
    if provenance.outdated:
        notes.append(f"results scored against other reference answers: {provenance.outdated}")
    notes.append(f"grader version {provenance.scorer_version}")
    texts = {"title": title, "author": "Wardboard", "note": _note(provenance, notes, accessed)}
    return _entry(key, at, texts, address, accessed)


def bibtex_of_result(
    *, row: Row, evaluation: Evaluation | None, provenance: Provenance, address: str, accessed: date
) -> str:
    """Return an entry that cites one result.

    evaluation: of a rescored row, with its revision; None for other rows
    """
    board, standing = row.board, row.standing
    at = provenance.at.date() if provenance.at else accessed
    key = f"{board.slug}-{provenance.event}-system-{standing.system_id}"
    title = f"{standing.name} on {board.title}: {row.score_words} as of {at.isoformat()}"
    notes = [f"{row.kind_words}, not rescored"]
    if evaluation is not None:
        notes = [_describe_references(board, evaluation.revision)]
        notes += [f"grader version {evaluation.scorer_version}", f"submission {evaluation.submission_id}"]
    named = standing.organisation if standing.source or standing.organisation_confirmed else ""
    author = named or standing.team_name or "Wardboard"
    texts = {"title": title, "author": author, "note": _note(provenance, notes, accessed)}
    return _entry(key, at, texts, address, accessed)


def _entry(key: str, at: date, texts: Mapping[str, str], address: str, accessed: date) -> str:
    # A brace would end the field, and a backslash would begin a command.
    url = address.replace("{", "%7B").replace("}", "%7D").replace("\\", "%5C")
    fields = {
        # A second pair of braces keeps styles from changing capitals or splitting names.
        "title": f"{{{escape_latex(texts['title'])}}}",
        "author": f"{{{escape_latex(texts['author'])}}}",
        "year": str(at.year),
        "month": _MONTHS[at.month - 1],
        "howpublished": f"\\url{{{url}}}",
        "url": url,
        "urldate": accessed.isoformat(),
        "note": escape_latex(texts["note"]),
    }
    lines = [f"  {name} = {value if name == 'month' else f'{{{value}}}'}," for name, value in fields.items()]
    return "\n".join([f"@misc{{{key},", *lines, "}", ""])


def _describe_references(board: Board, revision: ReferenceRevision) -> str:
    digest = visible_digest(board, revision)
    named = f"SHA-256 {digest}" if digest else f"commitment {revision.commitment}"
    return f"reference answers, revision {revision.number}, {named}"


def _note(provenance: Provenance, notes: Sequence[str], accessed: date) -> str:
    event = [f"Event {provenance.event} of the leaderboard"] if provenance.event else []
    return "; ".join([*event, *notes, f"accessed {accessed.isoformat()}"])
