"""The overlap of training texts and evaluation: nouns, categories, colours and containers, and runs of words."""

import re
from collections.abc import Iterable, Mapping

from lucca_core.paths import config_dir
from lucca_core.yaml_file import load_yaml
from lucca_lab.tasks.generator import COLOURS, KINDS, PLURALS
from lucca_lab.tasks.paper import load_paper
from lucca_lab.training.scene_draft import lexicon
from lucca_memory.procedural import load_actions, load_tasks

RUN = 5
"""Number of words in a row that count as characteristic of a sentence."""
_WORD = re.compile(r"[a-z0-9']+")


def evaluation_words() -> dict[str, set[str]]:
    """Words of the paper's tables, the robot's vocabulary, and the generator of the suites, by kind."""
    known = load_yaml(config_dir() / 'objects.yaml')
    on_tables = [item for items in load_paper().objects.values() for item in items]
    names = {item.partition(' (')[0] for item in on_tables}
    colours = {item.partition(' (')[2].rstrip(')') for item in on_tables} | set(COLOURS)
    nouns = {*known['objects'], *(noun for nouns in KINDS.values() for noun in nouns), *names}
    return {
        'nouns': nouns | {name.rpartition(' ')[2] for name in names},
        'categories': {*KINDS, *PLURALS.values(), 'fruit', 'kitchenware', 'containers', 'cubes', 'dessert'},
        'colours': colours,
        'containers': {*known['containers'], 'box', 'bowl', 'tower'},
        'actions': set(load_actions()),
        'tasks': set(load_tasks()),
    }


def training_words() -> dict[str, set[str]]:
    """Words of the scenes, trained on and unseen, by kind."""
    words = lexicon()
    categories = [part for half in ('train', 'unseen') for part in words[half].items()]
    return {
        'nouns': {noun for _, category in categories for noun in category['nouns']},
        'categories': {name for name, _ in categories}
        | {category['kind'] for _, category in categories if 'kind' in category},
        'colours': {*words['colours']['train'], *words['colours']['unseen']},
        'containers': {*words['places']['train'], *words['places']['unseen']},
    }


def shared_words() -> dict[str, list[str]]:
    """Training words, by kind, that also occur in the evaluation."""
    mine, theirs = training_words(), evaluation_words()
    everything = set().union(*theirs.values())
    return {kind: sorted(words & everything) for kind, words in mine.items()}


def shared_runs(descriptions: Iterable[str]) -> list[str]:
    """Runs of RUN words that training descriptions share with descriptions and actions of the evaluation."""
    theirs = set()
    for text in (*_task_texts().values(), *(spec.description for spec in load_actions().values())):
        theirs |= _runs(text)
    mine = set().union(*map(_runs, descriptions))
    return sorted(' '.join(run) for run in mine & theirs)


def _task_texts() -> Mapping[str, str]:
    return {name: spec.description for name, spec in load_tasks().items()}


def _runs(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return {tuple(words[start : start + RUN]) for start in range(len(words) - RUN + 1)}
