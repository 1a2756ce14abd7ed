"""Follow every link of every page, as a visitor and as a submitter who organises, in both languages."""

from collections import Counter, deque
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest
from django.test import Client

from leaderboard.models import BoardOrganiser
from leaderboard.services.statistics.compute import compute_statistics
from tests.support.factories import make_fhir_demo, publish_each, send, with_wrong

_SITE = "http://testserver"
# Charts as pictures take long to draw and have tests of their own.
_DRAWN = "/views/", (".png", ".svg")
# Of pages that differ only in their query, such as orders and filters of a table, the first.
_QUERIES = 1
# Allauth's, which sign out or in with another provider, and Django's admin, which has its own tests.
_OTHERS = ("/admin/", "/accounts/logout/", "/zh-hant/accounts/logout/", "/static/")


class _Page(HTMLParser):
    """The addresses that a page names, and its ids."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.ids: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.ids.add(attributes.get("id", ""))
        if tag in ("a", "link", "img", "script"):
            self.addresses += [attributes[name] for name in ("href", "src") if name in attributes]
        elif tag == "source":
            self.addresses.append(attributes["srcset"].split()[0])
        elif tag == "form" and attributes.get("method", "get").lower() == "get":
            self.addresses.append(attributes.get("action", ""))


def _follow(client: Client, start: str) -> Iterator[str]:
    """Yield a line for each link that leads nowhere, and at the end the number of pages read."""
    seen: set[str] = set()
    by_path: Counter[str] = Counter()
    ids: dict[str, set[str]] = {}
    fragments: list[tuple[str, str, str]] = []
    waiting = deque([(start, "the start")])
    while waiting:
        address, origin = waiting.popleft()
        if address in seen:
            continue
        seen.add(address)
        path = urlsplit(address).path
        if _DRAWN[0] in path and path.endswith(_DRAWN[1]):
            continue
        by_path[path] += 1
        if by_path[path] > _QUERIES:
            continue
        response = client.get(address.removeprefix(_SITE))
        if response.status_code >= 400:
            yield f"{origin} links to {address}: {response.status_code}"
            continue
        if response.status_code in (301, 302):
            waiting.append((urljoin(address, response["Location"]), address))
            continue
        if not response.headers.get("Content-Type", "").startswith("text/html"):
            response.getvalue()
            continue
        page = _Page(response.getvalue().decode())
        ids[address] = page.ids
        for linked in page.addresses:
            target, fragment = urldefrag(urljoin(address, linked))
            if not target.startswith(f"{_SITE}/") or urlsplit(target).path.startswith(_OTHERS):
                continue
            if fragment:
                fragments.append((address, target, unquote(fragment)))
            waiting.append((target, address))
    for origin, target, fragment in fragments:
        if target in ids and fragment not in ids[target]:
            yield f"{origin} links to {target}#{fragment}, and no element has this id"
    yield str(len(ids))


@pytest.fixture
def clients(demo, user, good_file, django_capture_on_commit_callbacks) -> dict[str, Client]:
    """Return a client for each role, on leaderboards with published, rejected and unpublished results."""
    other = make_fhir_demo()
    with django_capture_on_commit_callbacks(execute=True):
        publish_each(user, demo, A=0, B=1, C=2)
        send(user, demo, with_wrong(good_file, 5))
        send(user, demo, b'{"results": [{"task_id": "task1_1"}]}')
    compute_statistics(board_id=demo.pk)
    for board in (demo, other):
        BoardOrganiser.objects.create(user=user, board=board)
    clients = {"visitor": Client(), "submitter and organiser": Client()}
    clients["submitter and organiser"].force_login(user)
    return clients


@pytest.mark.parametrize("role", ["visitor", "submitter and organiser"])
def test_every_link_leads_to_a_page_and_every_anchor_to_an_element(clients, role):
    *faults, pages = _follow(clients[role], f"{_SITE}/")
    assert faults == []
    assert int(pages) > 100
