#!/usr/bin/env bash
# Create .venv-tools with a pinned uv, from the first Python that is new enough.
set -euo pipefail

readonly UV_VERSION=0.13.9
readonly TOOLS=.venv-tools

fits() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; }

installed() { for at in "$HOME"/.pyenv/versions/3.1[123]*/bin/python3 /opt/homebrew/bin/python3.1[123]; do echo "$at"; done; }

find_python() {
    local candidate
    for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11 python $(installed); do
        if fits "$candidate"; then command -v "$candidate"; return; fi
    done
    echo "privity needs Python 3.11, 3.12 or 3.13: set PYTHON=/path/to/python" >&2
    return 1
}

python=$(find_python)
"$python" -m venv --clear "$TOOLS"
"$TOOLS/bin/python" -m pip install --quiet --disable-pip-version-check "uv==$UV_VERSION"
touch "$TOOLS/.stamp"
