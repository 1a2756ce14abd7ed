"""Declare the filters of rows, print the conditions of their runs, and read rows for files."""
