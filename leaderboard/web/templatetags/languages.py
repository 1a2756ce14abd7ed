"""Texts, dates and addresses in the language of the page."""

import re
from collections.abc import Iterable
from datetime import date, datetime
from functools import lru_cache

from django import template
from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest
from django.template import Context
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext

from leaderboard.services.charts.form import inner
from leaderboard.services.judging.names import judge_name
from leaderboard.services.text import join_names
from leaderboard.web.shared.as_of import describe_removal
from leaderboard.web.shared.language import IN_ENGLISH, as_tag, in_words, path_in
from wardboard.scoring.benchmark import Metric
from wardboard.scoring.reading.messages import Phrase

register = template.Library()
register.filter(in_words)
register.filter("listed", join_names)
register.filter(describe_removal)
register.filter(judge_name)


# The first number of a text, thousands with commas.
_NUMBER = re.compile(r"\d[\d,]*")


@register.filter
def translated(text: object) -> str:
    """Translate a text from elsewhere, such as the label of a metric.

    The question of a board contains its number of tasks, which is {count} in the catalogue.
    """
    if isinstance(text, Phrase):
        return in_words(text)
    # The catalogue has its own head under the empty text.
    if not text or (local := gettext(str(text))) != text:
        return local if text else ""
    number = _NUMBER.search(local)
    if number is None:
        return local
    general = f"{local[: number.start()]}{{count}}{local[number.end() :]}"
    return gettext(general).replace("{count}", number[0])


@register.filter
def all_inner(metrics: Iterable[Metric]) -> list[str]:
    """Return the names of metrics as within a sentence, each with its abbreviation."""
    return [inner(with_short(metric)) for metric in metrics]


@register.filter
def with_short(metric: Metric) -> str:
    """Return the name of a metric with its abbreviation, if it has one: Precision (P)."""
    label, short = translated(metric.label), translated(metric.short)
    return label if short == label else gettext("%(name)s (%(short)s)") % {"name": label, "short": short}


@register.filter
def day(value: date | None) -> str:
    """Format a date: 21 Nov 2026, 2026 年 11 月 21 日; None as "". A time is on its day in UTC."""
    if not value:
        return ""
    value = _in_utc(value)
    return _day(value.date() if isinstance(value, datetime) else value, translation.get_language())


@lru_cache(maxsize=4096)
def _day(value: date, language: str | None) -> str:
    # Keep it by language, which `date_format` goes by: a page has fifty dates, and each takes a while.
    return date_format(value, "DATE_FORMAT")


@register.filter
def moment(value: datetime | None) -> str:
    """Format a time: 21 Nov 2026, 14:05:09 UTC; None as ""."""
    return f"{date_format(_in_utc(value), 'DATETIME_FORMAT')} UTC" if value else ""


def _in_utc(value: date) -> date:
    return timezone.localtime(value) if isinstance(value, datetime) and timezone.is_aware(value) else value


@register.simple_tag(takes_context=True)
def page_in_languages(context: Context) -> list[dict[str, object]]:
    """Return the page in each language: code, name in that language, path, address, is_current.

    Empty where no request is known, as on the page for a server error, and for what is in English alone:
    the reference of the API and the desk.
    """
    request = context.get("request")
    if request is None or request.path_info.startswith(IN_ENGLISH):
        return []
    return [
        {
            "code": as_tag(code),
            "name": name,
            "path": (path := path_in(code, request)),
            "address": _absolute_url(request, path),
            "is_current": code == translation.get_language(),
        }
        for code, name in settings.LANGUAGES
    ]


def _absolute_url(request: HttpRequest, path: str) -> str:
    try:
        return request.build_absolute_uri(path)
    except DisallowedHost:
        # Only the error page for an invalid host gets here.
        return ""


@register.simple_tag
def language_tag() -> str:
    """Return the language of the page as a value of `lang`."""
    return as_tag(translation.get_language() or settings.LANGUAGE_CODE)
