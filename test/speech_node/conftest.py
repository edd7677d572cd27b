"""What the tests of hearing and speaking share."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from speech_node.hearing.command_book import CommandBook, load_commands


@pytest.fixture(scope='session')
def book() -> CommandBook:
    return load_commands()
