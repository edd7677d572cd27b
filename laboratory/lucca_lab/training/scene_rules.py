"""The rules of random tasks: the things on the table, the action that each needs, and the sentences that say so."""

from collections.abc import Callable, Sequence

from lucca_lab.training.scene_draft import (
    Draft,
    Thing,
    add_place,
    add_reach,
    lexicon,
    said_of_the_rest,
    some_categories,
    some_colours,
    some_of,
    some_others,
    verb_of,
)

Rule = Callable[[Draft], tuple[list[Thing], list[dict[str, str]], list[str]]]
"""Draws the things, the action of each wanted thing by name, in groups in the order of the task, and the sentences."""


def _by_category(draft: Draft) -> tuple[list[Thing], list[dict[str, str]], list[str]]:
    """Each of several categories has its place. A place may take two categories."""
    chance = draft.chance
    places = chance.choice((1, 2, 2, 2, 3))
    sentences = [
        draft.said(
            'Clean up here.', 'Please sort these things.', 'The workshop is a mess.', '', '', 'Pack for the move.'
        )
    ]
    things: list[Thing] = []
    wanted: dict[str, str] = {}
    categories = some_categories(draft, min(6, len(lexicon()[draft.words])))
    used: list[str] = []
    for _ in range(places):
        action, place = add_place(draft)
        mine = [categories.pop() for _ in range(chance.choice((1, 1, 2)))]
        used += mine
        what = (
            draft.said('{a} and {b}', '{a} as well as {b}', '{a} or {b}', a=mine[0], b=mine[1])
            if len(mine) > 1
            else mine[0]
        )
        sentence = draft.said(
            '{what} go into {place}.',
            'Store {what} in {place}.',
            'Use {place} for {what}.',
            'Into {place} go {what}.',
            '{place} is for {what}.',
            'Please bring {what} to {place}.',
            'Collect the {what} in {place}.',
            'I want all {what} in {place}.',
            'Sort {what} into {place}.',
            '{place}: {what}.',
            what=what,
            place=place,
        )
        sentences.append(sentence[0].upper() + sentence[1:])
        for category in mine:
            found = some_of(draft, category, chance.choice((1, 2, 3, 4)))
            things += found
            wanted |= dict.fromkeys((thing.name for thing in found), action)
    things += some_others(draft, used, chance.choice((2, 3, 5)))
    sentences.append(said_of_the_rest(draft))
    return things, [wanted], [text for text in sentences if text]


def _one_category(draft: Draft) -> tuple[list[Thing], list[dict[str, str]], list[str]]:
    """One category and one action, said in two sentences."""
    chance, category = draft.chance, some_categories(draft, 1)[0]
    if chance.random() < 0.6:
        action, place = add_place(draft)
        first = draft.said(
            'Gather the {c} in {p}.',
            '{p} should hold the {c}, and them alone.',
            'Find all {c} you can see and store them in {p}.',
            'I need every piece of {c} in {p}.',
            'Let {p} be full of {c}.',
            'Load {p} with {c}.',
            c=category,
            p=place,
        )
    else:
        action = add_reach(draft)
        first = draft.said(
            'Please {v} the {c}.',
            '{v} whatever counts as {c}.',
            'Look for {c} and {v} each of them.',
            '{v} all {c}, one by one.',
            c=category,
            v=verb_of(action),
        )
    second = draft.said(
        'Take no others.',
        'What is not among the {c} has to wait.',
        'Only {c} are wanted.',
        '',
        '',
        'Leave out all that are not {c}.',
        c=category,
    )
    mine = some_of(draft, category, chance.choice((2, 4, 6)))
    things = [*mine, *some_others(draft, [category], chance.choice((3, 5, 6)))]
    sentences = [first[0].upper() + first[1:], second]
    return things, [dict.fromkeys((thing.name for thing in mine), action)], [text for text in sentences if text]


