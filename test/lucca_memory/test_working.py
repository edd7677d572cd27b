"""How both memories read in a prompt, and that together they stay as long as they are."""

from lucca_memory.working import DeclarativeSummary, WorkingMemory, state_line, with_to_do


def test_working_memory_reads_like_this() -> None:
    memory = WorkingMemory(
        reminder='Tidy up.',
        state=state_line([('box 1', 1), ('box 2', 0)], 0, ['apple', 'cup']),
        to_do=('apple', 'cup'),
        changes=('Changed: pear is gone',),
    )
    assert memory.text() == (
        'Reminder: Tidy up.\n'
        'State: box 1 holds 1 object, box 2 holds 0 objects, 2 objects still to handle\n'
        'Changed: pear is gone\n'
        'Objects still to handle, in order: apple, cup'
    )


def test_declarative_memory_reads_like_this() -> None:
    summary = DeclarativeSummary(
        actions=4, latest=('<a(x)>', '<b(y)>'), places=(('In box 1', ('x', 'y')), ('In box 2', ()))
    )
    assert summary.text() == 'Done so far: 4 actions, the latest <a(x)>, <b(y)>\nIn box 1: x, y\nIn box 2: none'
    assert (
        DeclarativeSummary(actions=0, latest=(), places=(('In box 1', ()),)).text() == 'Nothing has been done so far.'
    )


def test_both_texts_stay_as_long_as_they_are_while_objects_pass_into_a_container() -> None:
    names = [f'cube {number:02}' for number in range(30)]

    def length(done: int) -> int:
        actions = tuple(f'<put_on_tower({name})>' for name in names[max(done - 3, 0) : done])
        summary = DeclarativeSummary(actions=done, latest=actions, places=(('In tower', tuple(names[:done])),))
        to_do = tuple(names[done:])
        memory = WorkingMemory(reminder='Build.', state=state_line([('tower', done)], 0, to_do), to_do=to_do)
        return len(summary.text()) + len(memory.text())

    assert max(map(length, range(3, 30))) - min(map(length, range(3, 30))) < 12


def test_the_calls_that_stay_keep_what_is_told_of_their_objects() -> None:
    calls = ('<move_to_box_1(apple)> (red, small)', '<move_to_box_2(cup)>', '<move_to_box_1(pear)> (green)')
    memory = WorkingMemory(reminder='Tidy.', state='-', to_do=('apple', 'cup', 'pear'), calls=calls)
    left = with_to_do(memory.text(), ('apple', 'cup'), ('<move_to_box_1(apple)>', '<move_to_box_2(cup)>'))
    assert left.splitlines()[-1] == f'Calls still to make: {calls[0]}, {calls[1]}'
    listed = WorkingMemory(reminder='Tidy.', state='-', to_do=('apple', 'cup')).text()
    assert with_to_do(listed, ('cup',)).splitlines()[-1] == 'Objects still to handle, in order: cup'


def test_a_memory_without_text_gets_the_line_alone() -> None:
    assert with_to_do('', ('cup',)) == 'Objects still to handle, in order: cup'
