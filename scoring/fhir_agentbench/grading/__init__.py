"""Score FHIR-AgentBench records: retrieval figures, verdicts, totals."""
