"""Tokens that are kept as hashes. Those of before go on to read, as they did, and no more."""

import hashlib

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

_BEFORE = "authtoken_token"


def _carry_over(apps, schema_editor):
    connection = schema_editor.connection
    if _BEFORE not in connection.introspection.table_names():
        return
    token_class = apps.get_model("annotation", "ApiToken")
    with connection.cursor() as cursor:
        cursor.execute("SELECT key, user_id, created FROM authtoken_token")
        rows = cursor.fetchall()
    for key, user_id, created in rows:
        token_class.objects.create(
            user_id=user_id,
            name="API token",
            key_hash=hashlib.sha256(key.encode()).hexdigest(),
            begins=key[:4],
            can_write=False,
            created_at=_aware(created),
        )


def _aware(moment):
    """SQLite knows no moments: what is read past Django's own fields is a text, in UTC."""
    from datetime import datetime, timezone

    if isinstance(moment, str):
        moment = datetime.fromisoformat(moment)
    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)


def _forget(apps, schema_editor):
    # It holds the keys themselves.
    if _BEFORE in schema_editor.connection.introspection.table_names():
        schema_editor.execute("DROP TABLE authtoken_token")


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0015_live"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                ("key_hash", models.CharField(max_length=64, unique=True)),
                ("begins", models.CharField(max_length=8)),
                ("can_write", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField(null=True)),
                ("last_used_at", models.DateTimeField(null=True)),
                ("user", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="api_tokens", to=settings.AUTH_USER_MODEL)),
            ],
            options={"ordering": ["user", "-pk"]},
        ),
        migrations.RunPython(_carry_over, migrations.RunPython.noop),
        migrations.RunPython(_forget, migrations.RunPython.noop),
    ]
