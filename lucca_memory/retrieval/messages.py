"""How much of a message tells something rather than asks for something.

Who asks wants an answer of whatever age, mostly in their own words. Who tells ("the flights are booked, let's look at
the campsites") goes on with what both talked about lately.
"""

import re

# A dot within a word, as in 3.5 or config.yaml, ends nothing.
_SENTENCE_END = re.compile(r'(?<=[.?!])(?=\s)|(?<=\n)')
# What speech recognition writes has no question marks.
_ASKS = re.compile(
    r'\W*(?:(?:please|so|and|also|ok(?:ay)?|now|hi|hello|hey)\W+)*'
    r'(?:what|which|who|whose|when|where|why|how|do|does|did|is|are|was|were|has|have|had|can|could|would|will|should|'
    r'tell|remind|list|describe|summari[sz]e|explain|show|give|find|name|mention|answer|compare|recall|'
    r'i\W+(?:(?:need|want|(?:would|[\'’]d)\W+like)\W+to\W+know|wonder))\b',
    re.IGNORECASE,
)
_SPEAKERS = re.compile(r"\b(?:i|me|my|mine|we|us|our|ours|let['’]s)\b", re.IGNORECASE)


def telling_share(message: str) -> float:
    """Share of a message's characters in sentences that tell something, 0 to 1.

    A single sentence without "I", "we" and the like is taken for a name of what is asked for, such as "gym hours".
    """
    sentences = [text for text in _SENTENCE_END.split(message) if any(map(str.isalnum, text))]
    if len(sentences) < 2 and not _SPEAKERS.search(message):
        return 0.0
    told = [text for text in sentences if '?' not in text and not _ASKS.match(text)]
    return sum(map(len, told)) / max(len(message), 1)
