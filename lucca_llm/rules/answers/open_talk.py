"""What the rules leave open in a conversation: questions about the world, and small talk."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from lucca_language.words.lexicon import lexicon
from lucca_language.words.word_sets import any_of
from lucca_llm.model import Message
from lucca_llm.rules.answers.phrases import UNKNOWN
from lucca_llm.rules.prompts.conversation_prompt import ConversationTurn, read_turn
from lucca_llm.rules.prompts.prompt_reader import say
from lucca_llm.rules.utterances.quotation import content_words
from lucca_llm.rules.utterances.world_questions import is_about_the_world

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
        return say(words)


_ABOUT_SOMEBODY = re.compile(
    r'\b(?:me|my|mine|we|us|our|ours|yours?|he|him|his|she|her|hers|they|them|theirs?|it|its|this|that|these|those|'
    r'here|now|today|tomorrow|yesterday|tonight|ago|last|next|who|whose|somebody|someone|anybody|anyone|everybody|'
    r'everyone|said|told|doing|going|missing|left|ready|gone|family|friends?|colleagues?|'
    r'guests?|visitors?|neighbou?rs?|mum|mom|dad|mother|father|brothers?|sisters?|sons?|'
    r'daughters?|wife|husband|grandma|grandpa|grand\w+|aunt|uncle|cousin|boss|nurse|doctor)\b',
    re.IGNORECASE,
)
"""Words with which a question may be about a person or the present, of which a model knows nothing."""
_ABOUT_THE_HOUSE = re.compile(
    r'\b(?:tables?|box(?:es)?|objects?|things?|tasks?|robots?|arms?|hands?|grippers?|cameras?|tower|room|lab|office|'
    r'kitchen|house|home|flat|garden|company|school|class|shop|weather|raining|snowing|shining|sorting|time|date|day|'
    r'dinner|lunch|breakfast)\b',
    re.IGNORECASE,
)
_CAPITALISED = re.compile(r'\b[A-Z]\w+')
_NAME = re.compile(r"(?<!^)\b[A-Z][\w'’-]*")
_OF_THE_WORLD = re.compile(r"\b(?:of|in|from|than|between|near|and|is) (?:the )?[A-Z][\w-]*\b(?!['’]s)")
"""A name that may be a town's. Any other name may be an acquaintance's, of whom a model knows nothing."""
_GREETING = r'(?:(?:hi|hello|hey|good (?:morning|afternoon|evening))(?: there| robot)?[,.! ]+)?'
_TALK = re.compile(
    rf'{_GREETING}(?:'
    r"how are you(?: doing| feeling)?(?: today| this morning)?|how do you feel(?: today)?|(?:how is|how's) it going|"
    r"how are things|(?:what's|what is) up|do you(?: ever)? (?:dream|sleep|eat)|"
    r'are you (?:happy|sad|tired|bored|well|ok|okay|fine|hungry)(?: today)?|'
    r'(?:please |(?:can|could|would) you )?tell me (?:a|another) (?:joke|story|riddle)|'
    r'do you know (?:a|any) (?:good )?(?:jokes?|stor(?:y|ies)|riddles?)|'
    r"(?:what is|what's) your favou?rite (?:colou?r|food|fruit|drink|animal|song|book|film|movie|number|season|sport)|"
    r'(?:do you (?:like|love|enjoy)|what do you think (?:of|about)) (?P<topic>[a-z]+(?: [a-z]+)?))'
    r'(?:,? please)?',
)
_TOPICS = any_of(
    'music jazz rock opera art poetry books films movies football tennis sport sports dancing singing cooking reading '
    'chess games travel nature flowers trees animals birds winter spring summer autumn rain snow sunshine '
    'mountains sea beach forest humans people robots machines computers science history mathematics space chocolate '
    'coffee tea christmas holidays jokes colours modern classical old new hot cold'
)
"""What a robot is asked its opinion of, and words before that. Anything else may be an acquaintance or an event."""


def open_turn(messages: Sequence[Message], answer: str) -> OpenTurn | None:
    """What is left open in a chat that the rules answered like this; None if their answer stands.

    A question is open only if it has a form of questions about the world, and no word of it can be about a person, the
    table, the present, or what was said or done. Small talk is open in a few fixed forms. Statements are
    never open: a model that answers what a person tells of their life makes up the rest of it.
    """
    if not answer.startswith('<say(') or (turn := read_turn(messages)) is None:
        return None
    if content_words(' '.join(turn.table)) & content_words(turn.said):
        return None
    if _is_small_talk(turn.said):
        return OpenTurn(OpenKind.SMALL_TALK, turn.said)
    if answer != UNKNOWN or not is_about_the_world(turn.said) or _may_be_about_somebody_or_here(turn):
        return None
    return OpenTurn(OpenKind.QUESTION, turn.said)


def asks_about_the_world(said: str) -> bool:
    """Whether a text has the form of a question about the world, and no word of it can be of a person or of here."""
    return is_about_the_world(said) and not _names_somebody_or_something_here(said)


def _is_small_talk(said: str) -> bool:
    match = _TALK.fullmatch(' '.join(said.lower().replace('’', "'").split()).strip(' ?.!'))
    return match is not None and (match['topic'] is None or all(_is_topic(word) for word in match['topic'].split()))


def _is_topic(word: str) -> bool:
    nouns = lexicon()
    return word in _TOPICS or nouns.knows(nouns.singular(word))


def _may_be_about_somebody_or_here(turn: ConversationTurn) -> bool:
    told = ' '.join([turn.person, *(f'{item.speaker} {item.text}' for item in (*turn.memories, *turn.last_time))])
    known = content_words(' '.join(_CAPITALISED.findall(told)))
    return bool(known & content_words(turn.said)) or _names_somebody_or_something_here(turn.said)


def _names_somebody_or_something_here(said: str) -> bool:
    """Whether a word may be of a person, of the house or of the present, so that general knowledge cannot answer it."""
    return len(_NAME.findall(said)) > len(_OF_THE_WORLD.findall(said)) or bool(
        _ABOUT_SOMEBODY.search(said) or _ABOUT_THE_HOUSE.search(said)
    )
