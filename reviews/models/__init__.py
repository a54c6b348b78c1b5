"""People, reviews and decisions."""

from reviews.models.bench import BenchDraft, BenchFile, BenchTask
from reviews.models.people import Membership, Role
from reviews.models.review import Decision, Draft, Review

__all__ = ["BenchDraft", "BenchFile", "BenchTask", "Decision", "Draft", "Membership", "Review", "Role"]
