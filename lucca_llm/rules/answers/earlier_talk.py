"""What was said earlier, told again: last time, first or last in this conversation, and on which day."""

import datetime
from collections.abc import Sequence

from lucca_llm.rules.prompts.conversation_prompt import ROBOT, ConversationTurn, PromptMemory
from lucca_llm.rules.utterances.quotation import is_question
from lucca_llm.rules.utterances.talk_forms import is_goodbye, is_greeting


def last_time(turn: ConversationTurn) -> str:
    """What the person said last time; in this conversation if there was no earlier one."""
    if told := told_last_time(turn):
        return f'{day_of(told[-1].date, turn.today)} {_retold([item.text for item in told])}.'
    if said := [text for text in turn.before if _tells(text)]:
        return f'We have only just begun to talk: {_retold(said)}.'
    # Behind a request to forget, the prompt shows nothing of this conversation; but memory has the rest of it.
    recalled = [item for item in turn.memories if item.kind == 'said' and item.speaker == turn.person != '']
    if said := [item.text for item in recalled if _tells(item.text)]:
        return f'{day_of(recalled[-1].date, turn.today)} {_retold(said)}.'
    return 'I do not remember an earlier conversation with you.'


def said_here(turn: ConversationTurn, which: str) -> str:
    """The `first` or the `last` text of the person in this conversation, except greetings."""
    said = [text for text in turn.before if not is_greeting(text)]
    if not said:
        return 'Nothing yet: we have only just begun to talk.'
    if which == 'first':
        return f'As far back as I have our talk at hand, {_retold(said[:1])}.'
    return f'Last, {_retold(said[-1:])}.'


def told_last_time(turn: ConversationTurn) -> list[PromptMemory]:
    """What the person said last time, except greetings."""
    return [item for item in turn.last_time if item.speaker != ROBOT and _tells(item.text)]


def _tells(text: str) -> bool:
    """Whether a text is no greeting and was said; what is in parentheses stands for a request to forget something."""
    return not (is_greeting(text) or is_goodbye(text) or text.startswith('('))


def day_of(date: str, today: str) -> str:
    """A date such as `2026-11-20` in words, at the beginning of a sentence."""
    if date and date == today:
        return 'Earlier today'
    try:
        day = datetime.date.fromisoformat(date)
    except ValueError:
        return 'Some time ago'
    return f'On {day.day} {day:%B %Y}'


def quoted(memory: PromptMemory, sentence: str, turn: ConversationTurn) -> str:
    """A sentence of a memory with its date or source, for the person of a turn."""
    day = day_of(memory.date, turn.today)
    if memory.kind == 'fact':
        return f'{memory.source} says: “{unended(sentence)}”.'
    if memory.kind == 'summary':
        return f'{day} I noted: “{unended(sentence)}”.'
    teller = 'you' if memory.speaker in (turn.person, 'guest', '') else memory.speaker
    over = {
        '': '',
        'maybe': '; something newer was said about this',
        'partly': '; some of that no longer holds',
        'all': '; that no longer holds',
    }[memory.outdated]
    return f'{day} {teller} told me: “{unended(sentence)}”{over}.'


def unended(text: str) -> str:
    """A text without its full stop and quotation marks."""
    return text.strip().rstrip('.').strip('“”"')


def _retold(texts: Sequence[str]) -> str:
    """The last four texts, retold as `you said …`."""
    return '; '.join(f'you {"asked" if is_question(text) else "said"}: “{unended(text)}”' for text in texts[-4:])
