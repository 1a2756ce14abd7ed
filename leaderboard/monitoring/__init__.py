"""What operators see of a running service: logs, metrics, traces and reports of errors."""
