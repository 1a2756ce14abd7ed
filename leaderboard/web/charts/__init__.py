"""Pages of charts."""
