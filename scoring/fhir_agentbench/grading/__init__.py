"""Scoring FHIR-AgentBench records: retrieval figures, verdicts, totals."""
