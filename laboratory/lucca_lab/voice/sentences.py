"""The sentences of the voice experiments: commands of the grammar, given or reported, and ordinary talk."""

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence

from lucca_core.errors import ConfigError
from speech_node.hearing.command_book import CommandBook
from speech_node.interfaces import Intent, IntentKind

WORDS: Mapping[str, tuple[str, ...]] = {
    'who': ('my sister', 'the doctor', 'our neighbour', 'the teacher', 'my boss', 'a friend of mine', 'the old man'),
    'day': ('monday', 'tuesday', 'friday', 'sunday', 'the weekend', 'my birthday'),
    'place': ('london', 'the station', 'the garden', 'the office', 'the kitchen', 'the market', 'the museum'),
    'food': ('soup', 'bread', 'coffee', 'a banana', 'an apple', 'some rice', 'a lemon cake', 'jello'),
    'thing': ('book', 'phone', 'box', 'bowl', 'cup', 'chair', 'letter', 'apple', 'orange', 'table', 'ball', 'tower'),
    'quality': ('old', 'red', 'very nice', 'broken', 'too small', 'green', 'expensive', 'empty', 'yellow'),
    'time': ('last night', 'this morning', 'yesterday', 'an hour ago', 'last year', 'on time'),
}

TALK = (
    'did you see {who} {time}',
    'the {thing} in {place} is {quality}',
    'i had {food} for breakfast',
    '{who} is coming on {day}',
    'we went to {place} {time}',
    'how much does the {thing} cost',
    'could you open the window please',
    'i think the {thing} was {quality} {time}',
    '{who} put the {thing} back on the shelf',
    'where did i leave my {thing}',
    'it is going to rain on {day}',
    'they sorted everything out {time}',
    'nobody knows where the {thing} came from',
    'what time does the train to {place} leave',
    'let us talk about the {thing} on {day}',
    'there is {food} in {place}',
    'he gave me {food} and a {thing}',
    'she built a house near {place}',
    'please call {who} back later',
    'the children are playing in {place}',
    'i have never been to {place}',
    'that {thing} looks {quality} to me',
    'can you hear the music',
    'do you like {food}',
    'the meeting was moved to {day}',
)
"""Ordinary talk with some words of the commands, on which thresholds and confidence were chosen."""

FRESH_WORDS: Mapping[str, tuple[str, ...]] = {
    'who': ('the plumber', 'grandmother', 'our driver', 'the new student', 'her cousin', 'the mayor', 'someone'),
    'day': ('wednesday', 'thursday', 'saturday', 'the first of may', 'new year', 'the day after'),
    'place': ('paris', 'the harbour', 'the library', 'the cellar', 'the bakery', 'the bridge', 'the hospital'),
    'food': ('some pasta', 'butter', 'hot chocolate', 'a pear', 'a melon', 'an egg', 'fish and chips', 'honey'),
    'thing': ('box', 'bowl', 'tower', 'lamp', 'ticket', 'coat', 'cube', 'banana', 'strawberry', 'basket', 'key', 'bag'),
    'quality': ('blue', 'heavy', 'rather big', 'dirty', 'full', 'cheap', 'wet', 'purple', 'gone'),
    'time': ('at noon', 'two weeks ago', 'in the evening', 'just now', 'last summer', 'every day'),
}

FRESH_TALK = (
    'was that your {thing} over there',
    '{who} wants to buy a {thing} in {place}',
    'we ran out of {food} {time}',
    'i read about it in the paper {time}',
    'the door of {place} was open {time}',
    'remember to water the plants on {day}',
    '{who} would rather have {food}',
    'is there a {thing} in your car',
    'it took us two hours to reach {place}',
    'my {thing} is {quality} again',
    'who is going to pay for the {thing}',
    'they build boats near {place}',
    'the bus to {place} was late {time}',
    'give my regards to {who}',
    'put it in writing before {day}',
    'she pointed out that the {thing} is {quality}',
    'what a big {thing} that is',
    'move over i want to sit down',
    'sort of {quality} if you ask me',
    'we continue with chapter nine on {day}',
    'my name day is {day}',
    'can you tell me the way to {place}',
    'this is the {thing} {who} made {time}',
    'i am not sure about {day}',
    'no one has seen {who} since {day}',
)
"""Talk for the final measurement, used in no training or tuning. Half of the templates begin or sound like commands."""

UNHEARD_WORDS: Mapping[str, tuple[str, ...]] = {
    'who': ('my uncle', 'the postman', 'a colleague', 'their daughter', 'the chef', 'our guest', 'the nurse'),
    'place': ('berlin', 'the attic', 'the swimming pool', 'the corner', 'the airport', 'school', 'the village'),
    'thing': (
        'candle',
        'spoon',
        'pillow',
        'laptop',
        'ladder',
        'glass',
        'sweater',
        'pencil',
        'drawer',
        'plate',
        'carpet',
    ),
    'food': ('a sandwich', 'fried eggs', 'cherries', 'a slice of toast', 'potatoes', 'lentils', 'ice cream', 'cheese'),
    'quality': ('cold', 'round', 'much too loud', 'brand new', 'soft', 'fine', 'heavy enough', 'white', 'missing'),
    'time': ('tomorrow', 'before lunch', 'three days ago', 'all the time', 'after the holidays', 'at midnight', 'once'),
}

