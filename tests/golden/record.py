"""``python -m tests.golden.record VERSION``: stores what this release writes, to be read by every later one."""

import os
import sys
import tempfile

from tests.golden.rows import HERE, dump


def main() -> None:
    """Record a site with a run waiting at each kind of gate and one that has ended."""
    folder = HERE / sys.argv[1]
    folder.mkdir()
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(DJANGO_SETTINGS_MODULE="project.settings", DAYBOOK_HOME=home)
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        _make()
        dump(folder / "rows.json")


def _make() -> None:
    from agents import assembly
    from agents.store.saver import OrmSaver
    from agents.worker import work_once
    from tests.golden import lab
    from tests.support import lose, make_run, make_study, take

    assembly.toolbox_for = lambda protocol: lab.toolbox()
    assembly.reasoner_for = lambda protocol, toolbox: lab.reasoner(protocol.title)
    for title in lab.SCRIPTS:
        policy = "every_step" if title in ("proposal", "finish") else "auto"
        study = make_study(title=title, initial_hypothesis="more is better")
        run = make_run(study, policy=policy)
        if title == "outcome":
            _die_while_firing(take(run))
            lose(run)
        while work_once(worker="recorder"):
            pass
        if title == "finish":
            _approve(run)
            while work_once(worker="recorder"):
                pass
        OrmSaver().prune_thread(str(run.pk), keep=1)


def _die_while_firing(lease: object) -> None:
    from agents.store import journal
    from agents.worker import advance

    class Lost(BaseException):
        pass

    def die(point: str) -> None:
        if point == "after_effect":
            raise Lost

    real, journal.fault_point = journal.fault_point, die
    try:
        advance(lease)  # type: ignore[arg-type]
    except Lost:
        pass
    finally:
        journal.fault_point = real


def _approve(run: object) -> None:
    from django.db import transaction

    from agents.models import Gate
    from agents.services import deliver, prepare_answer

    gate = Gate.objects.get(run=run, status="open")
    with transaction.atomic():
        deliver(gate, prepare_answer(gate, verdict="approve", by="ana"), shown_digest=gate.digest)


if __name__ == "__main__":
    main()
