"""Reading FHIR-AgentBench submissions."""