UNHEARD_TALK = (
    'have you watered the roses {time}',
    '{who} is allergic to {food}',
    'the {thing} fell behind the sofa {time}',
    'i promised to pick up {who} from {place}',
    'whose {thing} is this',
    'there was nobody in {place} {time}',
    'my {thing} feels {quality}',
    'he asked whether the {thing} is for sale',
    'would you pass me {food} please',
    'the phone in {place} keeps ringing',
    'they decided to stay in {place} for another week',
    'this {thing} is not {quality} at all',
    'she reads a story to {who} {time}',
    'half of the class is ill',
    'i prefer {food} to {food}',
    'the lift in {place} is out of order',
    '{who} repaired the {thing} {time}',
    'we should invite {who} {time}',
    'hold the {thing} while i look for the key',
    'it smells of {food} in here',
    'the shops open at eight {time}',
    '{who} cannot remember the number',
    'put your shoes next to the {thing}',
    'nobody told me that the {thing} is {quality}',
    'what a nice surprise to see {who} in {place}',
)
"""More unused talk, for measuring only stops: an earlier spotter was measured with `FRESH_TALK`."""

OTHER_TALK = (
    'my {thing} does not work any more',
    'was the {thing} {quality} when you found it',
    '{who} showed me the way to {place}',
    'i would like {food} and a glass of water',
    'the weather in {place} is lovely',
    'are you coming to the party on {day}',
    'we need more time for this',
    'turn left at the next corner',
    'the answer is on page twelve',
    '{who} told me about it {time}',
    'i lost the {thing} in {place}',
    'this song is very old',
)
"""More talk, with which confidence was fitted; nothing is measured with it."""

REPORTED = (
    'she asked me to {command}',
    'never {command}',
    'you and i {command}',
    '{command} he always says',
    'did he {command}',
    'i will not {command}',
)
"""Commands that nobody gives: reported, denied or supposed. What a command may stand beside was chosen with these."""

FRESH_REPORTED = (
    'he told me to {command}',
    'do not {command}',
    'we {command} every monday',
    'my brother wants to {command}',
    'why should anybody {command}',
    'if they {command} we can go home',
    'nobody ever told them to {command}',
    '{command} was what she said',
    'i used to {command}',
    "don't you dare {command}",
)
"""The same for the report."""


def talk(
    rng: random.Random,
    count: int,
    templates: Sequence[str] = FRESH_TALK,
    words: Mapping[str, tuple[str, ...]] = FRESH_WORDS,
) -> tuple[str, ...]:
    """`count` different sentences, with all templates used as equally as possible.

    Raises:
        ConfigError: the templates do not give so many.
    """
    found: dict[str, None] = {}
    for template in _round(templates, count):
        found[template.format(**{name: rng.choice(choice) for name, choice in words.items()})] = None
        if len(found) == count:
            return tuple(found)
    raise ConfigError(
        f'only {len(found)} different sentences were made of {len(templates)} templates; {count} are too many'
    )


def commands(book: CommandBook, rng: random.Random, count: int) -> tuple[tuple[str, Intent], ...]:
    """`count` sentences of a book with their commands, with all kinds of phrases used as equally as possible."""
    by_phrase = [list(phrase.sentences()) for phrase in book.phrases]
    for sentences in by_phrase:
        rng.shuffle(sentences)
    found: dict[str, Intent] = {}
    while by_phrase and len(found) < count:
        for sentences in list(by_phrase):
            sentence, intent = sentences.pop()
            found.setdefault(sentence, intent)
            if not sentences:
                by_phrase.remove(sentences)
            if len(found) == count:
                break
    return tuple(found.items())


def reported(
    book: CommandBook, rng: random.Random, count: int, templates: Sequence[str] = FRESH_REPORTED
) -> tuple[str, ...]:
    """`count` sentences with a command of a book in them that nobody gives, with all templates in turn."""
    given = (IntentKind.START, IntentKind.RESUME, IntentKind.CANCEL, IntentKind.ACT)
    said = [sentence for sentence, intent in commands(book, rng, len(book.sentences)) if intent.kind in given]
    pairs = zip(itertools.cycle(templates), itertools.cycle(said))
    return tuple(template.format(command=command) for template, command in itertools.islice(pairs, count))


def _round(templates: Sequence[str], count: int) -> Iterator[str]:
    for _ in range(20 * count):
        yield from templates
