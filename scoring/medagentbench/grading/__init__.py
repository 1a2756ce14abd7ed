"""Grade MedAgentBench tasks as the official graders do."""
