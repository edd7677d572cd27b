#!/usr/bin/env bash
# Launches the robot with the arguments of `podman run`, such as robot:=nicol hardware:=mock.
set -eo pipefail
source /opt/lucca/venv/bin/activate
source /opt/lucca/install/setup.bash
exec ros2 launch --noninteractive lucca_bringup robot.launch.py \
    data_dir:=/var/lib/lucca/memory state_dir:=/var/lib/lucca/state "$@"
