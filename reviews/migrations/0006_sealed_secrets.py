from django.db import migrations, models

from reviews.models.sealed import SealedField, seal, unseal

FIELDS = ("webhook_secret", "apprise_url")


def rewrite(apps, change):
    """Put what ``change`` makes of it in the place of each secret."""
    preferences = apps.get_model("reviews", "Preference").objects
    for row in preferences.values("pk", *FIELDS):
        preferences.filter(pk=row["pk"]).update(**{name: change(row[name]) for name in FIELDS})


def seal_all(apps, schema_editor):
    rewrite(apps, seal)


def unseal_all(apps, schema_editor):
    rewrite(apps, unseal)


def fields_as(make):
    return [
        migrations.AlterField(model_name="preference", name=name, field=make(blank=True)) for name in FIELDS
    ]


class Migration(migrations.Migration):

    dependencies = [
        ('reviews', '0005_first_reader'),
    ]

    operations = [
        *fields_as(models.TextField),
        migrations.RunPython(seal_all, unseal_all),
        *fields_as(SealedField),
    ]
