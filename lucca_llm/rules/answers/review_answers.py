"""Answers to prompts that ask whether a proposed call is right: yes or no."""

import re

from lucca_llm.rules.answers.worker_answers import read_situation
from lucca_llm.rules.plans.planning import make_plan
from lucca_llm.rules.prompts.prompt_reader import calls_in, line_after
from lucca_llm.rules.utterances.descriptions import read_description


def is_review(text: str) -> bool:
    """Whether a prompt proposes a call and asks for yes or no."""
    return line_after(text, 'proposed') is not None and re.search(r'\byes or no\b', text, re.IGNORECASE) is not None


def answer_review(text: str) -> str:
    """`yes` if the task needs the proposed call next, or the call finishes a task that needs no more."""
    calls = calls_in(line_after(text, 'proposed') or '')
    if len(calls) != 1:
        return 'no'
    situation, description = read_situation(re.sub(r'^Proposed:.*$', '', text, flags=re.MULTILINE))
    listed = (*situation.on_table, *situation.elsewhere)
    plan = make_plan(read_description(description, '', listed, situation.places).program, situation)
    name, argument = calls[0]
    if name not in {action.name for action in situation.actions}:
        return 'yes' if name.startswith('finish') and not plan.to_do else 'no'
    return 'yes' if (name, argument) in plan.now else 'no'
