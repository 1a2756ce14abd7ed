"""Answers that address the judge in place of answering."""
