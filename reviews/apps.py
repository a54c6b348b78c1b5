"""Everything that a person sees."""

from django.apps import AppConfig


class ReviewsConfig(AppConfig):
    """Reviews and pages."""

    name = "reviews"
    verbose_name = "Reviews"

    def ready(self) -> None:
        """Connect the receivers that open and close reviews."""
        from reviews import receivers  # noqa: F401
