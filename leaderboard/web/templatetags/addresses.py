"""Whole addresses in templates, for what is copied to other places."""

from django import template
from django.template import Context
from django.template.loader import render_to_string

from leaderboard.models import Benchmark
from leaderboard.services.boards.query import Query
from leaderboard.web.shared.urls import cited, whole
from leaderboard.web.templatetags.languages import translated

register = template.Library()


@register.simple_tag(takes_context=True)
def whole_address(context: Context, name: str, *args: object) -> str:
    """Return the address of a page with scheme and host."""
    return whole(context["request"], name, *args)


@register.simple_tag(takes_context=True)
def cited_address(context: Context, query: Query) -> str:
    """Return the permanent address of the table for `query`."""
    return cited(context["request"], query, query.board.benchmark.state.number)


@register.simple_tag
def embed_code(address: str, asked: str, benchmark: Benchmark) -> str:
    """Return the HTML of a frame that shows a board on another site, for copying."""
    context = {"address": address + asked, "title": translated(benchmark.title)}
    return render_to_string("web/sharing/embed_code.jinja", context, using="jinja2")
