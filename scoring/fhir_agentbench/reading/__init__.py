"""Read FHIR-AgentBench submissions."""
