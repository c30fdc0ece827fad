"""As in all languages."""

from config.formats.iso import DATE_FORMAT as DATE_FORMAT
from config.formats.iso import DATETIME_FORMAT as DATETIME_FORMAT
from config.formats.iso import SHORT_DATE_FORMAT as SHORT_DATE_FORMAT
from config.formats.iso import SHORT_DATETIME_FORMAT as SHORT_DATETIME_FORMAT
