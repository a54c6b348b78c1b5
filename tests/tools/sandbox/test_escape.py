"""Attacks on the sandbox, in both engines: none reaches a file, a process, the network or more than its share."""

import os
import socket
import threading

import pytest

from agents.core.errors import BadInput, Refused, TimedOut
from agents.core.tools import Action
from agents.tools.faults import InvalidOutput
from agents.tools.registry import Registry
from agents.tools.sandbox import bubblewrap, limits, monty
from agents.tools.sandbox.engines import why_none
from agents.tools.sandbox.python import run_python
from agents.tools.sandbox.tool import code_tools
from tests.tools.conftest import make_protocol, make_toolbox

needs_bubblewrap = pytest.mark.skipif(bool(bubblewrap.problem()), reason=bubblewrap.problem() or "-")
needs_monty = pytest.mark.skipif(bool(monty.problem()), reason=monty.problem() or "-")

ATTACKS = {
    "read a file of the host": "open('/etc/passwd').read()",
    "read the project": f"open({os.path.abspath('manage.py')!r}).read()",
    "list the folders of people": "import os; [1 / 0] if 'home' not in os.listdir('/') else os.listdir('/home')",
    "write to the root": "open('/x', 'w').write('x')",
    "write to the system": "open('/usr/bin/x', 'w').write('x')",
    "change a library": "open('/libraries/numpy/__init__.py', 'a').write('x')",
    "start a process": "import subprocess; subprocess.run(['/usr/bin/id'], check=True)",
    "fork": "import os; os.fork()",
    "start a thread": "import threading; threading.Thread(target=print).start()",
    "become root": "import os; os.setuid(0)",
    "mount": "import ctypes; assert ctypes.CDLL(None, use_errno=True).mount(b'x', b'/tmp', b'tmpfs', 0, None) == 0",
    "a new user namespace": "import ctypes; l = ctypes.CDLL(None); assert l.unshare(0x10000000) == 0 and l.mount(b'/usr', b'/tmp', None, 4096, None) == 0 and open('/tmp/x', 'w')",
    "look names up": "import socket; socket.getaddrinfo('example.org', 80)",
    "send to the internet": "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(('1.1.1.1', 53)); s.send(b'x')",
    "much memory": "x = bytearray(3 * 10**9)",
    "memory step by step": "x = []\nwhile True: x.append('y' * 10**6 + str(len(x)))",
    "a large file": "f = open('/tmp/x', 'wb')\nfor _ in range(100): f.write(b'x' * 10**6); f.flush()",
    "many open files": "x = [open('/dev/null') for _ in range(1000)]",
    "raise the limits": "import resource; resource.setrlimit(resource.RLIMIT_NPROC, (100, 100))",
    "trace the host": "import ctypes; assert ctypes.CDLL(None).ptrace(16, 1, 0, 0) == 0",
    "signal everybody": "import os, signal; [os.kill(p, signal.SIGKILL) for p in range(3, 300)]",
    "read kernel memory": "open('/proc/kcore', 'rb').read(10)",
}  # fmt: skip


@needs_bubblewrap
@pytest.mark.parametrize("code", ATTACKS.values(), ids=list(ATTACKS))
def test_every_attack_on_the_bubblewrap_fails(code):
    try:
        found = bubblewrap.run_in_bubblewrap(code, {})
    except (TimedOut, InvalidOutput):
        return
    assert "error" in found, found


@needs_monty
@pytest.mark.parametrize("code", ATTACKS.values(), ids=list(ATTACKS))
def test_every_attack_on_monty_fails(code):
    try:
        found = monty.run_in_monty(code, {})
    except (TimedOut, InvalidOutput):
        return
    assert "error" in found, found


@pytest.fixture
def listening():
    server = socket.create_server(("127.0.0.1", 0))
    seen = []
    threading.Thread(target=lambda: seen.append(server.accept()), daemon=True).start()
    yield server.getsockname()[1], seen
    server.close()


@needs_bubblewrap
def test_loopback_is_another_one(listening):
    port, seen = listening
    found = bubblewrap.run_in_bubblewrap(
        f"import socket; socket.create_connection(('127.0.0.1', {port}), 2)", {}
    )
    assert "error" in found
    assert seen == []


