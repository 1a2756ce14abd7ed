"""Write the demonstration of MedAgentBench: `python -m tools.demo.medagentbench.build`."""
