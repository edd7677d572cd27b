"""Introductions: people who say their name."""

import re

from lucca_llm.rules.prompts.conversation_prompt import ConversationTurn
from lucca_llm.rules.prompts.prompt_reader import call_text, say

_NAME = re.compile(
    r"^(?:(?:hello|hi|hey)[,.! ]+)?(?:my name is|i am called|i'm called|call me|this is|i am|"
    r"i'm)\s+(?P<name>[^\s.,!?][^.,!?]{0,60})[.!]*$",
    re.IGNORECASE,
)
_SURE_NAME = re.compile(r'\b(?:my name is|called|call me)\b', re.IGNORECASE)


def introduced(said: str, turn: ConversationTurn) -> str | None:
    """The next call of a turn in which somebody says their name, or the answer; None for other texts."""
    match = _NAME.match(said)
    if match is None:
        return None
    name = match['name'].strip()
    if not _SURE_NAME.search(said) and (not name[:1].isupper() or len(name.split()) > 3):
        return None
    step = turn.step('introduce')
    if step is not None:
        known = re.search(r'known as (.+) from now on', ' '.join(step.lines))
        if known is None:
            return say(f'I could not note your name. {" ".join(step.lines)}')
        if known.group(1) != name:
            return say(f'Nice to meet you. I know somebody of that name already, so I will call you {known.group(1)}.')
        return say(f'Nice to meet you, {name}. I will remember you.')
    if turn.person:
        same = turn.person.lower() == name.lower()
        return say(f'Hello {turn.person}.' if same else f'I know you as {turn.person}.')
    return call_text('introduce', name)
