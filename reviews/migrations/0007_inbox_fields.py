"""What the inbox orders and batches by stands on the review itself."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Case, Value, When


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0009_embed_again"),
        ("reviews", "0006_sealed_secrets"),
    ]

    operations = [
        migrations.AddField("review", "study", models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="agents.study")),
        migrations.AddField("review", "tool", models.CharField(blank=True, default="", max_length=120), preserve_default=False),
        migrations.AddField("review", "policy", models.CharField(blank=True, default="", max_length=200), preserve_default=False),
        migrations.AddField("review", "severity", models.GeneratedField(
            db_persist=True,
            expression=Case(When(risk="high", then=Value(2)), When(risk="medium", then=Value(1)), default=Value(0)),
            output_field=models.PositiveSmallIntegerField(),
        )),
    ]
