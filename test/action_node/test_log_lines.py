"""A line in the log that cannot be written ends nothing, whatever of it fails."""

from typing import Any

import pytest

from action_node.log_lines import say


class Node:
    """Fails at one of the parts of a line; notes what was logged."""

    def __init__(self, fails: str = '') -> None:
        self.fails = fails
        self.told: list[tuple[str, str]] = []

    def get_logger(self) -> Any:
        if self.fails == 'get_logger':
            raise MemoryError
        return self

    def __getattr__(self, severity: str) -> Any:
        def log(text: str) -> None:
            if self.fails == severity:
                raise MemoryError
            self.told.append((severity, text))

        return log


@pytest.mark.parametrize('severity', ['info', 'warning', 'error'])
def test_a_line_that_cannot_be_written_ends_nothing(severity: Any) -> None:
    for fails in ('get_logger', severity):
        say(Node(fails), severity, 'the arms hold')
    node = Node()
    say(node, severity, 'the arms hold')
    assert node.told == [(severity, 'the arms hold')]
