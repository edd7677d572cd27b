"""A page of a drawn session, with acts that are only noted."""

import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager

from lucca_core.errors import StackError
from lucca_lab.attack import served_page
from lucca_robot.profile import load_profile
from lucca_view.panels import Panels
from lucca_view.robot_lines import RobotLines
from lucca_view.web.sources import Source

TOKEN = 'the-token-of-the-tests'  # noqa: S105 - of the tests


class NotedActs:
    """Does nothing, and keeps what was asked for."""

    def __init__(self) -> None:
        self.done: list[tuple[str, dict[str, str]]] = []
        self.dead = False
        self.slow = threading.Event()
        self.slow.set()

    def do(self, act: str, arguments: Mapping[str, str]) -> str:
        """Notes the act; what is said waits until `slow` is set, and `fail` fails. Where all is `dead`, no stop is."""
        if self.dead:
            raise StackError('no action node answers; use the hardware stop')
        if act != 'stop':
            self.slow.wait(10.0)
        self.done.append((act, dict(arguments)))
        if arguments.get('text') == 'fail':
            raise StackError('no coordinator answers')
        return f'{act} was done'


def served(source: Source, acts: NotedActs | None, port: int = 0) -> AbstractContextManager[int]:
    """The port of a page that is served; 0 for any."""
    return served_page.served(source, acts, Panels(RobotLines(load_profile())), TOKEN, port)
