"""Answers to what people prohibit, permit again, or ask about prohibitions: calls first, then a word."""

import re
from collections.abc import Sequence

from lucca_llm.prompt_text import harmless
from lucca_llm.rules.prompts.conversation_prompt import ConversationTurn, Lookup
from lucca_llm.rules.prompts.prompt_reader import OfferedCall, call_text, say
from lucca_llm.rules.prompts.table_view import TableView
from lucca_llm.rules.utterances.said_prohibitions import (
    ALLOW,
    PROHIBIT,
    SaidOfProhibitions,
    asks_what_is_prohibited,
    change_in,
    is_conditional,
    lifted_in,
)
from lucca_llm.rules.utterances.said_sentence import Mood, SaidSentence

_REPORTED_PROHIBITION = re.compile(
    r"^(?:but |and |so )?you(?:'ve| have)? (?:told|asked) (?:me|us) (?:not|never) to (?:touch|move|take|use|put)\b"
    r'(?![^.!]*\b(?:but|so|then|now|instead)\b)[^.;!?,]*[.!]*$',
    re.IGNORECASE,
)
"""Somebody reports a prohibition: `you told me not to touch the cup`. The answer is what is prohibited."""
CONDITION = (
    'I can keep a prohibition until somebody lifts it, but not under a condition. I have kept none: tell me without '
    'the condition what I must not touch.'
)
"""What somebody is told who prohibits something under a condition."""


class ProhibitionAnswers:
    """The part of a turn that is about prohibitions. Without the calls for them, it answers nothing."""

    def __init__(
        self,
        turn: ConversationTurn,
        offered: Sequence[OfferedCall],
        sentences: Sequence[SaidSentence],
        table: TableView,
    ) -> None:
        self._turn = turn
        self._offered = {'prohibit', 'allow', 'prohibitions'} <= {call.name for call in offered}
        self._sentences = sentences
        self._table = table

    def answer(self, *, running: bool) -> str | None:
        """The next call, or the answer; None if nothing is said of prohibitions, or a running task has to hear it."""
        if not self._offered:
            return None
        if asks_what_is_prohibited(self._turn.said) or _REPORTED_PROHIBITION.match(self._turn.said):
            return self._listed()
        change = change_in(self._sentences, self._table)
        if change is not None and (call := self._call(change.name, change.said)):
            return call  # before what is asked for beside it
        if change is not None and change.name == ALLOW:
            return self._told(ALLOW, 'I have lifted nothing')
        if change is not None and not change.beside:
            if running and not all(sentence.mood is Mood.RULE for sentence in self._sentences):
                return None
            if change.said.unclear:
                return say(unclear('I keep no prohibition', change.said.unclear))
            return self._told(PROHIBIT, 'I keep no prohibition')
        if is_conditional(self._sentences) and not running:
            return say(CONDITION)
        return None

    def _call(self, name: str, said: SaidOfProhibitions) -> str:
        """The first call that was not made in this turn; empty if all were."""
        made = {harmless(step.argument) for step in self._steps(name)}
        return next((call_text(name, str(item)) for item in said.found if harmless(str(item)) not in made), '')

    def _told(self, name: str, nothing: str) -> str:
        """A word for the person, who is told the result of the calls anyway."""
        steps = self._steps(name)
        if not steps:
            said = lifted_in(self._sentences, self._table)
            return say(unclear(nothing, said.unclear if said is not None else self._turn.said))
        done = all(step.lines and step.lines[0].startswith('Done:') for step in steps)
        return say('All right.' if done else 'Sorry.')

    def _listed(self) -> str:
        step = self._turn.step('prohibitions')
        return call_text('prohibitions', '') if step is None else say(' '.join(step.lines))

    def _steps(self, name: str) -> list[Lookup]:
        return [step for step in self._turn.steps if step.call == name]


def unclear(nothing: str, words: str) -> str:
    """Tells that some words are not understood, and so nothing is done."""
    return f'I do not know which things you mean by “{words}”. {nothing}. Please say it in other words.'
