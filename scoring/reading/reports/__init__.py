"""What reports on a file show of its remarks: fixes as lines of it, and groups by code."""
