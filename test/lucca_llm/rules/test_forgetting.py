"""Forgetting what was said: no more than was meant."""

from conversation import ask

OLD = 'm1 (said; Ada, 2026-11-20 10:00): My locker code is 3344.'
NEW = 'm2 (said; Ada, 2026-11-22 09:00): My locker code is 4411.'
LOCK = 'm3 (said; Ada, 2026-11-22 09:01): My locker is green.'


def recalled(query: str) -> tuple[str, list[str]]:
    return f'<recall({query})>', [OLD, NEW, LOCK]


def test_forget_that_means_the_last_text_and_none_like_it() -> None:
    said = 'My locker code is 4411.'
    assert ask('forget that', before=[said], results=[recalled(said)]) == '<forget(m2)>'


def test_forget_that_means_what_was_to_be_remembered() -> None:
    before = ['Please remember that my locker is green']
    assert ask('forget that', before=before) == '<recall(my locker is green)>'
    assert ask('forget that', before=before, results=[recalled('my locker is green')]) == '<forget(m3)>'


def test_another_number_is_another_fact() -> None:
    what = 'my locker code is 3344'
    assert ask(f'forget that {what}', results=[recalled(what)]) == '<forget(m1)>'


def test_what_else_was_said_is_kept_and_told() -> None:
    memory = 'm1 (said; Ada, 2026-11-20 10:00): My PIN is 1234. My sister is called Mira.'
    done = [('<recall(my PIN)>', [memory]), ('<forget(m1)>', ['Forgotten: 1'])]
    kept = 'My sister is called Mira'
    assert ask('forget my PIN', results=done) == f'<remember({kept})>'
    answer = ask('forget my PIN', results=[*done, (f'<remember({kept})>', ['Kept: x'])])
    assert answer == f'<say(I have forgotten it, and kept what else you said then: “{kept}”.)>'
