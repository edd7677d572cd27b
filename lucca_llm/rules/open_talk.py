"""What the rules leave open in a conversation: questions about the world, and small talk."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from lucca_language.words.lexicon import lexicon
from lucca_llm.model import Message
from lucca_llm.rules.conversation_answers import UNKNOWN
from lucca_llm.rules.conversation_prompt import ConversationTurn, read_turn
from lucca_llm.rules.prompt_reader import call_text
from lucca_llm.rules.quotation import content_words

GENERAL_KNOWLEDGE = 'As far as I know'
"""How an answer begins that rests on general knowledge, so that nobody takes it for something that was told."""


class OpenKind(Enum):
    """What is left open."""

    QUESTION = 'a question about the world'
    SMALL_TALK = 'small talk'


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """A turn to which the rules have no answer of their own."""

    kind: OpenKind
    said: str

    def answer(self, words: str) -> str:
        """The call that says these words; the answer to a question is marked as general knowledge."""
        if self.kind is OpenKind.QUESTION:
            words = f'{GENERAL_KNOWLEDGE}: {words}'
        return call_text('say', words)


_ABOUT_SOMEBODY = re.compile(
    r"\b(?:i|i'\w+|me|my|mine|we|we'\w+|us|our|ours|you|you'\w+|your|yours|he|he's|him|his|she|she's|her|hers|they|"
    r"they'\w+|them|their|theirs|it|it's|its|this|that|these|those|here|now|today|tomorrow|yesterday|tonight|ago|"
    r'last|next|who|whose|somebody|someone|anybody|anyone|everybody|everyone|family|friend|colleague)\b',
    re.IGNORECASE,
)
"""Words with which a question may be about a person, the table or the present, of which a model knows nothing."""
_ABOUT_THE_HOUSE = re.compile(
    r'\b(?:tables?|box(?:es)?|objects?|tasks?|robots?|arms?|hands?|grippers?|cameras?|tower|room|lab|'
    r'office|kitchen|weather|raining|snowing|time|date|day)\b',
    re.IGNORECASE,
)
_DEFINITE = re.compile(r'\b(?:the|which|any|some|there)\b', re.IGNORECASE)
_WHERE = re.compile(r'^\W*where\b', re.IGNORECASE)
_NAME = re.compile(r"(?<!^)\b[A-Z][\w'’-]*")
_OF_THE_WORLD = re.compile(r"\b(?:of|in|from|than|between|near|and) (?:the )?[A-Z][\w-]*\b(?!['’]s)")
"""A name that may be a town's. Any other name may be an acquaintance's, of whom a model knows nothing."""
_ONE_QUESTION = re.compile(r'^[^.?!]+\?*$')
_SMALL_TALK = re.compile(
    r'^\W*(?:how (?:are|do) you(?: feel(?:ing)?| doing)?\b(?! (?:know|move|see|grasp|hold|lift))|how is it going|'
    r"how's it going|what's up|do you (?:like|love|enjoy|dream|sleep|eat)\b|what do you think (?:of|about)\b|"
    r'(?:please )?tell me (?:a|another) (?:joke|story|riddle)|do you know (?:a|any) (?:jokes?|stor(?:y|ies)|riddles?)|'
    r'what(?: is|\'s) your favou?rite\b|are you (?:happy|sad|tired|bored|well|ok|okay|fine|hungry)\b)',
    re.IGNORECASE,
)


def open_turn(messages: Sequence[Message], answer: str) -> OpenTurn | None:
    """What a chat leaves open if the rules gave this answer to it; None if the answer stands.

    A question is open only if no word of it can be about a person, the table, the present, or what was said or done.
    Statements never are: a model that answers what a person tells of their life makes up the rest of it.
    """
    if not answer.startswith('<say(') or (turn := read_turn(messages)) is None:
        return None
    if content_words(' '.join(turn.table)) & content_words(turn.said):
        return None
    if _SMALL_TALK.match(turn.said):
        return OpenTurn(OpenKind.SMALL_TALK, turn.said)
    if (
        answer != UNKNOWN
        or not _ONE_QUESTION.match(turn.said)
        or _may_be_about_somebody(turn)
        or _may_be_about_things_here(turn)
    ):
        return None
    return OpenTurn(OpenKind.QUESTION, turn.said)


def _may_be_about_somebody(turn: ConversationTurn) -> bool:
    names = _NAME.findall(turn.said)
    told = content_words(' '.join([turn.person, *(item.text for item in (*turn.memories, *turn.last_time))]))
    known = any(content_words(name) & told for name in names)
    return known or len(names) > len(_OF_THE_WORLD.findall(turn.said)) or bool(_ABOUT_SOMEBODY.search(turn.said))


def _may_be_about_things_here(turn: ConversationTurn) -> bool:
    nouns = lexicon()
    words = re.findall(r'[a-z]+', turn.said.lower())
    things = _DEFINITE.search(turn.said) is not None and any(nouns.knows(nouns.singular(word)) for word in words)
    somewhere = _WHERE.match(turn.said) is not None and not _NAME.search(turn.said)
    return things or somewhere or bool(_ABOUT_THE_HOUSE.search(turn.said))
