"""Measure the rules of FHIR-AgentBench's judge on answers made by code."""
