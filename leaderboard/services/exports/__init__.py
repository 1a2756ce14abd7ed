"""Leaderboards as files: CSV, JSON, tables, citations, feeds."""
