"""What is no longer true: a statement that gives the same attribute of the same subject another value.

No word such as "now" or "moved" is looked for. A sentence is read as subject, frame and value: "My sister's train |
leaves at | 17:40". Two statements are about one attribute if their subjects agree and their frames mean the same, by
word or by embedding; the newer one takes the older one's place if the values are of one type and differ.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from lucca_memory.embedding.ports import Vectors
from lucca_memory.retrieval.analysis import STOP_WORDS, WORD, key_of, words_of
from lucca_memory.retrieval.dates import MONTHS, WEEKDAYS

ValueType = Literal['number', 'date', 'name', 'words']

Embed = Callable[[str], Vectors | None]
"""The vector of a short text, or None where no meanings are known."""

_TOKEN = re.compile(r"[^\W_](?:[\w.:/€$£%@+-]*\w)?(?:['’][^\W_]+)?|[€$£]\d[\d.,]*", re.UNICODE)
_SENTENCE = re.compile(r'(?<=[.!?])\s+(?=[A-Z0-9"“])')
_CALENDAR = {*MONTHS, *WEEKDAYS} - {'may', 'mar', 'sun', 'sat'}
_COPULA = frozenset(['is', 'are', 'was', 'were', 'am', "i'm", "it's", 'be', 'been', 'means', 'equals', 'remains'])
_AUXILIARY = frozenset(
    """has have had will would can could may might shall should do does did just now already currently recently
    actually still also by been being going gonna""".split()
)
_PREPOSITION = frozenset("""in at on to from into as under near inside onto around until till through via for with""".split())
_DETERMINER = frozenset(['a', 'an', 'the', 'my', 'our', 'your', 'his', 'her', 'their', 'its', 'this', 'that'])
_PRONOUN = frozenset("""he she they it we you this that these those there""".split())
_FIRST = frozenset("""i i'm i've i'd i'll my me mine myself""".split())

# Relations that hold of many values at once, and what merely happened: another value takes no place.
_MANY = frozenset(
    key_of(word)
    for word in """like love enjoy hate dislike visit see saw watch meet met read bought buy eat ate cook cooked know
    play played talk talked think thought hear heard say said tell told ask asked want wanted hope try tried made make
    find found go went take took use used help helped call called try walk walked run ran remember forget forgot wrote
    write sent send got spent saw noticed wonder feel felt guess learned baked cleaned fixed lost brought""".split()
)

# Words for one and the same attribute; a frame of one class is never a frame of another.
_CLASSES = {
    'residence': 'live lives living reside resides residence home flat apartment house address move moved moving relocate '
    'relocated settled settle rent renting based stay stays staying',
    'work': 'job work works working profession employed employer position career occupation hired boss manager company',
    'birthday': 'birthday born birth',
    'age': 'age aged years-old',
    'phone': 'phone number telephone mobile',
    'mail': 'email mail e-mail',
    'price': 'price cost costs budget fee priced rate salary',
    'deadline': 'deadline due',
    'favourite': 'favourite favorite prefer prefers preferred',
    'partner': 'husband wife partner boyfriend girlfriend spouse fiance',
    'name': 'name named called',
    'car': 'car drive drives driving vehicle',
    'study': 'study studies studying major majoring degree enrolled',
    'colour': 'colour color painted',
    'password': 'password pin code passcode',
    'meets': 'meeting appointment scheduled takes-place happens starts begins start begin',
    'departs': 'leaves departs departure leave depart',
    'arrives': 'arrives arrival arrive lands',
    'size': 'size height weight length width weighs',
    'stored': 'stored kept keep keeps located stands lies sits stashed',
}
_CLASS_OF = {key_of(word): name for name, words in _CLASSES.items() for word in words.split()}


@dataclass(frozen=True, slots=True)
class Frame:
    """One sentence, read.

    Attributes:
        owners: of what is spoken: names before the frame ends, or the speaker for the first person.
        subject: stems of the other words of the subject and the frame.
        classes: attributes that are named by known words.
        frame: the sentence up to its value, with names cut, for its meaning.
        value: the stems of the value; `value_text` as written.
        type: what kind of value.
        many: the relation holds of many values at once.
        first_person: the speaker is the owner.
        marks: numbers and days within the frame, which tell one subject from the next: "locker 3".
    """

    owners: frozenset[str]
    subject: frozenset[int]
    classes: frozenset[str]
    frame: str
    value: frozenset[int]
    value_text: str
    type: ValueType
    many: bool
    first_person: bool
    marks: frozenset[str]

    @property
    def subject_and_owners(self) -> frozenset[int]:
        """Stems of the subject with the names in it."""
        return self.subject | {key_of(name) for name in self.owners} - {0}


def sentences_of(text: str) -> list[str]:
    """A text as the sentences that can stand alone; one that begins with a pronoun stays with what it points back to."""
    parts: list[str] = []
    for sentence in _SENTENCE.split(text.strip()):
        words = words_of(sentence)
        leans = bool(words) and (words[0] in _PRONOUN or len(words) < 3)
        if parts and leans:
            parts[-1] = f'{parts[-1]} {sentence}'
        else:
            parts.append(sentence)
    return [part for part in parts if part.strip()]


@lru_cache(maxsize=20_000)
def frame_of(sentence: str, speaker: str = '') -> Frame | None:
    """A sentence as subject, frame and value; None for a question and for what has no value."""
    if sentence.rstrip().endswith('?'):
        return None
    tokens = [match[0] for match in _TOKEN.finditer(sentence.replace('’', "'"))]
    tokens = _without_opening(tokens)
    lower = [token.lower() for token in tokens]
    split = _value_at(tokens, lower)
    if split is None:
        return None
    head, tail = tokens[:split], tokens[split:]
    owners = {_bare(token).lower() for place, token in enumerate(head) if _is_name(token, place, head)}
    first_person = not owners and bool(_FIRST.intersection(lower))
    if first_person:
        owners = {speaker.lower() or 'me'}
    stems = {key_of(_bare(word)) for word in lower[:split]} - {0} - {key_of(name) for name in owners}
    value_words = [word for word in tail if key_of(_bare(word.lower()))]
    if not value_words or not (stems or owners):
        return None
    classes = frozenset(_CLASS_OF[stem] for stem in stems if stem in _CLASS_OF)
    return Frame(
        owners=frozenset(owners),
        subject=frozenset(stems),
        classes=classes,
        frame=' '.join(token for token in head if _bare(token).lower() not in owners) or ' '.join(head),
        value=frozenset(key_of(_bare(word.lower())) for word in value_words),
        value_text=' '.join(tail),
        type=_type_of(value_words),
        many=bool(stems & _MANY) and not classes,
        first_person=first_person,
        marks=frozenset(word for word in lower[:split] if word in _CALENDAR or any(map(str.isdigit, word))),
    )


def supersedes(new: Frame, old: Frame, embed: Embed, same_attribute: float) -> bool:
    """True if the newer statement gives the attribute of the older one another value.

    Args:
        new, old: the frames, of one owner's memory.
        embed: for frames and values.
        same_attribute: the cosine from which two frames mean one attribute.
    """
    if new.many or old.many or new.type != old.type or new.marks != old.marks or not _same_owners(new, old):
        return False
    if new.value == old.value or new.value >= old.value or old.value >= new.value:
        # The same again, or said more exactly.
        return False
    if new.classes and old.classes and not new.classes & old.classes:
        return False
    # Nouns of the subject that belong to no known attribute ("sister", "Lisbon trip") have to agree.
    return _same_subject(new, old, embed, same_attribute) and _values_alike(new, old, embed)


def _same_owners(new: Frame, old: Frame) -> bool:
    if new.first_person != old.first_person and not (new.owners and old.owners):
        # "My train leaves at", "The train leaves at": the same thing if it is called the same.
        return bool(new.subject & old.subject)
    # What begins a sentence may be no name: "Dinner starts at", "The dinner is at".
    return all(
        key_of(name) in other.subject
        for one, other in ((new, old), (old, new))
        for name in one.owners - other.owners
    )


def _same_subject(new: Frame, old: Frame, embed: Embed, same_attribute: float) -> bool:
    all_new, all_old = new.subject_and_owners, old.subject_and_owners
    if all_new == all_old:
        return True
    plain_new = {stem for stem in all_new if stem not in _CLASS_OF}
    plain_old = {stem for stem in all_old if stem not in _CLASS_OF}
    if new.classes & old.classes and plain_new == plain_old:
        return True
    if not new.classes & old.classes and not all_new & all_old:
        return False
    one, two = embed(new.frame), embed(old.frame)
    return one is not None and two is not None and float(one @ two) >= same_attribute


def _values_alike(new: Frame, old: Frame, embed: Embed) -> bool:
    """Values of type `words` have to mean things of a kind: a green and a blue, not a nurse and a Tuesday."""
    if new.type != 'words' or new.subject == old.subject:
        return True
    one, two = embed(new.value_text), embed(old.value_text)
    return one is None or two is None or float(one @ two) >= 0.25


def _value_at(tokens: list[str], lower: list[str]) -> int | None:
    """Where the value begins: after the copula, else the preposition, the article or the number that ends the frame."""
    content = [place for place, word in enumerate(lower) if word not in STOP_WORDS and word not in _AUXILIARY]
    if not content:
        return None
    first = content[0]
    starts_with_first_person = lower[0] in _FIRST
    for place, word in enumerate(lower):
        if word in _COPULA and (place > first or starts_with_first_person) and place + 1 < len(tokens):
            return _past_prepositions(lower, place + 1)
    for place, word in enumerate(lower):
        if place <= first:
            continue
        if word in _PREPOSITION and place + 1 < len(tokens):
            return _past_prepositions(lower, place + 1)
        if word in _DETERMINER and place + 1 < len(tokens):
            return place + 1
        if any(char.isdigit() for char in word) or word in _CALENDAR:
            return place
    last = content[-1]
    return last if last > first else None


def _past_prepositions(lower: list[str], at: int) -> int:
    while at + 1 < len(lower) and (lower[at] in _PREPOSITION or lower[at] in _DETERMINER or lower[at] in _AUXILIARY):
        at += 1
    return at


def _without_opening(tokens: list[str]) -> list[str]:
    """Without words that only open a sentence: "Well, so, by the way"."""
    opening = {'well', 'so', 'oh', 'ah', 'hey', 'ok', 'okay', 'yes', 'yeah', 'no', 'btw', 'and', 'but', 'actually', 'anyway'}
    while len(tokens) > 2 and tokens[0].lower() in opening:
        tokens = tokens[1:]
    return tokens


def _is_name(token: str, place: int, head: list[str]) -> bool:
    if not token[0].isupper() or token.lower() in STOP_WORDS or _bare(token).lower() in _CALENDAR:
        return False
    # At the beginning everything is written large: a name is followed by a verb or has a possessive.
    return place > 0 or token.lower().endswith("'s") or len(head) <= 1 or head[1].islower()


def _bare(word: str) -> str:
    return re.sub(r"['’]s$", '', word, flags=re.IGNORECASE)


def _type_of(words: list[str]) -> ValueType:
    first = words[0]
    for word in words:
        if word.lower() in _CALENDAR:
            return 'date'
    if any(any(char.isdigit() for char in word) for word in words):
        return 'number'
    if first[0].isupper() and WORD.match(first):
        return 'name'
    return 'words'
