"""Reading a MedAgentBench submission."""
