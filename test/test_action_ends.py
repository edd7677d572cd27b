"""Action servers and clients are of the kinds that another thread may destroy."""

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent
OURS = ['lucca_*', '*_node', 'laboratory', 'test']


def made(path: Path) -> set[str]:
    """The classes of rclpy itself of which a file makes an action server or client."""
    source = path.read_text(encoding='utf-8')
    if 'rclpy.action' not in source:
        return set()
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return {ast.unparse(call.func).rpartition('.')[2] for call in calls} & {'ActionServer', 'ActionClient'}


def test_none_is_one_of_rclpys_own() -> None:
    """An executor that is about to wait for one of these ends with an RCLError if it is destroyed."""
    files = [file for pattern in OURS for folder in ROOT.glob(pattern) for file in folder.rglob('*.py')]
    assert len(files) > 1000
    assert not [path for path in files if made(path)], 'use those of lucca_ros/rclpy_internals.py'
