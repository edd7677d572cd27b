"""Access to the laboratory (distribution `lucca-lab`), if it is installed: its commands, judge and spoken demo.

The product never imports it; it is found through its entry points.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from lucca_core.laboratory import instrument, required_instrument

if TYPE_CHECKING:
    from lucca_cli.output import Output
    from lucca_cli.stack import StackOptions
    from lucca_sim.scene import Scene

COMMANDS_GROUP = 'lucca.commands'
"""Group of entry points for commands; each names a typer app."""

LABORATORY_COMMANDS = {
    'eval': 'Runs the experiments: on tasks, recall, talk, perception, voice and the user study.',
    'bench': 'Measures the overhead of the stack, perception, simulation and prompts, against their budgets.',
    'attack': 'Tests one promise with random inputs.',
    'judge': 'Judges a run by its trace alone.',
}
"""The commands of the laboratory and what each does: for the list of commands, and to say that it is missing."""


class Judgement(Protocol):
    """The verdict on one task, from the simulator's trace."""

    @property
    def complete(self) -> bool:
        """Everything the task names is where it belongs."""
        ...

    @property
    def physical(self) -> bool | None:
        """No physical law is broken; None if the trace cannot tell."""
        ...

    @property
    def repeated(self) -> int:
        """Things done more than once."""
        ...

    @property
    def order(self) -> bool:
        """Whether everything was done in the required order."""
        ...

    @property
    def faults(self) -> Sequence[object]:
        """All faults; the `str` of each is a sentence."""
        ...


class RunJudgement(Protocol):
    """The verdict on a run of any goals, from the simulator's trace."""

    @property
    def physical(self) -> bool | None:
        """Nothing is wrong with the run; None if the trace has no physics."""
        ...

    @property
    def faults(self) -> tuple[str, ...]:
        """Every law that the run breaks, and every object that is not in its claimed container."""
        ...


class Judge(Protocol):
    """Judges a run from the simulator's trace alone.

    `robot`: the profile that the user named, a name or a file; empty for the one that the trace names.
    """

    def judge_tasks(
        self, trace: Path, scene: str, seed: int, tasks: Sequence[str], robot: str = ''
    ) -> Mapping[str, Judgement]:
        """A judgement for each task done on one table."""
        ...

    def needed_actions(self, task: str) -> Collection[str]:
        """The calls that a task of the demo needs."""
        ...

    def judge_run(
        self, trace: Path, scene: 'Scene', claimed: Mapping[str, Sequence[str]], robot: str = ''
    ) -> RunJudgement:
        """A judgement of a run after which each container should hold what is claimed."""
        ...


SpokenDemo = Callable[[Path, 'StackOptions', 'Output'], dict[str, Any]]


@cache
def further_commands() -> Mapping[str, EntryPoint]:
    """The commands of other distributions, by name. To find them, the metadata of all distributions is read: once."""
    return {point.name: point for point in sorted(entry_points(group=COMMANDS_GROUP), key=lambda point: point.name)}


def find_judge() -> Judge | None:
    """The judge; None without the laboratory."""
    made = instrument('judge')
    judge: Judge | None = made and made()
    return judge


def spoken_demo() -> SpokenDemo:
    """The demo whose commands are spoken.

    Raises:
        ConfigError: the laboratory is not installed.
    """
    demo: SpokenDemo = required_instrument('spoken_demo', '--voice')
    return demo
