"""Forms of pages, as a browser sends them."""

from typing import Any


def filled_form(page: Any, **changes: object) -> dict[str, object]:
    """Return what a browser sends of the form of a page, with some values changed.

    page: the response with the form, which also holds the values that it had when it was opened
    """
    data: dict[str, object] = {}
    for field in page.context["form"]:
        if field.field.show_hidden_initial:
            data[field.html_initial_name] = "" if field.initial is None else field.initial
        value = changes.get(field.name, field.initial)
        # Unticked boxes are not sent.
        if value is not None and value is not False:
            data[field.html_name] = value
    return data
