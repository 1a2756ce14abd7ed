"""Paths of the published benchmark data, which lie beside a developer's checkout."""

import pytest

from tests.support.paths import ROOT

_DATA = ROOT.parent / "shared" / "data"
MEDAGENTBENCH = _DATA / "medagentbench"
FHIR_AGENTBENCH = _DATA / "fhir_agentbench"
FIELD_FILES = _DATA / "field_files"
PUBLISHED_ROWS = _DATA / "published_rows"
PAPER_RESULTS = FHIR_AGENTBENCH / "paper_results.json"

needs_shared = pytest.mark.skipif(
    not _DATA.is_dir(), reason="../shared, which holds the benchmarks' published data, is not there"
)
