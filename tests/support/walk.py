"""Every address of the service, with the values of one leaderboard and one of its results."""

import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any
from xml.etree import ElementTree

import vl_convert
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from leaderboard.models import Board, EmailKind, Submission
from leaderboard.services.charts.views import available_views
from leaderboard.services.notifications.choices import make_token
from tests.support import factories
from wardboard.scoring import registry

# Name of a URL -> the values of its parts, where those of the board do not fit.
_OTHERS: Mapping[str, Mapping[str, Sequence[object]]] = {
    "web:docs-page": {"slug": ["submitters"]},
    "web:model": {"name": ["model-a"]},
    "web:docs-file": {"slug": ["operators"], "name": ["nginx.conf"]},
    "web:organise-act": {"action": ["review"]},
    "web:organise-decide": {"decision": ["approve"]},
}

_MASKED = {
    "id": r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|evaluation-\d+|wb_\w{12}",
    "digest, key or signature": r"this kind: \S+|(?<![\w+/-])[\w+/-]{32,}={0,2}(\.[\w-]{20,})?",
    # As the file compresses.
    "size": r"[\d.]+.KB\b|'kept_bytes': \d+|(?<=readonly\">)\d{4,}|(?<=\"unit\":\"bytes\")[^}]*",
    "moment": r"datetime\([^)]*\)",
    "time": r"\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-][\d:]+)?|\d+:\d\d(:\d\d)?( [ap]\.m\.)?|:1\w{5}:",
}

# Paths that accept only POST, without their namespace.
POSTED = {
    "approval", "cancel", "publish", "request-approval", "revoke", "validations", "withdraw",
    "raw-submissions", "raw-validations",
    "discard-draft", "organise-act", "organise-decide", "organise-discard", "organise-end-announcement",
    "create-review-link", "revoke-review-link",
    "lodge-statement", "statement",
    "ci-token", "device-codes", "device-token", "remove-publisher",
}  # fmt: skip


def addresses(
    patterns: Sequence[URLPattern | URLResolver], namespace: str = "", outer: Sequence[str] = ()
) -> Iterator[tuple[str, list[str]]]:
    """Yield name and keys of every URL, except for those of the admin and of accounts.

    outer: the keys in the part of the URL that all patterns share
    """
    for pattern in patterns:
        keys = [*outer, *pattern.pattern.converters]
        if isinstance(pattern, URLPattern):
            yield f"{namespace}:{pattern.name}" if namespace else str(pattern.name), keys
        elif pattern.namespace != "admin" and not _is_of_accounts(pattern):
            yield from addresses(pattern.url_patterns, pattern.namespace or namespace, keys)


def _is_of_accounts(resolver: URLResolver) -> bool:
    return getattr(resolver.urlconf_name, "__name__", "").startswith(("allauth", "leaderboard.web.accounts."))


def paths(board: Board, published: list[Submission], token_key: str) -> Iterator[tuple[str, str]]:
    """Yield the name and a path of every URL, for the board and its first system."""
    values: Mapping[str, Sequence[object]] = {
        "slug": [board.slug],
        "pk": [published[0].system_id],
        "submission_id": [published[0].pk],
        "task_id": ["task3_1"],
        "name": [view.name for view in available_views(board)],
        "family": [board.benchmark],
        "code": ["not-found"],
        "token_key": [token_key],
        "handle": ["ward-lab"],
        "extension": ["csv", "json"],
        "number": [1],
        "provider_id": ["lab"],
        "publisher_id": [published[0].pk],
        "draft_id": [published[0].pk],
    }
    # Name of a URL -> what is signed or stored for a link to it.
    tokens = {
        "web:emails-off": make_token(published[0].submitted_by, EmailKind.SUBMISSION),
        "web:review": factories.make_review_link(published[0]),
        "web:join-team": factories.make_invitation_link(published[0].submitted_by),
    }
    for name, keys in addresses(get_resolver().url_patterns):
        # No process is ready here, as none runs; see tests/leaderboard/services/health. Metrics need a token;
        # see tests/leaderboard/monitoring.
        if name in ("api:nothing", "readyz", "metrics"):
            continue
        # A KeyError here means a new part of a URL: add its values above.
        known = {**values, "token": [tokens.get(name)], **_OTHERS.get(name, {})}
        if name == "api:schema":
            known["name"] = list(registry.get(board.benchmark).schemas())[:1]
        for chosen in product(*(known[key] for key in keys)):
            yield name, reverse(name, kwargs=dict(zip(keys, chosen, strict=True)))


def draw_as_svg(monkeypatch: Any) -> None:
    """Let a PNG be the SVG that it is drawn from: pixels would hide its texts from a walk, and take long."""

    def draw(svg: str, **_: Any) -> bytes:
        # What is no XML cannot be drawn either.
        ElementTree.fromstring(svg)
        return svg.encode()

    monkeypatch.setattr(vl_convert, "svg_to_png", draw)


def queries(name: str, path: str, published: list[Submission]) -> list[str]:
    both = "&".join(f"system={submission.system_id}" for submission in published)
    # A picture takes long to draw; the page, the CSV and the JSON say the same at other queries.
    if path.endswith((".png", ".svg")):
        return [""]
    if name == "api:tasks":
        return ["", "?outcome=wrong", "?group=task3"]
    if name == "web:tasks":
        return ["?outcome=all", "", "?outcome=right", "?group=task3&failure=wrong+answer"]
    if name.endswith(":compare"):
        return [f"?{both}", f"?{both}&as_of=2", "?system=0"]
    return ["", "?as_of=2", "?as_of=2026-01-01", "?sort=exact&q=Agent&source=rescored"]


def without_page(statuses: Mapping[str, set[int]]) -> set[str]:
    """Return the names of URLs, of those in `statuses`, that accept GET and gave nobody a page.

    And of those that accept only POST, and gave one all the same. In another language than English a page of
    the desk leads to the English one, whatever it accepts.
    statuses: name -> the status codes of that URL, for all who asked
    """
    # The callback of a provider has a page for those alone whom the provider sends.
    empty = {name for name, codes in statuses.items() if min(codes) >= 400 and not name.endswith("_callback")}
    posted = {name for name in statuses if name.partition(":")[2] in POSTED}
    assert posted
    return (empty - posted) | {name for name in posted if 200 in statuses[name]}


def mask(answers: Mapping[str, str]) -> dict[str, str]:
    """Return answers without what differs between two files, or two moments, whatever they are."""
    for kind, pattern in _MASKED.items():
        answers = {name: re.sub(pattern, f"({kind})", text) for name, text in answers.items()}
    return dict(answers)


def text_of(response: Any) -> str:
    """Return the text of a response, which can be read once; of an archive, names and texts of its files."""
    content = response.getvalue()
    if response.headers.get("Content-Type") != "application/zip":
        return str(content.decode(errors="replace"))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return "\n".join(f"{name}\n{archive.read(name).decode()}" for name in archive.namelist())
