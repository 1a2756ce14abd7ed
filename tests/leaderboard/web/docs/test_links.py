"""Pages lead to the documents where the question arises."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile


@pytest.fixture
def read(visitor, demo, fhir_demo):
    def _read(address: str) -> str:
        return visitor.get(address).content.decode()

    return _read


@pytest.mark.parametrize("prefix", ["", "/zh-hant"])
def test_about_and_the_leaderboard_lead_to_the_guide_the_statistics_and_the_judges(prefix, read):
    about = read(f"{prefix}/benchmarks/medagentbench-demo/about/")
    assert f'href="{prefix}/docs/medagentbench/"' in about
    assert f'href="{prefix}/docs/fhir-agentbench/"' not in about
    assert f'href="{prefix}/docs/statistics/"' in about
    assert f'href="{prefix}/docs/judging/"' in read(f"{prefix}/benchmarks/fhir-agentbench-demo/about/")
    assert "/board.eee.zip" in read(f"{prefix}/benchmarks/medagentbench-demo/")


def test_the_page_that_takes_a_file_leads_to_the_guides(read):
    page = read("/submit/")
    assert 'href="/docs/medagentbench/"' in page
    assert 'href="/docs/fhir-agentbench/"' in page
    assert 'href="/docs/fhir-agentbench/"' not in read("/benchmarks/medagentbench-demo/submit/")


def test_a_report_with_errors_leads_to_the_guide(visitor, demo):
    file = SimpleUploadedFile("results.json", b'{"version": "v2"}')
    page = visitor.post("/submit/", {"benchmark": demo.slug, "file": file}).content.decode()
    assert 'href="/docs/medagentbench/"' in page


def test_the_api_reference_leads_to_the_documents(visitor, db):
    assert 'href="/docs/ci/"' in visitor.get("/api/").content.decode()
