"""Read the visible text of a page."""

import re


def text_of(response) -> str:
    """Return the text of <main> in one line."""
    main = response.content.decode().split("<main", 1)[1].split("</main>")[0]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", main)).replace("&#x27;", "'")
