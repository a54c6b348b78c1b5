"""What the tools of the run drew."""

from django.utils.translation import gettext as _

from reviews.exports.blocks import Picture, Section
from reviews.exports.record import Drawn, Record


def pictures(record: Record) -> Section:
    """Return the latest pictures with what they show and the round they were drawn in."""
    return Section(_("Pictures"), [_block(drawn) for drawn in record.drawn])


def _block(drawn: Drawn) -> Picture:
    caption = drawn.picture.caption or _("A picture without words")
    if drawn.round is not None:
        caption = _("Round %(number)s: %(caption)s") % {"number": drawn.round, "caption": caption}
    return Picture(drawn.content, drawn.picture.content_hash, caption)
