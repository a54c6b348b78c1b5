"""People, reviews, decisions and what people are told."""

from reviews.models.advice import ReaderAdvice
from reviews.models.bench import BenchDraft, BenchFile, BenchTask
from reviews.models.comment import Comment
from reviews.models.notice import Delivery, Notice, Preference
from reviews.models.people import Absence, Membership, Role
from reviews.models.record import RecordEntry, RecordHead
from reviews.models.review import Decision, Draft, Handover, Opinion, Review
from reviews.models.shortcuts import Shortcuts
from reviews.models.signature import Signature, SigningTry

__all__ = [
    "Absence",
    "BenchDraft",
    "BenchFile",
    "BenchTask",
    "Comment",
    "Decision",
    "Delivery",
    "Draft",
    "Handover",
    "Membership",
    "Notice",
    "Opinion",
    "Preference",
    "ReaderAdvice",
    "RecordEntry",
    "RecordHead",
    "Review",
    "Role",
    "Shortcuts",
    "Signature",
    "SigningTry",
]
