"""The part of a message that tells something rather than asks for something.

A question wants an answer of any age, mostly in the asker's own words. A message that tells something ("the flights are
booked, let's look at the campsites") continues what both have talked about lately.
"""

import re

# A dot within a word, as in 3.5 or config.yaml, does not end a sentence.
_SENTENCE_END = re.compile(r'(?<=[.?!])(?=\s)|(?<=\n)')
# Text from speech recognition has no question marks.
_ASKS = re.compile(
    r'\W*(?:(?:please|so|and|also|ok(?:ay)?|now|hi|hello|hey)\W+)*'
    r'(?:what|which|who|whose|when|where|why|how|do|does|did|is|are|was|were|has|have|had|can|could|would|will|should|'
    r'tell|remind|list|describe|summari[sz]e|explain|show|give|find|name|mention|answer|compare|recall|'
    r'i\W+(?:(?:need|want|(?:would|[\'’]d)\W+like)\W+to\W+know|wonder))\b',
    re.IGNORECASE,
)
_SPEAKERS = re.compile(r"\b(?:i|me|my|mine|we|us|our|ours|let['’]s)\b", re.IGNORECASE)


def sentences_in(message: str) -> list[str]:
    """The sentences of a message that have letters or digits, with the space around them."""
    return [text for text in _SENTENCE_END.split(message) if any(map(str.isalnum, text))]


def asks(sentence: str) -> bool:
    """Whether a sentence asks for something rather than tells it."""
    return '?' in sentence or _ASKS.match(sentence) is not None


def telling_share(message: str) -> float:
    """Share of a message's characters in sentences that tell something, 0 to 1.

    A single sentence without "I", "we" and the like counts as the name of something to look up, such as "gym hours".
    """
    sentences = sentences_in(message)
    if len(sentences) < 2 and not _SPEAKERS.search(message):
        return 0.0
    return sum(len(text) for text in sentences if not asks(text)) / max(len(message), 1)
