"""Answers of our own, made by code: many forms, right and wrong ones, with the truth known."""
