"""Answers to prompts that ask how a task is understood, before anything moves: one JSON object."""

import json
import re
from itertools import groupby

from lucca_language.reading.reading import NOT_BOTH, Reading
from lucca_llm.rules.task_plan import TaskPlan

NOTHING_TO_DO = 'nothing is to be done with these objects'


def asks_to_restate(text: str) -> bool:
    """Whether a prompt asks how a task is understood."""
    return re.search(r'\bhow you understand\b', text) is not None and '"not_understood"' in text


def restated(reading: Reading, plan: TaskPlan) -> str:
    """The understanding in words and as calls, the words not understood, and a question if there are any."""
    in_doubt = NOT_BOTH in reading.not_understood or plan.prohibited or (plan.ambiguous and not plan.begun)
    cannot = plan.missing or plan.kept or plan.impossible
    understood = '' if in_doubt else in_words(plan)
    if not understood and reading.is_understood and plan.understood and not (in_doubt or cannot):
        understood = NOTHING_TO_DO
    return json.dumps(
        {
            'understood': understood,
            'not_understood': list(reading.not_understood),
            'question': _question(reading, plan, understood),
            'calls': [f'{action}({name})' for action, name in plan.to_do] if understood else [],
        }
    )


def in_words(plan: TaskPlan) -> str:
    """The plan in words, in a form that is read as the same plan again."""
    deeds = ', then '.join(
        plan.wording.get(action, f'{action.replace("_", " ")} {{}}').format(_listed([name for _, name in calls]))
        for action, calls in groupby(plan.to_do, key=lambda call: call[0])
    )
    if deeds and plan.left_out:
        are = 'are' if len(plan.left_out) > 1 else 'is'
        return f'{deeds}, but not {_listed([*plan.left_out])}, which {are} prohibited'
    return deeds


def _listed(names: list[str]) -> str:
    shown = [name if name[-1:].isdigit() else f'the {name}' for name in names]
    return shown[0] if len(shown) == 1 else f'{", ".join(shown[:-1])} and {shown[-1]}'


def _question(reading: Reading, plan: TaskPlan, understood: str) -> str:
    if reading.not_understood == (NOT_BOTH,):
        return 'You want only one of these things done. Which one?'
    if reading.not_understood:
        words = ', '.join(f'"{word}"' for word in reading.not_understood)
        offer = f'Shall I {understood} and leave the rest out?' if understood else 'Please say it in other words.'
        return f'I did not understand {words}. {offer}'
    if plan.prohibited:
        return ''  # the task is refused with the reason when it comes to a step
    if not understood and plan.ambiguous:
        return ' '.join(f'Which one do you mean by "{text}": {" or ".join(names)}?' for text, names in plan.ambiguous)
    return '' if plan.understood else 'What shall I do with which objects?'
