"""The forms of questions about the world that nobody needs to be acquainted with: kinds, numbers, words and places.

They are few and whole sentences, because a question that is not known to be about the world may be about somebody: in
lower case, "how old is lena" looks like "how old is mars".
"""

import re

from lucca_language.words.lexicon import lexicon
from lucca_language.words.word_sets import any_of

_SKY_AND_EARTH = (
    'sky|sun|moon|earth|sea|ocean|universe|wind|snow|rain|ice|water|fire|lightning|thunder|grass|gold|iron|oxygen|'
    'mercury|venus|mars|jupiter|saturn|uranus|neptune|pluto|milky way|solar system|equator|north pole|south pole'
)
_GREATEST_OF = (
    'ocean|sea|planet|mountain|river|lake|desert|country|city|continent|island|animal|mammal|bird|fish|insect|star|'
    'waterfall|volcano|tree|prime number|metal|language'
)
_RELATION = (
    'capital|capital city|currency|population|official language|chemical symbol|chemical formula|symbol|opposite|'
    'plural|square root|boiling point|freezing point|melting point|atomic number|national anthem'
)
_COUNTED = 'planets|continents|oceans|countries|languages|chemical elements|time zones|seasons'
_EXTENT = 'far|far away|big|large|hot|cold|old|heavy|fast|high|tall|deep|long|small|bright'
_LIVING = any_of(
    'animal bird bee ant whale shark spider fish cow goat fox wolf frog snake insect mammal mosquito butterfly fly bat '
    'owl eagle cheetah kangaroo squirrel hedgehog mole crab octopus snail worm camel leopard goose chicken '
    'plant tree flower sheep ostrich flamingo panda'
)
"""Living beings beside the animals of the lexicon."""
_SAME_IN_PLURAL = any_of('fish sheep')
_LIFELESS = any_of('star planet cloud volcano comet meteor magnet plane aeroplane airplane satellite')
"""Other kinds of which one may ask in the plural."""
_SLOTS = {
    'word': r'[a-z][a-z-]*',
    'number': r'-?\d+(?:[.,]\d+)?',
    'one': r'an? (?:[a-z-]+ )?[a-z-]+',
    'kinds': r'(?P<kinds>[a-z]+)',
    'world': rf'(?:the )?(?:{_SKY_AND_EARTH})',
    'place': r'(?:the )?[a-z-]+(?: [a-z-]+){0,2}',
    'everywhere': r'(?:(?:in|of|on) (?:the )?(?:world|earth|universe|planet|solar system|europe|asia|africa|america))',
    'extent': f'(?:{_EXTENT})',
    'greatest_of': f'(?:{_GREATEST_OF})',
    'relation': f'(?:{_RELATION})',
    'counted': f'(?:{_COUNTED})',
}
_FORMS = [
    re.compile(form.format_map(_SLOTS))
    for form in (
        # words and numbers
        r'(?:what is|how much is) {number} (?:times|plus|minus|divided by|[-+*/x]) {number}',
        r'what is {one}',
        r'what is {number} ?(?:percent|%) of {number}',
        r'what does the word {word} mean',
        r'what is [a-z]+(?:osis|esis|ology|onomy|ography|ometry|ocracy)|what is (?:gravity|electricity)',
        r'how do (?:you|people) say {word}(?: {word})? in [a-z]+',
        r'what is the {relation} (?:of|for) (?:{place}|{number})',
        r'what is the (?:speed of (?:light|sound)|meaning of life)',
        # how many, and how big
        r'how many {word} does {one} have',
        r'how many {word} do {kinds} have',
        r'how many {word} (?:are|is) (?:there )?in {one}',
        r'how much {word} is (?:there )?in {one}',
        r'how many {counted} are there(?: {everywhere})?',
        r'how many people (?:live|are there) (?:in {place}|on earth)',
        r'how {extent} (?:is|are) (?:{world}|{one}|{kinds})',
        r'how {extent} (?:can|does|do) (?:{one}|{kinds}) [a-z]+',
        r'(?:what|which) is the (?:[a-z]+est|most [a-z]+) {greatest_of}(?: {everywhere}| in [a-z-]+)?',
        r'(?:what|which) is [a-z]+er,? (?:{world}|{one}) or (?:{world}|{one})',
        # kinds
        r'(?:what|how|why) does {one} [a-z]+',
        r'(?:what|how|why) do {kinds} [a-z]+',
        r'where (?:does {one}|do {kinds}) (?:live|sleep|grow|come from)',
        r'(?:can|does) {one} [a-z]+',
        r'(?:can|do) {kinds} [a-z]+',
        r'is {one} {one}',
        r'is (?=the ){world} {one}',
        r'why (?:is|are) {world} [a-z]+',
        r'why does {world} [a-z]+',
        r'what colou?r (?:is|are) (?:{world}|{one}|{kinds})',
        r'what languages? (?:is|are) spoken in {place}',
    )
]


def is_about_the_world(question: str) -> bool:
    """Whether a question has one of the forms, of which the plural (`kinds`) is of living beings or the like."""
    bare = ' '.join(re.sub(r"\bwhat'?s\b", 'what is', question.lower().replace('’', "'")).split()).strip(' ?.!')
    found = (form.fullmatch(bare) for form in _FORMS)
    return any(match is not None and _are_kinds(match.groupdict().get('kinds')) for match in found)


def _are_kinds(plural: str | None) -> bool:
    if plural is None:
        return True
    nouns = lexicon()
    noun = nouns.singular(plural)
    return (noun != plural or noun in _SAME_IN_PLURAL) and (noun in _LIVING | _LIFELESS or nouns.is_a(noun, 'animal'))
