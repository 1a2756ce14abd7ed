"""What holds for leaderboards whose patients' data are available under an agreement only.

Source of the terms: PhysioNet, "Use of MIMIC Data with Large Language Models and Online Services" (24
September 2025), https://physionet.org/news/post/llm-responsible-use. It says that credentialed data must not
be shared with third parties, online services among them, and that researchers are responsible. What is done
here supports that; whether it suffices is for the organisers and senders to judge.
"""

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from leaderboard.models import Board
from wardboard.scoring.reading.problems import Problem, pointer

FIELD = "acknowledgement"
# Raised with every change of TEXT; stored with each submission.
VERSION = "2026-11"
TEXT = gettext_noop(
    "I may send this file to this service under the agreement by which I received the data, and it holds no "
    "more of the data than the format asks for. I know that PhysioNet’s notice of 24 September 2025 forbids "
    "sharing credentialed data with third parties, online services and language models among them."
)
SOURCE = "https://physionet.org/news/post/llm-responsible-use"


def missing_acknowledgement(board: Board, stated: str) -> Problem | None:
    """Return the problem of a request that does not acknowledge these terms; None without one."""
    if not board.is_credentialed or stated.strip() == VERSION:
        return None
    return Problem(
        code="request.acknowledgement-missing",
        pointer=pointer(FIELD),
        message=_(
            "This leaderboard uses credentialed data: its terms have to be acknowledged before uploading."
        ),
        hint=_(
            "Read the terms on the page to submit, then tick the box; in the API, send %(field)s=%(version)s."
        )
        % {"field": FIELD, "version": VERSION},
    )


def is_llm_allowed(board: Board) -> bool:
    """Return whether an LLM may judge answers on the leaderboard, as far as the data are concerned."""
    return not board.is_credentialed or bool(settings.JUDGE_DATA)
