import sys
from pathlib import Path

import pytest

# Test modules are imported by path (importlib mode), so what they share has to be found by name.
sys.path.insert(0, str(Path(__file__).parent))


# First: xdist reads the groups in the same hook.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """One stack at a time: two keep more than two cores busy, and each then takes almost twice as long."""
    if not config.pluginmanager.hasplugin('xdist'):
        return
    for item in items:
        if item.path.parent == Path(__file__).parent and item.get_closest_marker('ros') is not None:
            item.add_marker(pytest.mark.xdist_group('stacks'))
