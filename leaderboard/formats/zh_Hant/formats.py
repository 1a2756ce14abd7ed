"""Dates and numbers as pages in Traditional Chinese write them. All times are UTC."""

DATE_FORMAT = "Y 年 n 月 j 日"
DATETIME_FORMAT = "Y 年 n 月 j 日 H:i:s"
SHORT_DATETIME_FORMAT = "n 月 j 日 H:i"
TIME_FORMAT = "H:i"

# Django groups by four and writes no separator; Taiwan writes 12,345.
DECIMAL_SEPARATOR = "."
THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3
