"""Whether an utterance asks for something that may move the arms."""

from lucca_llm.rules.requests import sentences_in
from lucca_llm.rules.said_sentence import Mood
from speech_node.interfaces import IntentKind, Transcript

_ASKING = (Mood.REQUEST, Mood.RULE)


def is_request(heard: Transcript) -> bool:
    """Whether an utterance asks the robot to do something, or to end a task.

    Free speech is judged by the mood of its sentences, which is known in English only.
    """
    if heard.intent is not None:
        return heard.intent.kind.moves or heard.intent.kind is IntentKind.CANCEL
    return any(sentence.mood in _ASKING for sentence in sentences_in(heard.text))
