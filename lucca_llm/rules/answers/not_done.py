"""Answers after which nothing is done, and the question whether something else was meant."""

import re

from lucca_llm.rules.answers.phrases import NO_REQUEST, NOTED
from lucca_llm.rules.prompts.prompt_reader import call_text, say
from lucca_llm.rules.utterances.task_requests import NO_ACTION, NOT_SEEN, NOT_UNDERSTOOD

DO = re.compile(r'<do\((?P<text>.*)\)>', re.DOTALL)
_REASONS = (NO_REQUEST, NOT_UNDERSTOOD, NO_ACTION, NOT_SEEN)
_SEEN = say('I see.')
"""What is answered to a guest's statement, which is not kept."""


def is_not_done(answer: str) -> bool:
    """Whether an answer says that no request was understood, or none that can be done."""
    return any(answer.startswith(f'<cannot_do({reason}') for reason in _REASONS)


def is_noted(answer: str) -> bool:
    """Whether an answer only takes note of what was told."""
    return answer == _SEEN or NOTED in answer


def question_about(text: str) -> str:
    """The call that asks whether a request is meant."""
    return call_text('cannot_do', f'I am not sure what you asked for. Shall I do it: “{text.rstrip(" .!?")}”?')