def _coloured(
    draft: Draft, groups: Sequence[Sequence[str]], actions: Sequence[str], plain: Sequence[str]
) -> tuple[list[Thing], list[dict[str, str]]]:
    """Things of any category: some in the colours of each group, and some in other colours."""
    chance = draft.chance
    things: list[Thing] = []
    wanted: list[dict[str, str]] = []
    for colours, action in zip(groups, actions, strict=True):
        mine = some_others(draft, (), chance.choice((2, 3, 4)), colours)
        things += mine
        wanted.append(dict.fromkeys((thing.name for thing in mine), action))
    return [*things, *some_others(draft, (), chance.choice((2, 4, 5)), plain)], wanted


def _order_in_sentences(draft: Draft, a: str, b: str, verb: str) -> str:
    """The order of two groups, in several sentences."""
    parts = (
        draft.said('', '', 'Go by kind.', 'Mind the order.', 'There are two rounds.', 'This is done in two goes.'),
        draft.said(
            'To start, {v} {a}.',
            'At the beginning, {v} {a}.',
            'In round one {v} {a}.',
            'Your first job: {v} {a}.',
            '{a} are first: {v} them.',
            'First of all you {v} {a}, each of them.',
            '{v} {a} first.',
            a=a,
            v=verb,
        ),
        draft.said(
            'Once {a} are through, {v} {b}.',
            'When that is over for {a}, {v} {b}.',
            'As soon as nothing of that kind waits, {v} {b}.',
            'After the last of them, {v} {b}, every one.',
            'Only then {v} {b}.',
            'Your second job: {v} {b}.',
            'Not before {a} are all through may you {v} {b}.',
            'When there are no more of these to {v}, turn to {b} and {v} those as well.',
            '{b} follow when {a} are finished.',
            a=a,
            b=b,
            v=verb,
        ),
    )
    return ' '.join(part[0].upper() + part[1:] for part in parts if part)


def _in_order(draft: Draft) -> tuple[list[Thing], list[dict[str, str]], list[str]]:
    """One colour or category before another."""
    chance = draft.chance
    action = add_reach(draft) if chance.random() < 0.6 else add_place(draft)[0]
    verb = verb_of(action)
    if by_colour := chance.random() < 0.65:
        first, second, *plain = some_colours(draft, 5)
        things, wanted = _coloured(draft, [[first], [second]], [action, action], plain)
        a, b = (
            draft.said('the {c} things', 'whatever is {c}', 'anything {c}', 'each {c} item', c=c)
            for c in (first, second)
        )
    else:
        first, second = some_categories(draft, 2)
        halves = [some_of(draft, category, chance.choice((2, 3, 4))) for category in (first, second)]
        wanted = [dict.fromkeys((thing.name for thing in half), action) for half in halves]
        things = [*halves[0], *halves[1], *some_others(draft, (first, second), chance.choice((2, 4)))]
        a, b = (draft.said('the {c}', 'all {c}', c=c) for c in (first, second))
    text = (
        _order_in_sentences(draft, a, b, verb)
        if chance.random() < 0.6
        else draft.said(
            'Begin with {a}: {v} them. After that {v} {b}.',
            '{v} {a}; as soon as none of these is left, {v} {b}.',
            'Start by going through {a} ({v}). Next come {b}.',
            '{v} {b}, but not before you are through with {a}.',
            'Before anything else, {v} {a}. Go on with {b} later.',
            'Go through these one kind at a time: to start, {v} {a}; '
            'when these are all through, it is the turn of {b}.',
            'Two rounds, please. Round one: {v} {a}. Round two: {v} {b}.',
            '{v} {a} and afterwards {b}.',
            'To begin, {v} {a}. Then it is the turn of {b}.',
            a=a,
            b=b,
            v=verb,
        )
    )
    end = (
        draft.said(
            'Skip other colours.',
            'Nothing besides.',
            '',
            '',
            'What has neither of these colours is left out.',
            'Never {v} what is of a different colour.',
            v=verb,
        )
        if by_colour
        else said_of_the_rest(draft)
    )
    return things, wanted, [part for part in (text[0].upper() + text[1:], end) if part]


