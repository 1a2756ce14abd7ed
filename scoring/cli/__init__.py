"""The `wardboard` command."""
