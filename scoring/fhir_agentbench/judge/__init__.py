"""Judges of answers in words: rules, an LLM, or the rules first and the LLM for what they leave."""
