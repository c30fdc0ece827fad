"""2026-11-24 13:51 UTC: nobody has to know whose month comes first, or whose clock it is."""

DAY = "Y-m-d"
MOMENT = "Y-m-d H:i T"
