"""People, reviews and decisions."""

from reviews.models.people import Membership, Role
from reviews.models.review import Decision, Draft, Review

__all__ = ["Decision", "Draft", "Membership", "Review", "Role"]
