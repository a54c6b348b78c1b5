"""Everything that a person sees."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class ReviewsConfig(AppConfig):
    """Reviews and pages."""

    name = "reviews"
    verbose_name = "Reviews"

    def ready(self) -> None:
        """Connect the receivers that open and close reviews, and guard what was decided."""
        from reviews import receivers  # noqa: F401
        from reviews.record import guards

        # After every migration, not in one: SQLite makes a table anew to change it, and loses its triggers.
        post_migrate.connect(guards.put_up, sender=self)
