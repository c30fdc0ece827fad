"""2026-11-24 13:51 UTC: nobody has to know whose month comes first, or whose clock it is."""

DATE_FORMAT = SHORT_DATE_FORMAT = "Y-m-d"
DATETIME_FORMAT = SHORT_DATETIME_FORMAT = "Y-m-d H:i T"
