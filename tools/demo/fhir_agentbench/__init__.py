"""Write the demonstration of FHIR-AgentBench: `python -m tools.demo.fhir_agentbench.build`."""
