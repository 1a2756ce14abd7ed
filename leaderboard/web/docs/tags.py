"""Links to documents in templates."""

from django import template

from leaderboard.web.docs.library import guide_of
from leaderboard.web.docs.markdown import render
from wardboard.scoring import registry

register = template.Library()


@register.simple_tag
def guides(benchmark: str = "") -> list[tuple[str, str]]:
    """Return slug and title of the guide of a benchmark, or of all."""
    documents = [
        guide for name in ([benchmark] if benchmark else registry.BENCHMARKS) if (guide := guide_of(name))
    ]
    return [(guide.slug, render(guide).title) for guide in documents]
