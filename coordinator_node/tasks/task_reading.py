"""Checks that the rule-based reader understands tasks, when they are loaded or taught."""

import logging
from collections.abc import Iterable

from lucca_core.errors import ConfigError
from lucca_llm.rules.rule_based_model import reads_by_rules, unread_words
from lucca_memory.procedural import TaskSpec

_log = logging.getLogger(__name__)


def objection_to(description: str, llm: str) -> str:
    """Why a task with this description cannot be taught, given the model's spec; empty if it can.

    Only the rule-based reasoner can object; a language model judges for itself which words it understands.
    """
    words = unread_words(description) if reads_by_rules(llm) else ()
    return f'I do not understand {_listed(words)} in it' if words else ''


def check_understood(tasks: Iterable[TaskSpec], llm: str) -> None:
    """Checks that every task can be understood.

    Raises:
        ConfigError: the rule-based reasoner coordinates and does not understand every word of a description.
    """
    for task in tasks:
        words = unread_words(task.description)
        if not words:
            continue
        if reads_by_rules(llm):
            raise ConfigError(
                f'the rule-based reasoner does not understand {_listed(words)} in the description of task '
                f'{task.name!r}; say it in other words, or let a language model coordinate (llm)'
            )
        _log.info('task %s: the rule-based reader would not understand %s', task.name, _listed(words))


def _listed(words: Iterable[str]) -> str:
    return ', '.join(f'"{word}"' for word in words)
