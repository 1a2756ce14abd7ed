"""Talk to the API of a service."""
