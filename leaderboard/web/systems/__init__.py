"""The page of a system."""
