"""The chain over decisions: one entry for each row that must stay as it was written."""

from django.db import models

from agents.models import Run


class RecordEntry(models.Model):
    """Binds one stored row to all before it in its run: append-only, written in the row's own transaction.

    ``columns`` holds the digest of each column of the row, and of the gate that it answers, by name. ``mac`` is the
    keyed digest over the one before and everything here.
    """

    class Kind(models.TextChoices):
        DECISION = "decision"
        OPINION = "opinion"
        SIGNATURE = "signature"
        APPROVAL = "approval"
        REVOCATION = "revocation"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="record_entries", db_index=False)
    seq = models.PositiveIntegerField()
    kind = models.CharField(max_length=12, choices=Kind)
    subject = models.CharField(max_length=40)
    """The primary key of the row, as text."""
    gate = models.CharField(max_length=120, blank=True)
    round = models.PositiveIntegerField(null=True, blank=True)
    gate_digest = models.CharField(max_length=64, blank=True)
    policy = models.CharField(max_length=80, blank=True)
    """The policy by which people were asked."""
    user_pk = models.BigIntegerField(null=True, blank=True)
    """Whose row it is; stays when the account is deleted."""
    event_seq = models.PositiveBigIntegerField(default=0)
    """The state that it was decided in: the run's log as it stood, and its chain value."""
    event_chain = models.CharField(max_length=64, blank=True)
    columns = models.JSONField(default=dict)
    is_adopted = models.BooleanField(default=False)
    """True for a row that was there before the record was: vouched for from then on, not before."""
    at = models.DateTimeField()
    key_id = models.CharField(max_length=16)
    mac = models.CharField(max_length=64)

    class Meta:
        ordering = ["run", "seq"]
        verbose_name_plural = "record entries"
        constraints = [
            models.UniqueConstraint(fields=["run", "seq"], name="record_seq_once_per_run"),
            models.UniqueConstraint(fields=["kind", "subject"], name="record_row_once"),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} record {self.seq}: {self.kind}"


class RecordHead(models.Model):
    """How many entries the record of a run has, sealed with the key: a tail that was cut off does not fit it."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, primary_key=True, related_name="record_head")
    seq = models.PositiveIntegerField()
    mac = models.CharField(max_length=64)
    key_id = models.CharField(max_length=16)
    seal = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"{self.run_id}: {self.seq} entries"
