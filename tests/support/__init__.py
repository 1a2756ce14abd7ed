"""Helpers for tests: data, servers, processes."""
