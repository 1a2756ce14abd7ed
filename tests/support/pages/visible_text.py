"""What a reader of a page sees."""

import re


def text_of(response) -> str:
    """The words of <main>, in one line."""
    main = response.content.decode().split("<main", 1)[1].split("</main>")[0]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", main)).replace("&#x27;", "'")
