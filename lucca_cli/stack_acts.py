"""The acts of a page on the running stack: the same as those of the command, through the same client."""

import threading
from collections.abc import Mapping
from pathlib import Path

from lucca_cli.client import StackClient
from lucca_cli.commands.memory_graph import change_nodes
from lucca_cli.options import SAID_PRIORITY
from lucca_cli.running_goal import RunningGoal
from lucca_core.errors import StackError
from lucca_core.protocol.goals import GoalRequest
from lucca_core.stop_command import is_typed_stop

_MOST_GOALS = 100


class StackActs:
    """Carries out the acts of `lucca_view.web.acts` with a spinning client. Thread-safe."""

    def __init__(self, client: StackClient, data_dir: Path) -> None:
        self._client = client
        self._data_dir = data_dir
        self._goals: dict[str, RunningGoal] = {}
        self._lock = threading.Lock()

    def do(self, act: str, arguments: Mapping[str, str]) -> str:
        """Carries out an act and returns what to tell the person; see `lucca_view.web.acts.Acts`.

        Raises:
            LuccaError: it was not done; says why.
        """
        match act:
            case 'stop':
                return self._stop()
            case 'reset':
                return self._client.reset()
            case 'say' if is_typed_stop(arguments['text']):
                return self._stop()  # as `lucca say` does
            case 'say':
                request = GoalRequest(text=arguments['text'], person=arguments['person'], priority=SAID_PRIORITY)
                return self._give(request, arguments['text'])
            case 'run':
                return self._give(GoalRequest(task=arguments['task'], person=arguments['person']), arguments['task'])
            case 'confirm':
                request = GoalRequest(task=arguments['task'], person=arguments['person'], confirmed=arguments['call'])
                return self._give(request, arguments['call'])
            case 'cancel':
                return self._cancel(arguments['goal'])
            case 'pin' | 'unpin' | 'restore':
                count = change_nodes(act, [arguments['node']], self._data_dir)
                return f'{count} nodes changed'
            case _:
                raise ValueError(f'no act is named {act!r}')

    def _stop(self) -> str:
        self._client.stop()
        return 'the arms hold until a reset'

    def _give(self, request: GoalRequest, wish: str) -> str:
        goal = self._client.send_goal(request)
        with self._lock:
            self._goals[goal.goal_id] = goal
            for old in list(self._goals)[:-_MOST_GOALS]:
                del self._goals[old]
        return f'given: {wish[:100]}'

    def _cancel(self, goal_id: str) -> str:
        with self._lock:
            goal = self._goals.get(goal_id)
        if goal is None:
            # As with the command, only the giver of a goal can cancel it; a stop holds everything.
            raise StackError('this goal was given elsewhere; cancel it there, or say: stop the task')
        goal.cancel()
        return 'it is being cancelled'
