"""Reading the table of a leaderboard page."""

import re


def ranks_in(response) -> list[str]:
    """The ranks down the table, without what stands below them."""
    return re.findall(r'<td class="rank">(?:<span class="other">)?([^<]+)<', response.content.decode())


def names_in(response) -> list[str]:
    return re.findall(r'<a class="name"[^>]*>([^<]+)</a>', response.content.decode())
