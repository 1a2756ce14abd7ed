"""Read the table of a leaderboard page."""

import re


def ranks_in(response) -> list[str]:
    """Return the ranks down the table, without their intervals and groups."""
    return re.findall(
        r'<td class="rank">\s*(?:<span class="other">)?([^<]*[^<\s])\s*<', response.content.decode()
    )


def names_in(response) -> list[str]:
    return re.findall(r'<a class="name"[^>]*>([^<]+)</a>', response.content.decode())
