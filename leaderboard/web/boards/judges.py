"""What is heard of the ranks of other lists."""

from collections.abc import Mapping

from django.utils.html import format_html
from django.utils.safestring import SafeString

from leaderboard.services.boards.judges import in_words


def heard(lists: Mapping[str, int]) -> dict[str, SafeString]:
    """Return judge -> what is heard after a rank in parentheses, which alone would be one of the rest."""
    return {
        judge: format_html('<span class="visually-hidden"> {}</span>', in_words(judge, number))
        for judge, number in lists.items()
    }
