"""An index for each order of the inbox, and one for reviews that are alike."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0008_fill_inbox_fields")]

    operations = [
        migrations.AlterField("review", "study", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="agents.study")),
        migrations.RemoveIndex(
            model_name='review',
            name='reviews_rev_status_06268c_idx',
        ),
        migrations.AddIndex(
            model_name='review',
            index=models.Index(fields=['status', 'opened_at', 'gate'], name='review_oldest'),
        ),
        migrations.AddIndex(
            model_name='review',
            index=models.Index(fields=['status', '-severity', 'opened_at', 'gate'], name='review_riskiest'),
        ),
        migrations.AddIndex(
            model_name='review',
            index=models.Index(fields=['status', '-cost', 'opened_at', 'gate'], name='review_costliest'),
        ),
        migrations.AddIndex(
            model_name='review',
            index=models.Index(fields=['-opened_at', 'gate'], name='review_newest'),
        ),
        migrations.AddIndex(
            model_name='review',
            index=models.Index(fields=['status', 'tool', 'policy', 'study'], name='review_alike'),
        ),
    ]
