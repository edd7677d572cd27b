"""Node settings for whole stacks on the kinematic table, for runs that are as fast as possible."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from lucca_core.paths import config_dir

_QUICK: Mapping[str, Mapping[str, Any]] = {
    'simulator': {'camera_rate_hz': 5.0},
    # The kinematic table follows any motion exactly, so hands may be fast there.
    'action': {'tool_speed_mps': 0.6, 'arm_speed_radps': 3.0, 'hand_speed_radps': 3.2},
}


def quick_parameters(file: Path, parameters: Mapping[str, Mapping[str, Any]] | None = None) -> Path:
    """Writes a file with the settings of a simulation, overridden by fast ones, and then by `parameters` (by node)."""
    document = yaml.safe_load((config_dir() / 'nodes' / 'sim.yaml').read_text(encoding='utf-8'))
    for layer in (_QUICK, parameters or {}):
        for node, values in layer.items():
            document.setdefault(f'/**/{node}', {'ros__parameters': {}})['ros__parameters'].update(values)
    file.write_text(yaml.safe_dump(document), encoding='utf-8')
    return file
