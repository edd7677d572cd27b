"""Tasks as the rule-based reader understands them, checked when they are loaded or taught."""

import logging
from collections.abc import Iterable

from lucca_core.errors import ConfigError
from lucca_llm.rules.rule_based_model import reads_by_rules, unread_words
from lucca_memory.procedural import TaskSpec

_log = logging.getLogger(__name__)


def objection_to(description: str, llm: str) -> str:
    """Why the model with this spec cannot be given a task of this description; empty where it can.

    Only the rule-based reasoner is asked; which words a language model understands is for it to say.
    """
    words = unread_words(description) if reads_by_rules(llm) else ()
    return f'I do not understand {_listed(words)} in it' if words else ''


def check_understood(tasks: Iterable[TaskSpec], llm: str) -> None:
    """Sees to it that every task can be read.

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
