"""Check and grade files on this machine, without a service."""
