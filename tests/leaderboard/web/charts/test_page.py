"""The pages of views, their files and charts."""

import csv
import html
import re
from datetime import timedelta
from unittest.mock import Mock
from xml.etree import ElementTree

import pytest

from leaderboard.models import Board
from leaderboard.services.publishing.import_references import load_reported
from leaderboard.services.turns import TooBusy
from tests.support.databases import shared_rows
from tests.support.factories import make_bare
from tests.support.pages.visible_text import text_of
from tests.support.rows import SINCE, put_row

VIEWS = "/benchmarks/fhir-agentbench/views/"
PRECISION_AND_RECALL = {"precision": 0.4, "recall": 0.9}


@shared_rows
def board() -> Board:
    """Make the board with the reported rows of FHIR-AgentBench and no references."""
    made = make_bare("fhir-agentbench", title="FHIR")
    load_reported(board=made)
    return made


POINT_VIEWS = ("progress", "forest", "precision-recall")


def test_views_take_few_queries(visitor, board, django_assert_max_num_queries):
    breakdowns = {"resource_type": {"patient": [1, 2]}}
    for n in range(60):
        facts = {"judge": "official: o4-mini", "metrics": PRECISION_AND_RECALL, "breakdowns": breakdowns}
        put_row(board, f"S{n}", n / 100, **facts)
    for name in (*POINT_VIEWS, "by-resource-type"):
        # What is computed from the whole board is cached.
        visitor.get(f"{VIEWS}{name}/")
        with django_assert_max_num_queries(10):
            visitor.get(f"{VIEWS}{name}/?v=another")


def test_one_chart_request_too_many_gets_retry_after_and_one_for_the_current_picture_304(
    visitor, board, monkeypatch
):
    address = f"{VIEWS}forest/chart.svg?scheme=dark"
    current = visitor.get(address)
    assert current["Cache-Control"] == "no-cache"
    monkeypatch.setattr("leaderboard.web.charts.page.picture_of", Mock(side_effect=TooBusy))
    busy = visitor.get(address)
    assert (busy.status_code, busy["Retry-After"], busy["Cache-Control"]) == (503, "5", "no-store")
    again = visitor.get(address, headers={"If-None-Match": current["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("name", ["by-resource-type", *POINT_VIEWS])
def test_a_chart_can_be_downloaded_with_its_finding_source_date_and_address(visitor, board, name):
    tab = f'href="{VIEWS}progress/"'
    assert (tab in visitor.get("/benchmarks/fhir-agentbench/").content.decode()) is False
    few = text_of(visitor.get(f"{VIEWS}progress/"))
    assert "There are fewer than five best scores, too few for a chart." in few
    facts = {"judge": "official: o4-mini", "metrics": PRECISION_AND_RECALL}
    for n, system in enumerate(("One", "Two", "Three", "Four", "Later")):
        put_row(board, system, 0.89 + n / 100, since=SINCE + timedelta(n), **facts)
    assert tab in visitor.get("/benchmarks/fhir-agentbench/").content.decode()
    content = visitor.get(f"{VIEWS}{name}/").content.decode()
    assert re.search(r'<picture>.*<img[^>]+ width="1136"\s+height="\d+"', content, re.DOTALL)
    # A picture has no font of its page.
    assert "@font-face" in visitor.get(f"{VIEWS}{name}/chart.svg").content.decode()
    assert '<caption id="caption">' in content
    assert content.count('scope="col"') >= 5
    assert 'scope="row"' in content
    lines = visitor.get(f"{VIEWS}{name}.csv").getvalue().decode("utf-8-sig").splitlines()
    assert "Later" in [record["system"] for record in csv.DictReader(lines)] or name == "by-resource-type"
    for form, kind in (("svg", "image/svg+xml"), ("png", "image/png")):
        assert f'href="{VIEWS}{name}.{form}"' in content
        response = visitor.get(f"{VIEWS}{name}.{form}")
        assert response["Content-Type"] == kind
        assert response["Content-Disposition"] == f'attachment; filename="fhir-agentbench-{name}.{form}"'
    svg = visitor.get(f"{VIEWS}{name}.svg").content.decode()
    texts = [
        "".join(text.itertext()) for text in ElementTree.fromstring(svg).iter() if text.tag.endswith("}text")
    ]
    for finding in re.findall(r'<h2 class="finding" id="finding">([^<]+)</h2>', content):
        assert html.unescape(finding).split("(")[0] in " ".join(texts)
    assert "Source: Wardboard, FHIR, as of" in " ".join(texts)
    assert f"http://testserver{VIEWS}{name}/" in " ".join(texts)
    # A paper has a caption of its own.
    assert "Source:" not in visitor.get(f"{VIEWS}{name}.svg?width=narrow").content.decode()
