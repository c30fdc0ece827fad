"""A study is shared with editors, as until now, or with readers."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def copy_shares(apps, schema_editor):
    study_model = apps.get_model("annotation", "Study")
    share_model = apps.get_model("annotation", "StudyShare")
    rows = study_model.shared_with.through.objects.order_by("pk")
    share_model.objects.bulk_create(
        share_model(study_id=row.study_id, user_id=row.user_id, role="editor") for row in rows
    )


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("annotation", "0032_links_by_email"),
    ]

    operations = [
        migrations.CreateModel(
            name="StudyShare",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[("editor", "editor"), ("reader", "reader")],
                        default="editor",
                        max_length=10,
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="shares",
                        to="annotation.study",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("study", "user"), name="study_share_once"),
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ("editor", "reader"))),
                        name="study_share_role",
                    ),
                ],
            },
        ),
        migrations.RunPython(copy_shares, migrations.RunPython.noop),
        migrations.RemoveField(model_name="study", name="shared_with"),
        migrations.AddField(
            model_name="study",
            name="shared_with",
            field=models.ManyToManyField(
                blank=True,
                related_name="shared_studies",
                through="annotation.StudyShare",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
    ]
