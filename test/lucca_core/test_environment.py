"""The environment of the stack's processes: defaults where the user set nothing."""

from lucca_core.environment import apply_defaults


def test_the_threads_of_a_node_share_two_heaps_unless_the_user_says_otherwise():
    environment: dict[str, str] = {}
    apply_defaults(environment)
    assert environment['MALLOC_ARENA_MAX'] == '2'
    environment['MALLOC_ARENA_MAX'] = '8'
    apply_defaults(environment)
    assert environment['MALLOC_ARENA_MAX'] == '8'
