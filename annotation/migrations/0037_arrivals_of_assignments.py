"""An arrival is of an assignment, since one person may take places from several networks."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0036_figures_keep_their_messages")]

    operations = [
        migrations.DeleteModel(name="Arrival"),
        migrations.CreateModel(
            name="Arrival",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("network", models.CharField(blank=True, max_length=32)),
                ("group", models.CharField(blank=True, max_length=32)),
                ("at", models.DateTimeField()),
                ("taken_at", models.DateTimeField()),
                ("has_code", models.BooleanField(default=False)),
                ("announcement", models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="arrivals", to="annotation.announcement")),
                ("assignment", models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name="arrival", to="annotation.assignment")),
            ],
            options={
                "indexes": [
                    models.Index(fields=["network", "at"], name="arrival_network"),
                    models.Index(fields=["group", "taken_at"], name="arrival_group"),
                ],
            },
        ),
    ]
