"""The deterministic judge, which decides by rules."""
