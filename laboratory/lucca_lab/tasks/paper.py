"""The setup and the published scores of "Robots Can Multitask Too", read from `paper.yaml`."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from lucca_core.yaml_file import load_yaml

PAPER_FILE = Path(__file__).with_name('paper.yaml')
TASKS = ('sorting', 'arrangement', 'pointing', 'recipe', 'tower')
"""The tasks in the order in which the paper runs them."""

MODELS = ('gpt-3.5', 'llama-3')
METRICS = ('success', 'task_retention', 'environment_retention')
NOT_WHOLE = '0.77, 0.29, 0.19 and 0.15 times 50 trials are no whole numbers: trials or partial credit are unclear there'


@dataclass(frozen=True)
class Paper:
    """The objects of each task as `name (colour)`, and the published figures by (mode, memory, task) and model.

    The figures are in the order of `METRICS`.
    """

    objects: MappingProxyType[str, tuple[str, ...]]
    published: MappingProxyType[tuple[str, bool, str], MappingProxyType[str, tuple[float, ...]]]

    def mean(self, mode: str, memory: bool, task: str, metric: str) -> float | None:
        """A cell's figure averaged over both models; None if the paper has no such cell."""
        cell = self.published.get((mode, memory, task))
        if cell is None:
            return None
        place = METRICS.index(metric)
        return sum(figures[place] for figures in cell.values()) / len(cell)


@cache
def load_paper() -> Paper:
    """The paper's setup and scores. The file is read only once."""
    document = load_yaml(PAPER_FILE)
    published = {
        (mode, memory == 'with', task): MappingProxyType({model: tuple(map(float, row[model])) for model in MODELS})
        for mode, halves in document['published'].items()
        for memory, rows in halves.items()
        for task, row in rows.items()
    }
    objects = {task: tuple(items) for task, items in document['objects'].items()}
    return Paper(MappingProxyType(objects), MappingProxyType(published))
