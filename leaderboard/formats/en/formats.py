"""Dates as pages in English write them. All times are UTC."""

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = "j M Y, H:i:s"
SHORT_DATETIME_FORMAT = "j M, H:i"
TIME_FORMAT = "H:i"
