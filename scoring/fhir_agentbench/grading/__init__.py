"""Scoring FHIR-AgentBench records: retrieval figures, verdicts and totals."""
