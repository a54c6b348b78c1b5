from django.db import migrations

from reviews.record.adopting import adopt


class Migration(migrations.Migration):

    dependencies = [
        ('reviews', '0010_record'),
    ]

    operations = [
        migrations.RunPython(lambda apps, schema_editor: adopt(apps), migrations.RunPython.noop, elidable=True),
    ]
