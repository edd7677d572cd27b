"""A question whether a thing is here, and what to do with it then: `do you see a banana? Put it in the bowl.`"""

import re
from collections.abc import Sequence
from dataclasses import replace

from lucca_language.words.verbs import is_handling
from lucca_llm.rules.utterances.said_sentence import Mood, SaidSentence

_ASKS = re.compile(
    r"^(?:(?:do|can|could) you (?:see|find|spot)|have you got|do you have|(?:is|are) there|there(?:'s| is| are)|"
    r"where(?:'s| is| are)) (?P<what>(?!(?:it|they|them|one|that|this|you|i|we|he|she|no|none)\b)[^,;?!]+?)\s*[.?!]*$",
    re.IGNORECASE,
)
_THEN = re.compile(r'^(?:if (?:so|yes|you do|there (?:is|are)|you can)|then|in that case)\b,?\s*', re.IGNORECASE)
_WANTED = re.compile(
    r"^(?:i|we)(?:(?: really)? (?:want|need)|(?: would|'d)(?: really)? (?:like|love))(?: to have)? "
    r'(?P<what>it|one|them)(?:,? please)?[.!]*$',
    re.IGNORECASE,
)
_OF_IT = re.compile(
    r'\b(?:it|them|one(?=\s*(?:$|[.,!?]|(?:in|into|on|onto|to|for|from|please|and)\b)))\b', re.IGNORECASE
)
_MANY = re.compile(r'^(?:are there|there are|where are)\b', re.IGNORECASE)


def conditional(sentences: Sequence[SaidSentence]) -> tuple[SaidSentence, ...]:
    """The sentences, where a question whether a thing is here and a request that is about it are one request.

    The request is asked for if the thing is here, as in `if there is a banana, put it in the bowl`.
    """
    joined: list[SaidSentence] = []
    for sentence in sentences:
        asked = _ASKS.match(joined[-1].text) if joined and joined[-1].mood is not Mood.REQUEST else None
        if asked is not None and re.fullmatch(r'[A-Z]\w*', asked['what']):
            asked = None  # `Where is Ben?`
        wish = _THEN.sub('', sentence.asked)
        is_question = asked is not None and joined[-1].mood is Mood.QUESTION
        if is_question and (wanted := _WANTED.match(wish)) is not None:
            wish = f'give {wanted["what"]} to me.'
            sentence = replace(sentence, mood=Mood.REQUEST)
        if asked is not None and sentence.mood is Mood.REQUEST and _OF_IT.search(wish) and _is_deed(wish):
            are = 'are' if _MANY.match(joined[-1].text) else 'is'
            before = joined.pop()
            wish = f'if there {are} {asked["what"]}, {wish[:1].lower()}{wish[1:]}'
            sentence = replace(sentence, asked=wish, text=f'{before.text} {sentence.text}')
        joined.append(sentence)
    return tuple(joined)


def _is_deed(wish: str) -> bool:
    return is_handling(wish.lower().partition(' ')[0])
