"""Every address of the service, with the values of one leaderboard and one of its results."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from django.urls import URLPattern, URLResolver, get_resolver, reverse

from leaderboard.models import Benchmark, EmailKind, Submission
from leaderboard.services.charts.views import available_views
from leaderboard.services.notifications.choices import make_token
from tests.support import factories

# Name of a URL -> the values of its parts, where those of the board do not fit.
_OTHERS: Mapping[str, Mapping[str, Sequence[object]]] = {
    "api:schema": {"name": ["answers-1.0"]},
    "web:docs-page": {"slug": ["submitters"]},
    "web:docs-file": {"slug": ["operators"], "name": ["nginx.conf"]},
    "web:organise-act": {"action": ["review"]},
    "web:organise-decide": {"decision": ["approve"]},
}


def addresses(
    patterns: Sequence[URLPattern | URLResolver], namespace: str = ""
) -> Iterator[tuple[str, URLPattern]]:
    """Yield namespace and pattern of every URL, except for those of the admin and of accounts."""
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            yield namespace, pattern
        elif pattern.namespace != "admin" and not _is_of_allauth(pattern):
            yield from addresses(pattern.url_patterns, pattern.namespace or namespace)


def _is_of_allauth(resolver: URLResolver) -> bool:
    return getattr(resolver.urlconf_name, "__name__", "").startswith("allauth")


def paths(board: Benchmark, published: list[Submission], token_key: str) -> Iterator[tuple[str, str]]:
    """Yield the name and a path of every URL, for the board and its first system."""
    values: Mapping[str, Sequence[object]] = {
        "slug": [board.slug],
        "pk": [published[0].system_id],
        "submission_id": [published[0].pk],
        "name": [view.name for view in available_views(board)],
        "family": [board.family],
        "code": ["not-found"],
        "token_key": [token_key],
        "extension": ["csv", "json"],
        "number": [1],
        "page": ["about/"],
    }
    # Name of a URL -> what is signed or stored for a link to it.
    tokens = {
        "web:emails-off": make_token(published[0].submitted_by, [EmailKind.SUBMISSION]),
        "web:review": factories.make_review_link(published[0]),
    }
    for namespace, pattern in addresses(get_resolver().url_patterns):
        name = f"{namespace}:{pattern.name}" if namespace else str(pattern.name)
        # No process is ready here, as none runs; see tests/leaderboard/services/health. Metrics need a token;
        # see tests/leaderboard/monitoring.
        if name in ("api:nothing", "readyz", "metrics"):
            continue
        # A KeyError here means a new part of a URL: add its values above.
        known = {**values, "token": [tokens.get(name)], **_OTHERS.get(name, {})}
        keys = list(pattern.pattern.converters)
        for chosen in product(*(known[key] for key in keys)):
            yield name, reverse(name, kwargs=dict(zip(keys, chosen, strict=True)))


def queries(name: str, path: str, published: list[Submission]) -> list[str]:
    # A picture takes long to draw; the page, the CSV and the JSON say the same at other queries.
    if path.endswith((".png", ".svg")):
        return [""]
    if name.endswith(":compare"):
        both = "&".join(f"system={submission.system_id}" for submission in published)
        return [f"?{both}", f"?{both}&as_of=2", "?system=0"]
    return ["", "?as_of=2", "?as_of=2026-01-01", "?sort=exact&q=Agent&columns=interval&source=rescored"]
