"""As in all languages."""

from config.formats import iso

DATE_FORMAT = SHORT_DATE_FORMAT = iso.DAY
DATETIME_FORMAT = SHORT_DATETIME_FORMAT = iso.MOMENT
