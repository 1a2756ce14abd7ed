"""Figures as people read them."""

from django import template

register = template.Library()


@register.filter
def percent(rate: float | None, digits: int = 1) -> str:
    """98.33…% as 98.3%; an unknown figure as an en dash."""
    return "–" if rate is None else f"{100 * rate:.{digits}f}%"
