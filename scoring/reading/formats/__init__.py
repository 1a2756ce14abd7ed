"""Read the logs that harnesses write: one module a format, all listed in `table`."""
