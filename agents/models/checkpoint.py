"""LangGraph's saved state in three tables. Opaque to people; read and written by ``agents.store.saver`` only.

No foreign keys: the graph may store a task's writes before the checkpoint that they belong to.
"""

from django.db import models


class Checkpoint(models.Model):
    """One checkpoint without its channel values, so that a row stays small however long a run gets.

    ``id`` is the order of arrival: the newest row is the latest state even when the clock of the machine,
    which the checkpoint's own id is made from, was set back.
    """

    thread_id = models.TextField()
    ns = models.TextField(blank=True)
    checkpoint_id = models.TextField()
    parent_id = models.TextField(blank=True)
    body = models.JSONField()
    """The checkpoint as LangGraph gave it, less ``channel_values``."""
    filled = models.JSONField(default=list)
    """Names of the channels that have a value: each has a ``CheckpointBlob`` of its version."""
    metadata = models.JSONField(default=dict)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["thread_id", "ns", "checkpoint_id"], name="checkpoint_once_per_thread"
            ),
        ]
        indexes = [models.Index(fields=["thread_id", "ns", "id"])]

    def __str__(self) -> str:
        return f"{self.thread_id}/{self.ns} {self.checkpoint_id}"


class CheckpointBlob(models.Model):
    """The value of a channel at a version: stored once, shared by every checkpoint that has this version."""

    thread_id = models.TextField()
    ns = models.TextField(blank=True)
    channel = models.TextField()
    version = models.TextField()
    type = models.CharField(max_length=20)
    data = models.BinaryField()

    class Meta:
        ordering = ["id"]
        constraints = [
            # Version first: all channels of a step share one, so a checkpoint's values are few look-ups.
            models.UniqueConstraint(
                fields=["thread_id", "ns", "version", "channel"], name="checkpoint_blob_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.thread_id}/{self.ns} {self.channel}@{self.version}"


class CheckpointWrite(models.Model):
    """What a task wrote after a checkpoint and before the next one."""

    thread_id = models.TextField()
    ns = models.TextField(blank=True)
    checkpoint_id = models.TextField()
    task_id = models.TextField()
    idx = models.IntegerField()
    channel = models.TextField()
    task_path = models.TextField(blank=True)
    type = models.CharField(max_length=20)
    data = models.BinaryField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["thread_id", "ns", "checkpoint_id", "task_id", "idx"], name="checkpoint_write_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.thread_id}/{self.ns} {self.checkpoint_id} {self.task_id}#{self.idx}"
