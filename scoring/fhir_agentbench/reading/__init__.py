"""Reading a FHIR-AgentBench submission."""
