"""Becomes the Chroma server, and dies with the process that started it. Run as a file, not imported.

Arguments: pid of the parent, folder, port. Only the binding is imported: Chroma's own command line imports
its whole client first, which takes more than a second.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int) -> None:
    """Ask the kernel to kill us when the thread that started us ends, even by ``kill -9`` (Linux only)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)  # it died before we asked


def main(parent: str, folder: str, port: str) -> None:
    """Serve ``folder`` on loopback until killed."""
    die_with_parent(int(parent))
    import chromadb_rust_bindings

    chromadb_rust_bindings.cli(["chroma", "run", "--path", folder, "--host", "127.0.0.1", "--port", port])


if __name__ == "__main__":
    main(*sys.argv[1:])
