import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.utils import timezone


def _from_now_on(apps, schema_editor):
    """When earlier studies were closed is not known: their time is counted from now on."""
    now = timezone.now()
    studies = apps.get_model("annotation", "Study").objects
    studies.filter(state="closed").update(closed_at=now)
    studies.filter(state="finished").update(finished_at=now)


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0013_releases"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="study",
            name="closed_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="study",
            name="finished_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="study",
            name="retention_days",
            field=models.PositiveIntegerField(
                editable=False,
                null=True,
                validators=[django.core.validators.MinValueValidator(1)],
            ),
        ),
        migrations.AddField(
            model_name="study",
            name="erased_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.CreateModel(
            name="Erasure",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("began_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                ("n_people", models.PositiveIntegerField(default=0)),
                ("n_visits", models.PositiveIntegerField(default=0)),
                ("n_messages", models.PositiveIntegerField(default=0)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="erasures",
                        to="annotation.study",
                    ),
                ),
            ],
            options={
                "ordering": ["-began_at", "-pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at", None)),
                        fields=("study",),
                        name="erasure_one_at_a_time",
                    )
                ],
            },
        ),
        migrations.RunPython(_from_now_on, migrations.RunPython.noop),
    ]
