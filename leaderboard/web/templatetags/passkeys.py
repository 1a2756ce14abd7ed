"""Options that a page passes to the script of passkeys."""

import json

from django import template

register = template.Library()


@register.filter
def passkey_options(js_data: dict[str, object]) -> str:
    """Return the options for the browser as JSON, for an attribute: a page holds no inline script."""
    (options,) = js_data.values()
    return json.dumps(options)
