"""Uploaded files: kept, read, reported on."""
