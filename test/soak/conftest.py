import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

# The soak does what the integration tests do, in physics and for longer.
sys.path.insert(0, str(Path(__file__).parents[1] / 'integration'))


@pytest.fixture
def soak_size() -> Callable[[str, int], int]:
    """The number in the environment variable SOAK_NAME, else the default (`LUCCA_` variables are cleared for tests)."""
    return lambda name, default: int(os.environ.get(f'SOAK_{name}', default))
