"""Collect the texts of the pages for translation: `make messages`."""
