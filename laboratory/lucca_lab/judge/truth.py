"""The expected outcome of the five tasks, read from `truth.yaml` for judging and scoring; no node reads it."""

from dataclasses import dataclass
from pathlib import Path

from lucca_core.yaml_file import load_yaml

TRUTH_FILE = Path(__file__).with_name('truth.yaml')


@dataclass(frozen=True)
class ExpectedOutcome:
    """The truth of one task: groups of actions to be done one after the other, and objects by their final place."""

    groups: tuple[frozenset[str], ...]
    places: dict[str, frozenset[str]]

    @property
    def actions(self) -> tuple[str, ...]:
        """Every action that the task needs, group by group, sorted within a group."""
        return tuple(action for group in self.groups for action in sorted(group))

    def in_order(self, actions: tuple[str, ...]) -> bool:
        """Whether no action of a later group comes before one of an earlier group. Unknown actions are ignored."""
        return not self.too_early(actions)

    def too_early(self, actions: tuple[str, ...]) -> tuple[str, ...]:
        """The actions that come before an action of an earlier group."""
        rank_of = {action: rank for rank, group in enumerate(self.groups) for action in group}
        known = [action for action in actions if action in rank_of]
        return tuple(
            action
            for index, action in enumerate(known)
            if any(rank_of[later] < rank_of[action] for later in known[index + 1 :])
        )


def load_truth(file: Path = TRUTH_FILE) -> dict[str, ExpectedOutcome]:
    """The truth of every task in the file, by task name."""
    return {
        name: ExpectedOutcome(
            groups=tuple(
                frozenset(f'<{action}({item})>' for action, items in group.items() for item in items)
                for group in entry['actions']
            ),
            places={place: frozenset(items) for place, items in entry['places'].items()},
        )
        for name, entry in load_yaml(file)['tasks'].items()
    }
