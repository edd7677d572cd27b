"""The length of the prompt at each action of a session, and an example of a window that lost its instruction."""

from collections.abc import Mapping, Sequence
from typing import Any

from lucca_lab.tasks.spec import Mode
from lucca_lab.tasks.suites import GRID, WINDOWS

_SHOWN_CHARS = 600


class PromptGrowth:
    """Mean tokens of the prompts before the first, second, … action, in one session with all tasks of the grid."""

    def __init__(self) -> None:
        self.series: dict[bool, list[list[int]]] = {}

    def add(self, record: Mapping[str, Any]) -> None:
        """Counts one trial if it belongs to the grid and is consecutive."""
        if record['suite'] == GRID and record['mode'] == Mode.CONSECUTIVE:
            tokens = [count for item in record['tasks'] for count in item['prompt_tokens']]
            self.series.setdefault(record['memory'], []).append(tokens)

    def means(self, memory: bool) -> list[float]:
        """The mean prompt tokens of each action, over the sessions that got this far."""
        sessions = self.series.get(memory, [])
        longest = max(map(len, sessions), default=0)
        at = [[tokens[place] for tokens in sessions if len(tokens) > place] for place in range(longest)]
        return [sum(counts) / len(counts) for counts in at]


def is_lost_instruction(record: Mapping[str, Any]) -> bool:
    """Whether a trial failed without memory after the window had dropped its first message."""
    failed = any(not item['success'] for item in record['tasks'])
    return record['suite'] in (GRID, WINDOWS) and not record['memory'] and failed and record['calls_cut'] > 0


def lost_instruction(record: Mapping[str, Any]) -> str:
    """The moment at which the window lost the instruction, as Markdown."""
    calls = [call for call in record['transcript'] if call['to'] == 'coordinator']
    at = next(number for number, call in enumerate(calls) if call['dropped'])
    lines = [
        f'# How an instruction leaves the window: trial `{record["trial"]}`',
        '',
        'Without memory the whole dialogue is sent. Its first message holds the instructions; it is the first to go '
        'when '
        'the dialogue outgrows the window. The last calls before and the first ones after that:',
        '',
    ]
    lines += _shown(calls, max(0, at - 2), at + 2)
    first = next(call['first'] for call in calls if 'first' in call)
    lines += ['The message that is not sent any more began:', '', '```text', _cut(first), '```', '']
    ends = ', '.join(f'{item["task"]} {"complete" if item["success"] else "not complete"}' for item in record['tasks'])
    return '\n'.join([*lines, f'What came of the session: {ends}.', ''])


def _shown(calls: Sequence[Mapping[str, Any]], start: int, end: int) -> list[str]:
    lines = []
    for number in range(start, min(end, len(calls))):
        call = calls[number]
        left = f'{call["dropped"]} left out' if call['dropped'] else 'none left out'
        lines += [
            f'**Call {number + 1}**: {call["sent"]} messages sent, {left}, {call["tokens"]} tokens.',
            '',
            '```text',
            _cut(call['asked']),
            '---',
            call.get('answered', call.get('error', '')),
            '```',
            '',
        ]
    return lines


def _cut(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + ' …'
