#!/usr/bin/env bash
# Launches the robot with the arguments of `podman run`, such as robot:=nicol hardware:=mock.
set -eo pipefail
source /opt/lucca/venv/bin/activate
source /opt/lucca/install/setup.bash
# With the Python of the environment: the program itself names the system's, which finds nothing that pip installed.
exec python "$(command -v ros2)" launch --noninteractive lucca_bringup robot.launch.py \
    data_dir:=/var/lib/lucca/memory state_dir:=/var/lib/lucca/state "$@"
