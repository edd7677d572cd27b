import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent

# Test modules are imported by path (importlib mode), so what they share has to be found by name.
sys.path.insert(0, str(HERE))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whole stacks take longest and begin first, and speech, which waits for pauses, is next.

    Where tests run side by side, small ones fill the gaps at the end.
    """
    items.sort(key=lambda item: (item.path.parent != HERE, 'speech_node' not in item.path.parts))


@pytest.fixture(scope='module', autouse=True)
def forked_nodes() -> Iterator[None]:
    """Nodes of stacks and of attacks in this process are forked, which coverage would not follow."""
    if 'COVERAGE_PROCESS_CONFIG' in os.environ:
        yield
        return
    from forked_nodes import ForkedNode

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr('lucca_cli.supervisor.start_process', ForkedNode)
        patch.setattr(
            'lucca_lab.attack.running.attacked_nodes.start_node',
            lambda command, log, environment: ForkedNode(command, environment, log),
        )
        yield
