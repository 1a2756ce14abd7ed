"""Traces of agents by the GenAI conventions of OpenTelemetry."""
