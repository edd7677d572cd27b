"""Forgetting what somebody told, and keeping what else they said in the same text."""

import re
from collections.abc import Sequence

from lucca_core.english import and_list
from lucca_llm.rules.answers.owner_answers import NO_LOOKUP
from lucca_llm.rules.prompts.conversation_prompt import ROBOT, ConversationTurn, PromptMemory
from lucca_llm.rules.prompts.prompt_reader import call_text, say
from lucca_llm.rules.utterances.quotation import content_words, is_question

_FORGET = re.compile(r'^forget(?: about| that| what i (?:said|told you) about|:)?\s+(?P<what>.+)$', re.IGNORECASE)
_THE_LAST = re.compile(
    r'^(?:please )?forget (?:that|it|this|what i (?:just )?(?:said|told you)|the last (?:thing|sentence)(?: i said)?)'
    r'(?: again)?(?:,? please)?[.!]*$',
    re.IGNORECASE,
)
_PARTS = re.compile(r'(?<=[.!?])\s+|;\s*|,? (?:and|but) (?=(?:i|my|we|our|the|[A-Z][a-z]+)\b)')
_REFERS = re.compile(r'^(?:he|she|it|they|this|that|these|those|his|her|its|their)\b', re.IGNORECASE)
_TO_KEEP = re.compile(
    r"^(?:please )?(?:remember|keep in mind|note|do not forget|don't forget)(?: that|:)?\s+", re.IGNORECASE
)
_LEAST_SHARE = 0.6
_LEAST_WORDS = 3


def asks_to_forget(said: str) -> bool:
    """Whether a text asks to forget something."""
    return _FORGET.match(said) is not None or _THE_LAST.match(said) is not None


def forgetting(said: str, turn: ConversationTurn) -> str | None:
    """The next call of a turn that asks to forget something, or the answer; None for other texts.

    What else was said in the same text is told again by `remember`, if it stands for itself.
    """
    if not asks_to_forget(said):
        return None
    what = _meant(said, turn)
    if not what:
        return say('You told me nothing of the kind.')
    if turn.step('recall') is None:
        return call_text('recall', what)
    if turn.step('forget') is None and not turn.looks_up:
        return say(f'{NO_LOOKUP} Please ask me again later.')
    meant = (_said_last if _THE_LAST.match(said) else _told)(what, turn.memories)
    done = turn.step('forget')
    if done is None:
        tags = ' and '.join(item.tag for item in meant)
        return call_text('forget', tags) if tags else say('You told me nothing of the kind.')
    count = re.search(r'Forgotten: (\d+)', ' '.join(done.lines))
    if count is None or not int(count.group(1)):
        return say(' '.join(done.lines))
    kept = list(dict.fromkeys(part for item in meant for part in _others(item.text, what)))
    made = [step for step in turn.steps if step.call == 'remember']
    if len(made) < len(kept):
        return call_text('remember', kept[len(made)])
    if not all(line.startswith('Kept') for step in made for line in step.lines):
        return say('I have forgotten it, but could not keep what else you said then.')
    # Told, so that it can be forgotten, too: it may be the same in other words.
    told = and_list([f'“{part}”' for part in kept])
    return say(f'I have forgotten it{f", and kept what else you said then: {told}" if kept else ""}.')


def _meant(said: str, turn: ConversationTurn) -> str:
    """What is to be forgotten, in words; `forget that` means what was told last. Empty if nothing was told."""
    if _THE_LAST.match(said):
        return _TO_KEEP.sub('', turn.before[-1]) if turn.before and not is_question(turn.before[-1]) else ''
    match = _FORGET.match(said)
    return match['what'] if match is not None else ''


def _said_last(what: str, memories: Sequence[PromptMemory]) -> list[PromptMemory]:
    """What people said in these words and no others, as `forget it` says nothing of what was told before."""
    return [item for item in _said(memories) if _words(_TO_KEEP.sub('', item.text)) == _words(what)]


def _words(text: str) -> list[str]:
    return re.findall(r'\w+', text.lower())


def _said(memories: Sequence[PromptMemory]) -> list[PromptMemory]:
    return [item for item in memories if item.kind == 'said' and item.speaker != ROBOT]


def _told(what: str, memories: Sequence[PromptMemory]) -> list[PromptMemory]:
    """What people said with most of the words, and with all of the numbers."""
    wanted = content_words(what)
    numbers = {word for word in wanted if any(map(str.isdigit, word))}
    said = [(item, content_words(item.text)) for item in _said(memories)]
    return [
        item
        for item, words in said
        if wanted and numbers <= words and len(wanted & words) / len(wanted) >= _LEAST_SHARE
    ]


def _others(text: str, what: str) -> list[str]:
    """The parts of a text that have no word of what is to be forgotten, and refer to nothing."""
    wanted = content_words(what)
    parts = [part.strip(' .,') for part in _PARTS.split(text)]
    if len(parts) < 2:
        return []
    return [
        part
        for part in parts
        if not wanted & content_words(part) and not _REFERS.match(part) and len(part.split()) >= _LEAST_WORDS
    ]
