#!/usr/bin/env python
"""Daybook's command line: `manage.py help` lists the commands."""

import os
import sys


def main() -> None:
    """Run one management command; a site that is not set up, or whose database fails, is told in a sentence."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import OperationalError

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as fault:
        sys.exit(str(fault))
    except OperationalError as fault:
        from agents.store.trouble import sentence_of

        sys.exit(sentence_of(fault))


if __name__ == "__main__":
    main()