def _listed(draft: Draft) -> tuple[list[Thing], list[dict[str, str]], list[str]]:
    """Things that are named one by one, with or without a reason."""
    chance = draft.chance
    things = list({thing.noun: thing for thing in some_others(draft, (), chance.choice((6, 8, 10)))}.values())
    mine = things[: chance.choice((1, 2, 3, 4))]
    names = [
        chance.choice(('the', 'a', 'the'))
        + ' '
        + (thing.name if thing.in_name or chance.random() < 0.7 else f'{thing.colour} {thing.noun}')
        for thing in mine
    ]
    what = names[0] if len(names) == 1 else ', '.join(names[:-1]) + ' and ' + names[-1]
    if chance.random() < 0.6:
        action = add_reach(draft)
        text = draft.said(
            'Please {v} {w}.',
            'I am getting ready for a trip and need {w}: {v} them.',
            'For the play they ask for {w}. {v} those.',
            'The next lesson takes {w}, so {v} what it takes.',
            '{v} {w}, that is all.',
            'My list says: {w}. {v} what is on it.',
            'We make something of {w}, so {v} precisely these.',
            'The plan for today is {w}, put together. {v} all that it takes, that is, {w}.',
            'Somebody has asked for three or four items, namely {w}: {v} those.',
            v=verb_of(action),
            w=what,
        )
    else:
        action, place = add_place(draft)
        text = draft.said(
            'Pack {w} into {p}.',
            'Store {w} in {p}.',
            '{p} gets {w}.',
            'What belongs together is {w}; bring them to {p}.',
            'What I still lack in {p} is {w}.',
            w=what,
            p=place,
        )
    end = draft.said('No other thing is needed.', '', 'Take just these.', '')
    wanted = dict.fromkeys((thing.name for thing in mine), action)
    return things, [wanted], [part for part in (text[0].upper() + text[1:], end) if part]


def _except(draft: Draft) -> tuple[list[Thing], list[dict[str, str]], list[str]]:
    """A category without some colours; sometimes nothing else is on the table."""
    chance, category = draft.chance, some_categories(draft, 1)[0]
    barred, *free = some_colours(draft, 6)
    both = [barred, free.pop()] if chance.random() < 0.5 else [barred]
    named = chance.choice((0.2, 1.0))
    if chance.random() < 0.7:
        action, place = add_place(draft)
        do = draft.said('Store the {c} in {p}', 'Bring {c} to {p}', 'Let all {c} go into {p}', c=category, p=place)
    else:
        action = add_reach(draft)
        do = draft.said('{v} the {c}', 'Please {v} all {c}', c=category, v=verb_of(action))
    mine = some_of(draft, category, chance.choice((2, 3, 4)), free, named=named)
    nouns = {thing.noun for thing in mine}
    out = [
        thing for thing in some_of(draft, category, chance.choice((2, 3)), both, named=named) if thing.noun not in nouns
    ]
    if chance.random() < 0.4:  # several things with one noun, which differ only in colour
        noun = mine[0].noun
        mine = [Thing(noun, category, colour, True) for colour in free[: chance.choice((2, 3, 4))]]
        out = [Thing(noun, category, colour, True) for colour in both]
    colours = ' or '.join(both)
    text = draft.said(
        '{do}, except those that are {x}.',
        '{do}. The {x} ones are to be spared.',
        '{do} unless they are {x}.',
        '{do}; what is {x} must not be moved.',
        'No {x} ones, but otherwise: {do}.',
        do=do,
        x=colours,
    )
    things = [*mine, *out, *some_others(draft, [category], chance.choice((0, 2, 4)))]
    wanted = dict.fromkeys((thing.name for thing in mine), action)
    return things, [wanted], [text[0].upper() + text[1:], *([said_of_the_rest(draft)] if chance.random() < 0.3 else [])]


