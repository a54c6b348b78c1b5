"""Fill what the reviews of before lack. By itself: PostgreSQL alters no table in the transaction that wrote to it."""

from django.db import migrations
from django.db.models import OuterRef, Subquery


def fill(apps, schema_editor):
    review, run = apps.get_model("reviews", "Review"), apps.get_model("agents", "Run")
    review.objects.update(study_id=Subquery(run.objects.filter(pk=OuterRef("run_id")).values("study_id")[:1]))
    changed = []
    for row in review.objects.select_related("gate").only("pk", "gate__request", "gate__judgement").iterator(500):
        content, judgement = row.gate.request.get("content", {}), row.gate.judgement or {}
        action = content.get("action") or (content.get("proposal") or {}).get("action") or {}
        row.tool = "" if action.get("tool") == "workflow" else action.get("tool", "")[:120]
        if judgement:
            rule = f", rule {judgement['rule']}" if judgement.get("rule") else ""
            row.policy = f"{judgement.get('policy', '')}{rule}"[:200]
        changed.append(row)
        if len(changed) == 500:
            review.objects.bulk_update(changed, ["tool", "policy"])
            changed = []
    review.objects.bulk_update(changed, ["tool", "policy"])


class Migration(migrations.Migration):
    dependencies = [("reviews", "0007_inbox_fields")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop, elidable=True)]
