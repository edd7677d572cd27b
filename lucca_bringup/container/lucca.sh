#!/usr/bin/env bash
# The command `lucca` in a container that runs, such as `podman exec NAME lucca stop`.
set -eo pipefail
source /opt/lucca/venv/bin/activate
source /opt/lucca/install/setup.bash
exec lucca "$@"
