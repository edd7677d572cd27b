"""A stop in a measurement or a test is kept in a folder of its own, and holds no robot that somebody starts later."""

import ast
from pathlib import Path

import lucca_lab
from lucca_core.paths import default_state_dir


def test_every_stack_of_the_laboratory_with_a_memory_of_its_own_has_a_state_of_its_own():
    found = []
    for file in sorted(Path(lucca_lab.__file__).parent.rglob('*.py')):
        for call in ast.walk(ast.parse(file.read_text(encoding='utf-8'))):
            if isinstance(call, ast.Call) and getattr(call.func, 'id', '') == 'StackOptions':
                found.append((file.name, {keyword.arg for keyword in call.keywords}))
    assert found
    assert [name for name, given in found if 'data_dir' in given and 'state_dir' not in given] == []


def test_no_test_writes_the_users_state_even_without_our_variable(monkeypatch):
    at_home = Path.home() / '.local' / 'state' / 'lucca'
    assert default_state_dir() != at_home
    monkeypatch.delenv('LUCCA_STATE_DIR')
    assert default_state_dir() != at_home
