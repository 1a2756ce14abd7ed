"""Structured data for search engines: a leaderboard as a Dataset of schema.org."""

import json
from typing import Any

from django import template
from django.conf import settings
from django.template import Context
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from leaderboard.models import Board
from leaderboard.services import visibility
from leaderboard.web.templatetags.languages import translated
from wardboard.scoring import registry

register = template.Library()
_FILES = {
    "web:board-csv": "text/csv",
    "web:board-json": "application/json",
    "web:board-eee": "application/zip",
}
# As json_script of Django does it: no value can end the element.
_ESCAPES = {ord("<"): "\\u003C", ord(">"): "\\u003E", ord("&"): "\\u0026"}


@register.simple_tag(takes_context=True)
def dataset(context: Context, board: Board) -> SafeString:
    """Return a `script` element that describes the table of a board, in JSON-LD."""
    request = context["request"]

    def at(name: str) -> str:
        return str(request.build_absolute_uri(reverse(name, args=[board.slug])))

    site = settings.SITE
    publisher = {"@type": "Organization", "name": site["organiser"] or "Wardboard"}
    benchmark = registry.get(board.benchmark)
    data: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": f"{translated(board.title)}: leaderboard",
        "description": " ".join([translated(board.question), *map(translated, benchmark.about.asks[:1])]),
        "url": at("web:board"),
        "isAccessibleForFree": True,
        "creator": publisher,
        **({"license": site["data_licence_url"]} if site["data_licence_url"] else {}),
        "variableMeasured": [translated(metric.label) for metric in visibility.visible_metrics(board)],
        "isBasedOn": [work.url for work in benchmark.about.works if work.url],
        "distribution": [
            {"@type": "DataDownload", "encodingFormat": kind, "contentUrl": at(name)}
            for name, kind in _FILES.items()
        ],
    }
    text = json.dumps(data, ensure_ascii=False).translate(_ESCAPES)
    escaped = mark_safe(text)  # noqa: S308  # nosec B308 B703
    return format_html('<script type="application/ld+json">{}</script>', escaped)
