"""Receipts of results and the log of events, which anybody can verify: pure functions."""
