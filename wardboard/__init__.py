"""Check, grade and submit results of clinical AI agents, from Python and from the command line."""

__version__ = "0.1.0"
