"""Rows with the id of a task and an answer, in JSON or in a table."""
