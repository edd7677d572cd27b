"""The kinds of things that people say, between which a small model chooses by likelihood, and which are open when."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from lucca_core.person_names import check_name
from lucca_core.protocol.tasks import TaskState
from lucca_language.words.function_words import FUNCTION_WORDS
from lucca_language.words.lexicon import lexicon
from lucca_language.words.verbs import verb
from lucca_language.words.word_sets import any_of
from lucca_llm.rules.answers.forgetting import asks_to_forget
from lucca_llm.rules.answers.open_talk import asks_about_the_world
from lucca_llm.rules.utterances.requests import sentences_in
from lucca_llm.rules.utterances.said_sentence import Mood
from lucca_llm.rules.utterances.teaching import taught

_REMEMBER = re.compile(
    r"^(?:please )?(?:remember|keep in mind|note|do not forget|don't forget)(?: that|:)?\s+(?P<what>.+?)[.!]*$",
    re.IGNORECASE,
)
_REMEMBER_THAT = re.compile(r'^(?:please )?(?:remember|keep in mind|note)(?: that\b|:)', re.IGNORECASE)
_NEXT_SENTENCE = re.compile(r'[.!?;]\s+\S')
_FORGET = re.compile(r'\b(?:forget|erase|delete)\b', re.IGNORECASE)
_SURNAME = r"(?: [A-Z][\w'’-]*)?"
_NAME = re.compile(rf"\b(?i:my name is|i am called|i'm called|name's)\s+(?P<name>[^\W\d_][\w'’-]*{_SURNAME})")
_MAYBE_NAME = re.compile(rf"\b(?i:call me|this is|i am|i'm)\s+(?P<name>[^\W\d_][\w'’-]*{_SURNAME})")
_STOP = re.compile(r'\b(?:stop|halt|cancel|abort|quit|enough)\b', re.IGNORECASE)
_BEGINS = any_of('do start begin go continue resume carry follow search enter turn catch find switch')
"""Verbs that begin a request but handle nothing, so the lexicon may lack them. The task loop refuses the impossible."""
_STOPS = re.compile(
    r'^(?:(?:please|just|now|to)\b,? )*(?:(?:stop|halt|cancel|abort|quit)\w*|(?:that is )?enough)\b', re.IGNORECASE
)
_STOPS_THEN = re.compile(
    r'(?:\b(?:and|then)|,) (?:then )?(?:please )?(?:stop|halt|quit|abort)(?: now| then)?[.!]*$', re.IGNORECASE
)
"""A stop behind a request: `put the pear in box 1 and stop`. What else is asked for is told, and not begun."""
_GOES_ON = re.compile(r"^(?:never mind|(?:do not|don't|never) (?:stop|halt|cancel|abort|quit|worry)\b)", re.IGNORECASE)
_OF_ROBOT = re.compile(
    r'^(?:(?:so|and|but|well|oh|hi|hello|hey)\b,? )*(?:'
    r"(?:(?:what|how|who|where|why|when)\b(?: \w+){0,2} )?(?:can(?:'t)?|(?:do|are|wo|would|could)(?:n't)?|will) you\b"
    r'(?! (?:know|remember|recall|tell|say|think|believe|mean|see|hear|find|repeat|still|done|finished))|'
    r"(?:what|who|where|how)(?:'s| is| are) your?\b)",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(
    r'\b(?i:i|me|my|mine|we|us|our|about|told|said|\w+ing|what (?:is|was))\b'
    r"|\b(?!(?i:what|who|where|how|it|that)')\w+'s\s"
    r'|(?<!^)(?<![.!?,] )\b[A-Z]\w'
)
"""What may have been told: of the speaker, of a person with a name, of what is theirs; or what is being done."""


class TalkKind(StrEnum):
    """What something said is, in the words of the prompt."""

    GREETING = 'a greeting'
    GOODBYE = 'a goodbye'
    THANKS = 'thanks'
    SMALL_TALK = 'small talk'
    STATEMENT = 'a statement'
    ABOUT_ME = 'a question about the robot'
    TOLD_BEFORE = 'a question about what was told'
    LAST_TALK = 'a question about the last talk'
    TABLE = 'a question about the table'
    DEEDS = 'a question about what the robot did'
    WORLD = 'a question about the world'
    REQUEST = 'a request'
    STOP = 'a stop'
    NAME = 'a name'
    REMEMBER = 'something to remember'
    FORGET = 'something to forget'
    LESSON = 'a new task'


ALWAYS = (
    TalkKind.GREETING,
    TalkKind.GOODBYE,
    TalkKind.THANKS,
    TalkKind.SMALL_TALK,
    TalkKind.STATEMENT,
    TalkKind.ABOUT_ME,
    TalkKind.TOLD_BEFORE,
    TalkKind.LAST_TALK,
    TalkKind.TABLE,
    TalkKind.DEEDS,
)
"""The kinds that are always open. Nothing is moved, kept or forgotten because of them."""

_NOT_ABOUT_ME = (TalkKind.TOLD_BEFORE, TalkKind.LAST_TALK, TalkKind.DEEDS)
"""Kinds of questions that a question about the robot alone is not."""


@dataclass(frozen=True, slots=True)
class Open:
    """The kinds that are open for something said, with the arguments that it holds for them.

    Attributes:
        kinds: what the model may choose.
        name: the name of a guest who may be introducing themselves.
        to_remember: what the person asks to be kept.
        lesson: name and description of a task that is taught.
    """

    kinds: tuple[TalkKind, ...]
    name: str = ''
    to_remember: str = ''
    lesson: tuple[str, str] | None = None


def open_kinds(text: str, *, person: str, tasks: Sequence[TaskState]) -> Open:
    """The kinds that are open. What moves, keeps or forgets something is so only if the words have the form of it.

    A sentence of its own that begins with "Remember that …" or "Forget that …" can mean nothing else, so only that kind
    is open.

    Args:
        text: what was said.
        person: who said it; empty for a guest.
        tasks: the tasks that are known.
    """
    running = any(task.status == 'running' for task in tasks)
    remembered, is_alone = (
        _REMEMBER.match(text),
        not _NEXT_SENTENCE.search(text) and not (running and _STOP.search(text)),
    )
    if remembered is not None and is_alone and _REMEMBER_THAT.match(text):
        return Open((TalkKind.REMEMBER,), to_remember=remembered['what'])
    if asks_to_forget(text) and is_alone and not running:  # a task that runs may be asked to forget the pear
        return Open((TalkKind.FORGET,))
    kinds = list(ALWAYS)
    if asks_about_the_robot(text):
        kinds = [kind for kind in kinds if kind not in _NOT_ABOUT_ME]
    if asks_about_the_world(text):
        kinds.append(TalkKind.WORLD)
    if _may_ask(text) or _plain(text) in {_plain(task.task) for task in tasks}:
        kinds.append(TalkKind.REQUEST)
    if _STOP.search(text) and running:
        kinds.append(TalkKind.STOP)
    name = '' if person else name_in(text)
    if name:
        kinds.append(TalkKind.NAME)
    if remembered is not None:
        kinds.append(TalkKind.REMEMBER)
    elif _FORGET.search(text):
        kinds.append(TalkKind.FORGET)
    lesson = taught(text)
    if lesson is not None:
        kinds.append(TalkKind.LESSON)
    return Open(
        tuple(kinds),
        name=name,
        to_remember=remembered['what'] if remembered is not None else '',
        lesson=lesson,
    )


def asks_about_the_robot(text: str) -> bool:
    """Whether a question is about the robot alone, so that nothing that a person told can answer it."""
    plain = text.replace('’', "'")
    return _OF_ROBOT.match(plain) is not None and _OF_OTHERS.search(plain) is None


def _may_ask(text: str) -> bool:
    """Whether a sentence is a request that begins with a verb that is known. `Yes.` and `Hello.` are none."""
    first = [_plain(item.asked).partition(' ')[0] for item in sentences_in(text) if item.mood is Mood.REQUEST]
    return any(word in _BEGINS or verb(word) is not None for word in first)


def asks_to_stop(text: str) -> bool:
    """Whether a sentence asks for a stop, in whatever polite form. With a running task that needs no model."""
    asked = [item.asked for item in sentences_in(text) if item.mood is Mood.REQUEST]
    return any(_STOPS.match(said) or (_STOPS_THEN.search(said) and not _GOES_ON.match(said)) for said in asked)


def forbids(text: str) -> bool:
    """Whether a sentence forbids something, such as `not the pear!`, which a running task has to hear."""
    return any(item.mood is Mood.FORBID and not _GOES_ON.match(item.text) for item in sentences_in(text))


def name_in(text: str) -> str:
    """The name that a guest may be giving; empty if there is none.

    After `I am` or `this is`, only a capitalised word that is no common noun counts.
    """
    found, sure = _MAYBE_NAME.search(text), _NAME.search(text)
    found = sure or found
    if found is None:
        return ''
    name = found['name']
    first = name.split()[0]
    if first.casefold() in FUNCTION_WORDS or (
        sure is None and (not first[0].isupper() or lexicon().knows(first.lower()))
    ):
        return ''
    try:
        return check_name(name)
    except ValueError:
        return ''  # too long, for example: then it is not taken for a name


def _plain(text: str) -> str:
    return ' '.join(re.findall(r'[^\W_]+', text.casefold()))
