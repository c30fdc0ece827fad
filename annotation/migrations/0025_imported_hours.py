from django.db import migrations, models
from django.db.models import Sum

MS_PER_HOUR = 3_600_000


def add_up(apps, schema_editor):
    """What was imported before is added up now."""
    judgments = apps.get_model("annotation", "Judgment").objects
    found = apps.get_model("annotation", "ImportedTotals").objects.filter(n_timed_answers__gt=0)
    for totals in found.select_related("design"):
        total = judgments.filter(
            assignment__annotator__study=totals.design.study_id,
            assignment__annotator__source="imported",
            superseded_at=None,
            withdrawn_at=None,
        ).aggregate(total=Sum("active_ms"))["total"]
        if total is not None:
            totals.hours = int(total) / MS_PER_HOUR
            totals.save(update_fields=["hours"])


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0024_lexical_statistics"),
    ]

    operations = [
        migrations.AddField(
            model_name="importedtotals",
            name="hours",
            field=models.FloatField(null=True),
        ),
        migrations.RunPython(add_up, migrations.RunPython.noop),
    ]
