"""Files that are sent or checked, and the submissions that come of them."""
