"""Whether an utterance asks for something that may move the arms."""

from lucca_llm.rules.utterances.quotation import is_bare_phrase
from lucca_llm.rules.utterances.requests import is_exclamation, may_ask, sentences_in
from lucca_llm.rules.utterances.said_sentence import Mood, SaidSentence
from lucca_llm.rules.utterances.talk_forms import is_goodbye, is_greeting, is_thanks
from speech_node.interfaces import IntentKind, Transcript

_ASKING = (Mood.REQUEST, Mood.RULE)
_COURTESIES = (is_exclamation, is_greeting, is_goodbye, is_thanks)


def is_request(heard: Transcript) -> bool:
    """Whether an utterance may ask the robot to do something, or to end a task.

    Free speech is judged by its sentences, in English only: by their mood, and what is no question by its words. A few
    words without a verb may ask for something, too: the name of a task, or "and the pear" behind a request.
    """
    if heard.intent is not None:
        return heard.intent.kind.moves or heard.intent.kind is IntentKind.CANCEL
    return any(map(_may_ask, sentences_in(heard.text)))


def _may_ask(sentence: SaidSentence) -> bool:
    if sentence.mood is not Mood.STATEMENT:
        return sentence.mood in _ASKING
    text = sentence.text
    return may_ask(text) or (is_bare_phrase(text) and not any(is_courtesy(text) for is_courtesy in _COURTESIES))
