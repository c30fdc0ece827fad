"""A full disk as the database meets it: its own exceptions, in the middle of a request."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection

_REFUSE = """
create or replace function no_space_left() returns trigger language plpgsql as $$
begin
  raise exception 'could not extend file: No space left on device' using errcode = 'disk_full';
end $$
"""


@contextmanager
def full_disk(*tables: str) -> Iterator[None]:
    """Nothing grows any more; in PostgreSQL, which cannot be given so small a disk, these tables.

    In SQLite the pages of each table have room for a few short rows yet.
    """
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA max_page_count")
            [before] = cursor.fetchone()
            cursor.execute("create table filler (bytes blob)")
            # It cannot be set below what the file has: that is as many as it has.
            cursor.execute("PRAGMA max_page_count = 1")
            size = 2**20
            while size > 32:
                try:
                    cursor.execute("insert into filler values (zeroblob(%s))", [size])
                except OperationalError:
                    size //= 2
        else:
            cursor.execute(_REFUSE)
            for table in tables:
                cursor.execute(
                    f"create trigger full_disk before insert on {table}"
                    " for each row execute function no_space_left()"
                )
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.execute(f"PRAGMA max_page_count = {before}")
                cursor.execute("drop table filler")
            else:
                for table in tables:
                    cursor.execute(f"drop trigger full_disk on {table}")
                cursor.execute("drop function no_space_left")
