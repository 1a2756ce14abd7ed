"""Logs of the interfaces of Anthropic."""
