"""The commands of `wardboard`."""
