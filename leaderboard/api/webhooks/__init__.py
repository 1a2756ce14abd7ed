"""Webhooks of a team, and their calls."""
