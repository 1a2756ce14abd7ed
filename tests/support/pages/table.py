"""Read the table of a leaderboard page."""

import re


def ranks_in(response) -> list[str]:
    """Return the ranks down the page: their intervals or, of systems that were not tested, by score alone."""
    cells = re.findall(r'<td class="rank">(.*?)</td>', response.content.decode(), re.DOTALL)
    return [re.sub(r"<[^>]+>", "", cell).strip() for cell in cells]


def names_in(response) -> list[str]:
    """Return the names of systems down the page, those of the sections below the table last."""
    return re.findall(r'<a class="name"[^>]*>([^<]+)</a>', response.content.decode())
