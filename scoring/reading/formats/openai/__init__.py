"""Logs of conversations by the interfaces of OpenAI, and by loops around them."""
