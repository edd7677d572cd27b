"""What the memory tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from lucca_memory.data_folder import DataFolder


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[DataFolder]:
    with DataFolder.open(tmp_path / 'data', write=True) as opened:
        yield opened