def _as_defined(draft: Draft) -> tuple[list[Thing], list[dict[str, str]], list[str]]:
    """Things of one noun or category that count as tinted, where a sentence says which colours do not count."""
    chance, category = draft.chance, some_categories(draft, 1)[0]
    first, second, *free = some_colours(draft, 7)
    barred = [first, second] if chance.random() < 0.7 else [first]
    if chance.random() < 0.7:
        found = some_of(draft, category, 2)
        mine = [Thing(found[0].noun, category, colour, True) for colour in free[: chance.choice((2, 3, 4))]]
        out = [Thing(found[0].noun, category, colour, True) for colour in barred]
        what = f'{found[0].noun}s'
    else:
        everything = some_of(draft, category, 6, named=1.0)
        half = max(1, len(everything) // 2)
        mine = [Thing(thing.noun, category, chance.choice(free), True) for thing in everything[:half]]
        out = [Thing(thing.noun, category, chance.choice(barred), True) for thing in everything[half:]]
        what = category
    kind = chance.choice(('tinted', 'painted', 'colourful', 'bright', 'dyed'))
    if chance.random() < 0.6:
        action, place = add_place(draft)
        do = draft.said(
            'Load {p} with the {k} {c}',
            'Stack the {k} {c} in {p}',
            '{p} is where the {k} {c} go',
            k=kind,
            c=what,
            p=place,
        )
    else:
        action = add_reach(draft)
        do = draft.said('{v} the {k} {c}', 'I want you to {v} any {k} {c}', k=kind, c=what, v=verb_of(action))
    text = draft.said(
        '{do}. {x} is not {k}, so {x} {c} do not move.',
        '{do}, whichever comes first. What is {x} is never called {k} here: such {c} keep their place.',
        '{do}. A thing that is {x} counts as plain, and plain {c} are not wanted.',
        '{do}. {k} means neither {n}; those {c} have to wait.',
        '{do}. We call {x} plain. Leave plain {c} alone, and all that are no {c}.',
        do=do,
        k=kind,
        c=what,
        x=' or '.join(barred),
        n=' nor '.join(barred) if len(barred) > 1 else f'{barred[0]} nor grey',
    )
    things = [*mine, *out, *some_others(draft, [category], chance.choice((0, 0, 2)))]
    wanted = dict.fromkeys((thing.name for thing in mine), action)
    sentences = [
        draft.said('Here is a job with {c}.', 'We need to clear up.', '', '', c=what),
        text[0].upper() + text[1:],
    ]
    return things, [wanted], [part for part in sentences if part]


def _one_by_one(draft: Draft) -> tuple[list[Thing], list[dict[str, str]], list[str]]:
    """Things that are named, in the order in which they are to be handled."""
    chance = draft.chance
    things = list({thing.noun: thing for thing in some_others(draft, (), chance.choice((5, 7, 9)))}.values())
    mine = things[: chance.choice((2, 3, 4))]
    names = [f'the {thing.name}' for thing in mine]
    action = add_reach(draft) if chance.random() < 0.6 else add_place(draft)[0]
    steps = [names[0], *(chance.choice(('then {}', 'next {}', 'after it {}')).format(name) for name in names[1:])]
    text = draft.said(
        '{v}, in this order: {w}.',
        'Keep to the order of my list ({v}): {w}.',
        'Step by step, {v} {s}.',
        'I shall ask for one at a time, so {v} {s}.',
        v=verb_of(action),
        w=', '.join(names),
        s=', '.join(steps),
    )
    wanted = [{thing.name: action} for thing in mine]
    sentences = [text[0].upper() + text[1:], said_of_the_rest(draft)]
    return things, wanted, [part for part in sentences if part]


def _by_colour(draft: Draft) -> tuple[list[Thing], list[dict[str, str]], list[str]]:
    """One place for each colour."""
    chance = draft.chance
    count = chance.choice((1, 2, 2))
    colours = some_colours(draft, count + 4)
    actions, sentences = [], []
    for colour in colours[:count]:
        action, place = add_place(draft)
        actions.append(action)
        text = draft.said(
            '{x} things go into {p}.',
            'Store what is {x} in {p}.',
            '{p} takes the {x} ones.',
            'Sort anything {x} into {p}.',
            'If it is {x}, bring it to {p}.',
            x=colour,
            p=place,
        )
        sentences.append(text[0].upper() + text[1:])
    things, wanted = _coloured(draft, [[colour] for colour in colours[:count]], actions, colours[count:])
    return things, [{name: action for group in wanted for name, action in group.items()}], sentences


RULES: tuple[tuple[Rule, float], ...] = (
    (_by_category, 0.21),
    (_one_category, 0.16),
    (_in_order, 0.22),
    (_listed, 0.12),
    (_except, 0.1),
    (_as_defined, 0.07),
    (_by_colour, 0.07),
    (_one_by_one, 0.05),
)
