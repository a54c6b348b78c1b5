#!/usr/bin/env bash
# Creates a Python environment: with uv when it is there or can be had, else with pip.
# Usage: scripts/setup.sh FOLDER REQUIREMENTS
set -euo pipefail
folder=$1
requirements=$2
python=${PYTHON:-python3}

"$python" - <<'P' || { echo "Daybook needs Python 3.11 or newer; set PYTHON=/path/to/python3.11 and try again." >&2; exit 1; }
import sys
sys.exit(sys.version_info < (3, 11))
P

if [ ! -x "$folder/bin/python" ]; then
    echo "Creating the environment in $folder …"
    "$python" -m venv "$folder" || {
        echo "The venv module is missing (Debian: apt install python3-venv)." >&2
        exit 1
    }
fi

uv=$(command -v uv || true)
if [ -z "$uv" ] && [ ! -x "$folder/bin/uv" ]; then
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check uv==0.13.9 2>/dev/null || true
fi
if [ -z "$uv" ] && [ -x "$folder/bin/uv" ]; then
    uv="$folder/bin/uv"
fi

echo "Installing $(basename "$requirements") (about a minute the first time) …"
if [ -n "$uv" ]; then
    "$uv" pip install --quiet --python "$folder/bin/python" -r "$requirements" && exit 0
    echo "uv could not install the packages; trying pip …" >&2
fi
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements"
