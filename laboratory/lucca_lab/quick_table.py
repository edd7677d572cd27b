"""Node settings for whole stacks on the kinematic table, as quick as it can be."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from lucca_core.paths import config_dir

_QUICK: Mapping[str, Mapping[str, Any]] = {
    'simulator': {'camera_rate_hz': 5.0},
    # The kinematic table tracks any motion exactly, so hands may be quick there.
    'action': {'tool_speed_mps': 0.6, 'arm_speed_radps': 3.0, 'hand_speed_radps': 3.2},
}


def quick_parameters(file: Path, parameters: Mapping[str, Mapping[str, Any]] | None = None) -> Path:
    """Writes the settings of a simulation, quick ones over them, and `parameters` by node over both."""
    document = yaml.safe_load((config_dir() / 'nodes' / 'sim.yaml').read_text(encoding='utf-8'))
    for layer in (_QUICK, parameters or {}):
        for node, values in layer.items():
            document.setdefault(f'/**/{node}', {'ros__parameters': {}})['ros__parameters'].update(values)
    file.write_text(yaml.safe_dump(document), encoding='utf-8')
    return file
