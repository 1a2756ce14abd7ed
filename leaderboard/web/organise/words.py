"""The words of the organiser's desk for judges and tools. The desk is in English for everyone."""

from django.urls import reverse

from leaderboard.models import Board
from leaderboard.services.judging import judge
from wardboard.scoring.declared import Declared

WHY_NO_JUDGE = {
    judge.NOT_SET_UP: "A language model judges here, and none is set up on the server. Without its name no "
    "stored verdict is found.",
    judge.NO_DAY_BUDGET: "A language model judges here, and has no budget for a day on the server, so it is "
    "never asked.",
    judge.NOT_DECLARED: "A language model judges here, the data are credentialed, and the operator has not "
    "declared that the model is local or retains nothing.",
    judge.UNAVAILABLE: "A language model judges here, and the settings of the server do not make such a "
    "judge.",
}


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: 1 file, 2 files."""
    return f"{number:,} {noun if number == 1 else noun + 's'}"


_TOOLS = {
    "similar": ("Similar files", "Files with the answers of another team, or of a public file."),
    "feedback": ("Feedback level", "How much is shown about the verdicts, and to whom."),
    "references": (
        "Reference answers",
        "Revisions side by side, their effect on ranks, activate, go back.",
    ),
    "doubts": ("Doubtful reference answers", "What teams report, and tasks set aside."),
    "rescoring": ("Rescoring", "Preview and run rescoring."),
    "reported": ("Published results", "What others published, each with its source: add, correct, remove."),
    "models": ("Models", "Which spellings are one model."),
    "season": ("Season", "Add one to a leaderboard, or change the one that this is."),
    "announcements": ("Announcements", "Notices above the table, in both languages."),
    "teams": ("Teams", "Requests for approval, and your decisions."),
}


def tools_of(board: Board) -> list[tuple[str, str, str]]:
    """Return what the organiser of a board can do: its name, a sentence, and the path of its page."""
    submissions = f"{reverse('web:organise-submissions')}?board={board.slug}"
    return [
        ("Submissions", "Find, retry, review, disqualify or reinstate.", submissions),
        *(
            (title, text, reverse(f"web:organise-{page}", args=[board.slug]))
            for page, (title, text) in _TOOLS.items()
        ),
    ]


def setting_words(board: Board, name: str) -> str:
    """Return the value of a setting in words."""
    value = getattr(board, f"get_{name}_display", lambda: getattr(board, name))()
    return {"None": "none", "True": "yes", "False": "no"}.get(str(value), str(value))


def declared_words(benchmark: Declared) -> list[str]:
    """Return what a declaration says, in lines."""
    metrics = ", ".join(metric.label for metric in benchmark.metrics if metric.column)
    answers, references = f"Answers: {benchmark.fields}", benchmark.import_files[0].label
    return [answers, references, *benchmark.about.graded, f"Metrics: {metrics}"]
