"""What lies in a bowl or cup that stands on the table is seen in it, and is no piece of it."""

import numpy as np
import pytest


@pytest.mark.parametrize(
    ('name', 'seed'),
    [
        ('apple', 0),
        ('red cube', 0),
        ('white cube', 1),
        ('can', 1),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (('lemon', 0), ('orange', 0), ('lemon', 1), ('orange', 1), ('can', 0), ('red cube', 1))
        ),
    ],
)
def test_what_lies_in_a_bowl_is_in_it_and_the_bowl_is_a_container(make_table, name: str, seed: int):
    table = make_table('table', seed, (name, 'bowl', 'banana'))
    pipeline = table.pipeline()
    before = table.look(pipeline, 3)
    bowl = before.container_named('bowl')
    assert bowl is not None
    assert bowl.contents == ()
    place = table.truth()['bowl']
    height = next(item.size_m[2] for item in table.table.scene.objects if item.name == name)
    table.put(name, place[0], place[1], 0.8 + 0.004 + height / 2)
    after = table.look(pipeline, 8)
    found = after.object_named(name)
    assert found is not None
    assert (found.container, after.container_named('bowl').contents) == ('bowl', (name,))
    standing = after.object_named('bowl')
    assert standing.container == 'table'
    assert np.linalg.norm(np.array(standing.pose_world.position_m) - place) < 0.01
    assert after.object_named('banana').container == 'table'


@pytest.mark.parametrize('seed', [0, 1])
def test_what_is_seen_over_the_footprint_of_a_cup_is_in_it(make_table, seed: int):
    # No listed object fits into the cup: this one goes through its wall.
    table = make_table('table', seed, ('jello', 'cup', 'banana'))
    pipeline = table.pipeline()
    before = table.look(pipeline, 3)
    assert before.container_named('cup').contents == ()
    table.put('jello', *table.truth()['cup'][:2], 0.8 + 0.004 + 0.018)
    after = table.look(pipeline, 8)
    assert after.object_named('jello').container == 'cup'
    assert after.container_named('cup').contents == ('jello',)
    assert after.object_named('cup').container == 'table'
