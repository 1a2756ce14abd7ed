"""Recorded calls of tools, as the history of messages that the official graders read."""
