"""Links to documents in templates."""

from django import template
from django.utils.translation import get_language

from leaderboard.web.docs.library import guide_of
from leaderboard.web.docs.markdown import render
from scoring import registry

register = template.Library()


@register.simple_tag
def guides(family: str = "") -> list[tuple[str, str]]:
    """Return slug and title of the guide of a family of benchmarks, or of all families."""
    documents = [guide for name in ([family] if family else registry.FAMILIES) if (guide := guide_of(name))]
    return [(guide.slug, render(guide, get_language() or "en").title) for guide in documents]
