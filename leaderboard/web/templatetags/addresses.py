"""Absolute URLs in templates, for texts that are copied to other places."""

from collections.abc import Mapping

from django import template
from django.template import Context
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html

from leaderboard.models import Board
from leaderboard.web.shared.urls import absolute_url
from leaderboard.web.templatetags.languages import translated

register = template.Library()


@register.simple_tag(takes_context=True)
def page_url(context: Context, name: str, *args: object) -> str:
    """Return the URL of a page with scheme and host."""
    return absolute_url(context["request"], name, *args)


@register.simple_tag(takes_context=True)
def current_at(context: Context, name: str, *args: object) -> str:
    """Return ` aria-current="page"` for a link to the page that is shown, "true" for pages below, or ""."""
    address, path = reverse(name, args=args), context["request"].path
    if path == address:
        return format_html(' aria-current="{}"', "page")
    # The front page is above all others.
    if name != "web:front" and path.startswith(address):
        return format_html(' aria-current="{}"', "true")
    return ""


@register.filter
def linked(label: str, addresses: Mapping[str, str]) -> str:
    """Translate a label, as a link where `addresses` has one of it."""
    text = translated(label)
    return format_html('<a href="{}">{}</a>', addresses[label], text) if label in (addresses or {}) else text


@register.simple_tag
def embed_code(address: str, query_string: str, board: Board) -> str:
    """Return the HTML of a frame that shows a board on another site, for copying."""
    context = {"address": address + query_string, "title": translated(board.title)}
    return render_to_string("web/sharing/embed_code.jinja", context, using="jinja2")
