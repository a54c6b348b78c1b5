"""The report of a run: everything a reader needs to follow it, in the order in which they ask."""

from django.utils.translation import gettext as _

from reviews.exports.blocks import Document
from reviews.exports.parts.beliefs import beliefs_of, hypotheses
from reviews.exports.parts.claims import findings
from reviews.exports.parts.course import course
from reviews.exports.parts.deciding import deciding
from reviews.exports.parts.decisions import decisions, open_reviews, vetoes
from reviews.exports.parts.making import identity, making, spending
from reviews.exports.parts.method import method
from reviews.exports.parts.pictures import pictures
from reviews.exports.parts.question import conclusion, question
from reviews.exports.parts.scores import scores
from reviews.exports.parts.sources import sources
from reviews.exports.parts.trials import experiments, trials_of
from reviews.exports.parts.wording import moment
from reviews.exports.record import Record
from reviews.present import words


def report_of(record: Record) -> Document:
    """Return the report in the language that is active, as far as the log goes."""
    run, trials, beliefs = record.run, trials_of(record), beliefs_of(record)
    sections = [
        question(record),
        conclusion(record, trials, beliefs),
        open_reviews(record),
        making(record),
        sources(record),
        method(record, trials),
        deciding(record),
        decisions(record),
        experiments(record, trials),
        hypotheses(beliefs),
        pictures(record),
        findings(record),
        vetoes(record),
        scores(record, trials),
        spending(record),
        course(record),
        identity(record),
    ]
    subtitle = _("Run %(number)s · %(state)s · as of %(at)s") % {
        "number": run.number,
        "state": words.word("run", run.status).label,
        "at": moment(run.last_event_at),
    }
    return Document(
        title=record.protocol.title,
        subtitle=subtitle,
        language=record.protocol.language,
        sections=[section for section in sections if section.blocks],
    )


def methods_of(record: Record) -> Document:
    """Return what a paper's methods section needs of the run: how it was made, on what, and how decisions were made."""
    sections = [
        making(record),
        sources(record),
        method(record, trials_of(record)),
        deciding(record),
        vetoes(record),
        spending(record),
        identity(record),
    ]
    subtitle = _("Methods of run %(number)s · as of %(at)s") % {
        "number": record.run.number,
        "at": moment(record.run.last_event_at),
    }
    return Document(
        title=record.protocol.title,
        subtitle=subtitle,
        language=record.protocol.language,
        sections=[section for section in sections if section.blocks],
    )