@needs_bubblewrap
def test_nothing_of_ours_is_in_the_environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "canary-1")
    found = bubblewrap.run_in_bubblewrap("import os; dict(os.environ)", {})
    assert set(found["result"]) <= {
        "PATH",
        "HOME",
        "PWD",
        "OPENBLAS_NUM_THREADS",
        "OMP_NUM_THREADS",
        "LC_CTYPE",
    }
    code = "open('/proc/1/environ').read() + open('/proc/self/environ').read()"
    assert "canary" not in str(bubblewrap.run_in_bubblewrap(code, {}))


@needs_bubblewrap
def test_only_its_own_processes_are_there():
    found = bubblewrap.run_in_bubblewrap("import os; [p for p in os.listdir('/proc') if p.isdigit()]", {})
    assert len(found["result"]) <= 3


@needs_bubblewrap
def test_no_descriptor_of_ours_is_open():
    code = "import os; [os.readlink(f'/proc/self/fd/{d}') for d in os.listdir('/proc/self/fd') if os.path.lexists(f'/proc/self/fd/{d}')]"
    assert not [
        path
        for path in bubblewrap.run_in_bubblewrap(code, {})["result"]
        if path.startswith("/") and "null" not in path and "/proc" not in path
    ]


@needs_bubblewrap
@pytest.mark.parametrize("code", ["while True: pass", "import time; time.sleep(100)"])
def test_work_without_end_is_stopped(code, monkeypatch):
    monkeypatch.setattr(limits, "SECONDS", 2)
    monkeypatch.setattr(limits, "WALL_S", 4.0)
    with pytest.raises((TimedOut, InvalidOutput)):
        bubblewrap.run_in_bubblewrap(code, {})


@needs_bubblewrap
def test_what_is_printed_without_end_is_kept_in_part():
    found = bubblewrap.run_in_bubblewrap("for _ in range(10**5): print('x' * 1000)", {})
    assert len(found["output"]) == limits.PRINTED_CHARACTERS


@needs_bubblewrap
def test_a_forged_answer_is_only_its_own():
    code = "import os\nfor d in range(3, 20):\n    try: os.write(d, b'{\"output\": 1}')\n    except OSError: pass\nos._exit(0)"
    with pytest.raises(InvalidOutput):
        bubblewrap.run_in_bubblewrap(code, {})


@needs_bubblewrap
def test_libraries_are_there():
    code = "import numpy as np\nfrom scipy.optimize import brentq\nround(brentq(lambda x: x * x - a, 0, 2), 6) + float(np.eye(2).sum())"
    assert bubblewrap.run_in_bubblewrap(code, {"a": 2})["result"] == pytest.approx(3.414214)


@needs_monty
def test_monty_takes_inputs_and_gives_the_last_value():
    assert monty.run_in_monty("print('hi')\nsum(v)", {"v": [1, 2]}) == {"output": "hi\n", "result": 3}


@needs_monty
async def test_through_the_gate_it_is_always_reviewed_and_its_error_is_told():
    toolbox = make_toolbox(make_protocol(), registry=Registry(tools=code_tools()))
    spec = next(spec for spec in toolbox.specs() if spec.name == "run_python")
    assert (spec.needs_review, spec.category) == (True, "code")
    ran = await toolbox.call(
        toolbox.check(Action(tool="run_python", arguments={"code": "1 + 1"})).action, idempotency_key="k"
    )
    assert (ran.data["result"], ran.data["engine"]) == (2, "pydantic-monty")
    failed = await toolbox.call(
        toolbox.check(Action(tool="run_python", arguments={"code": "1 / 0"})).action, idempotency_key="k"
    )
    assert (failed.fault, "ZeroDivisionError" in failed.error_message) == ("bad_input", True)


def test_without_any_sandbox_it_is_refused_with_the_reason(monkeypatch):
    monkeypatch.setattr(monty, "problem", lambda: "no monty")
    monkeypatch.setattr(bubblewrap, "problem", lambda: "no bubblewrap")
    with pytest.raises(Refused, match="no monty; no bubblewrap"):
        run_python("1")
    assert why_none() == "no monty; no bubblewrap"


def test_code_that_needs_libraries_is_not_run_without_them(monkeypatch):
    monkeypatch.setattr(bubblewrap, "problem", lambda: "no bubblewrap")
    monkeypatch.setattr(monty, "problem", lambda: "")
    with pytest.raises(Refused, match="with libraries"):
        run_python("import numpy", with_libraries=True)


@needs_monty
def test_an_error_is_the_callers():
    with pytest.raises(BadInput, match="NameError"):
        run_python("nothing_here")
