"""Environment variables of the stack's processes: local discovery, headless rendering, a folder for logs."""

import os
import tempfile
from collections.abc import MutableMapping
from pathlib import Path

from lucca_core.paths import config_dir

LOCAL_PROFILE = 'dds/fastdds_localhost.xml'


def apply_defaults(environment: MutableMapping[str, str]) -> None:
    """Sets defaults for the variables that the user did not set.

    DDS discovery stays on this machine unless ROS_AUTOMATIC_DISCOVERY_RANGE says otherwise. The Fast DDS profile that
    speeds up discovery is set only if discovery stays on this machine, because it is made for that case. Rendering is
    headless unless MUJOCO_GL is set or there is a display.
    """
    environment.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    if environment['ROS_AUTOMATIC_DISCOVERY_RANGE'] in ('LOCALHOST', 'OFF'):
        environment.setdefault('FASTRTPS_DEFAULT_PROFILES_FILE', str(config_dir() / LOCAL_PROFILE))
    if not environment.get('DISPLAY'):
        environment.setdefault('MUJOCO_GL', 'egl')
    # rclpy.init() fails if none of these three is set.
    if not any(environment.get(name) for name in ('HOME', 'ROS_HOME', 'ROS_LOG_DIR')):
        environment['ROS_HOME'] = str(Path(tempfile.gettempdir()) / f'lucca-ros-{os.getuid()}')
    environment.setdefault('RCUTILS_COLORIZED_OUTPUT', '0')
    environment.setdefault('PYTHONUNBUFFERED', '1')
    # The matrices here are tiny, and the worker threads of linear algebra libraries would take cores from the nodes.
    for name in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS'):
        environment.setdefault(name, '1')
    # onnxruntime writes what it was used for into the home folder, and sends it to its maker.
    environment.setdefault('ORT_DISABLE_TELEMETRY', '1')
    # glibc keeps freed memory in one heap per thread. A node has about 25 threads, and most of its growth came from
    # that.
    environment.setdefault('MALLOC_ARENA_MAX', '2')
