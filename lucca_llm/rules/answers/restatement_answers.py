"""Answers to prompts that ask how a task is understood, before anything moves: one JSON object."""

import difflib
import json
import re
from collections.abc import Sequence
from itertools import groupby

from lucca_core.english import and_list, with_article
from lucca_language.reading.program import Directive
from lucca_language.reading.reading import NOT_BOTH, Reading
from lucca_language.reading.selectors import Not, walk
from lucca_language.words.function_words import RESTRICTIONS
from lucca_language.words.lexicon import lexicon
from lucca_language.words.mistypings import may_deny
from lucca_language.words.word_sets import any_of
from lucca_llm.rules.prompts.task_plan import ReportedState, TaskPlan

NOTHING_TO_DO = 'nothing is to be done with these objects'
_TO_ME = re.compile(r'\bto me\b')
_TAKEN_BACK = any_of('no wait sorry mean meant rather actually oops scratch')
"""Words with which somebody takes back what they just said, so that without them, both would be done."""
_EXCEPTIONS = RESTRICTIONS - any_of('if until till')
_SIDES = any_of('left right')
_LIKE, _SHORTEST = 0.8, 4
"""The least likeness, from 0 to 1, and the fewest letters of a word that may be a mistyped name."""


def asks_to_restate(text: str) -> bool:
    """Whether a prompt asks how a task is understood."""
    return re.search(r'\bhow you understand\b', text) is not None and '"not_understood"' in text


def restated(reading: Reading, plan: TaskPlan, situation: ReportedState) -> str:
    """The understanding in words and as calls, the words not understood, and a question if there are any."""
    in_doubt = NOT_BOTH in reading.not_understood or plan.prohibited or (plan.ambiguous and not plan.begun)
    in_doubt = in_doubt or not _TAKEN_BACK.isdisjoint(reading.not_understood)
    cannot = plan.missing or plan.kept or plan.impossible
    # What is not offered in words, a yes must not do either.
    understood = '' if in_doubt or (reading.not_understood and _is_limited(reading)) else in_words(plan)
    if not understood and reading.is_understood and plan.understood and not (in_doubt or cannot):
        understood = NOTHING_TO_DO
    return json.dumps(
        {
            'understood': understood,
            'not_understood': list(reading.not_understood),
            'question': _question(reading, plan, understood, situation),
            'calls': [f'{action}({name})' for action, name in plan.to_do] if understood else [],
            'steps': list(plan.steps) if understood else [],
            'not_seen': list(plan.unseen_kinds) if understood else [],
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
    return and_list([with_article(name) for name in names])


def _is_limited(reading: Reading) -> bool:
    """Whether more would be done without what is excepted, forbidden or taken back than was asked for."""
    limits = reading.program.excepted or any(map(_is_limit, reading.program.directives))
    words = ' '.join(reading.not_understood).lower().split()
    return bool(limits) or not _EXCEPTIONS.isdisjoint(words) or any(map(may_deny, words))


def _question(reading: Reading, plan: TaskPlan, understood: str, situation: ReportedState) -> str:
    if reading.not_understood == (NOT_BOTH,):
        return 'You want only one of these things done. Which one?'
    if reading.not_understood:
        words = ', '.join(f'"{word}"{_meant(word, situation)}' for word in reading.not_understood)
        if not understood:
            return f'I did not understand {words}. Please say it in other words.'
        return f'I did not understand {words}. Shall I {_TO_ME.sub("to you", understood)} and leave the rest out?'
    if plan.prohibited:
        return ''  # the task is refused with the reason when it comes to a step
    if not understood and plan.ambiguous:
        return ' '.join(_which_one(text, names) for text, names in plan.ambiguous)
    return '' if plan.understood else 'What shall I do with which objects?'


def _which_one(text: str, names: Sequence[str]) -> str:
    """The question which of these is meant; whose left is meant, no description tells."""
    why = '' if _SIDES.isdisjoint(text.split()) else 'I do not know from whose side that is seen. '
    return f'{why}Which one do you mean by "{text}": {" or ".join(names)}?'


def _is_limit(directive: Directive) -> bool:
    """Whether a directive forbids, or is about things that are not something: `cubes that are not mine`."""
    parts = (part for item in directive.items for part in walk(item.selector))
    return directive.kind == 'dont' or any(isinstance(part, Not) for part in parts)


def _meant(word: str, situation: ReportedState) -> str:
    """The name of something here that a word may be a mistyped form of, as ` ("banana"?)`; empty if there is none."""
    names = [thing.label for thing in (*situation.on_table, *situation.elsewhere)]
    known = sorted({part for name in (*names, *situation.places) for part in name.lower().split()})
    near = difflib.get_close_matches(word.lower(), known, n=1, cutoff=_LIKE) if len(word) >= _SHORTEST else []
    alike = {word.lower(), lexicon().singular(word.lower())}
    return f' ("{near[0]}"?)' if near and near[0] not in alike else ''
