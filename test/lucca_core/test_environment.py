"""The environment of the stack's processes: defaults where the user set nothing."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lucca_core.environment import apply_defaults


def test_the_threads_of_a_node_share_two_heaps_unless_the_user_says_otherwise():
    environment: dict[str, str] = {}
    apply_defaults(environment)
    assert environment['MALLOC_ARENA_MAX'] == '2'
    environment['MALLOC_ARENA_MAX'] = '8'
    apply_defaults(environment)
    assert environment['MALLOC_ARENA_MAX'] == '8'


@pytest.mark.skipif(importlib.util.find_spec('onnxruntime') is None, reason='onnxruntime is not installed')
def test_onnxruntime_notes_nothing_of_its_use_in_the_home_folder(tmp_path: Path):
    environment = {name: value for name, value in os.environ.items() if name != 'ORT_DISABLE_TELEMETRY'}
    environment['HOME'] = str(tmp_path)
    apply_defaults(environment)
    subprocess.run([sys.executable, '-c', 'import onnxruntime'], env=environment, check=True)
    assert not list(tmp_path.iterdir())
