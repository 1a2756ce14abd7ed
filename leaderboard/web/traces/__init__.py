"""Pages of traces: what agents did at each task."""
