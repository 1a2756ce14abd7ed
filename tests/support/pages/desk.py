"""The text of pages of the organiser's desk."""


def words(response) -> str:
    """Return the HTML of a response with each run of whitespace as one space."""
    return " ".join(response.content.decode().split())
