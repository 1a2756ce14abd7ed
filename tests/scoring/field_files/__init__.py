"""Files in the formats of the field, read as their specifications say."""
