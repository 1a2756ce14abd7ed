"""Read a MedAgentBench submission."""
