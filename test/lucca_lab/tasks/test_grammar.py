"""Whatever a grammar lets through is read, and means something where it is read; what is right, it lets through."""

import re
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator_node.call_parser import call_grammar, read_call
from lucca_lab.tasks import models
from lucca_lab.tasks.trial_runner import run_one
from lucca_llm import answer_grammar
from lucca_llm.model_spec import make_model
from lucca_llm.prompt_text import shown_name
from lucca_llm.wrapper import ModelWrapper
from worker_node.name_lists import read_list

_PART = re.compile(
    r'"(?P<literal>(?:[^"\\]|\\.)*)"|(?P<any>\[\^(?:[^\]\\]|\\.)*\](?:\{\d+,\d+\})?)|(?P<rule>[a-z0-9-]+)'
    r'|(?P<structure>[()|])|(?P<count>\{\d+,\d+\})'
)
_ESCAPES = {'n': '\n', 'r': '\r', 't': '\t'}


@cache
def as_regex(grammar):
    """As much of GBNF as the grammars here are written in, as a regular expression."""
    rules = dict(line.split(' ::= ', 1) for line in grammar.split('\n'))

    def pattern(text):
        return '(?:' + ''.join(map(part, _PART.finditer(text))) + ')'

    def part(match):
        kind, text = match.lastgroup, match.group(match.lastgroup)
        if kind == 'literal':
            return re.escape(re.sub(r'\\(.)', lambda escaped: _ESCAPES.get(escaped[1], escaped[1]), text))
        if kind == 'rule':
            return pattern(rules[text])
        return text.replace('(', '(?:') if kind == 'structure' else text

    return pattern(rules['root'])


def answers(grammar):
    return st.from_regex(as_regex(grammar), fullmatch=True)


plain_names = st.lists(
    st.text(min_size=1, max_size=20).map(shown_name).filter(bool), min_size=1, max_size=6, unique=True
)


@given(st.data(), plain_names, st.booleans())
def test_every_call_that_the_grammar_allows_is_read_as_one_of_the_task(data, names, memory):
    call = read_call(data.draw(answers(call_grammar('sorting', ['give', 'point'], names, memory=memory))), 2000)
    allowed = {'give', 'point', 'finish_task', 'cannot_do'}
    if memory:
        allowed |= {'retrieve_declarative_memory', 'retrieve_working_memory'}
    assert call.name in allowed
    if call.name in ('give', 'point'):
        assert call.argument in [name.strip() for name in names]
    elif call.name != 'cannot_do':
        assert call.argument == 'sorting'


@given(st.data(), plain_names)
def test_every_list_that_the_grammar_allows_has_known_names_only(data, names):
    read = read_list(data.draw(answers(answer_grammar.names(names))), names)
    assert read.unknown == ()
    assert set(read.names) <= set(names)


@given(answers(answer_grammar.free_names()))
def test_every_free_list_that_the_grammar_allows_is_a_list(drawn):
    assert '<' not in drawn
    assert '\n' not in drawn
    assert read_list(drawn, []).unknown or drawn.strip().rstrip('.').casefold() == 'none'


def test_text_on_the_table_cannot_leave_its_place_in_the_grammar():
    grammar = call_grammar('sorting', ['point'], ['pear" | "<give(knife)>'], memory=False)
    assert r'"pear\" | \"<give(knife)>"' in grammar
    assert re.fullmatch(as_regex(grammar), '<give(knife)>') is None


def test_a_table_with_nothing_on_it_leaves_the_other_calls():
    grammar = call_grammar('sorting', ['point'], [], memory=False)
    assert 'point' not in grammar
    assert '"<finish_task("' in grammar


@pytest.mark.parametrize('make', [answer_grammar.one_of, answer_grammar.calls])
def test_a_grammar_of_nothing_is_refused(make):
    with pytest.raises(ValueError, match='needs'):
        make({})


def test_a_list_of_no_names_can_only_be_none():
    assert answer_grammar.names([]) == 'root ::= "none"'


class Watched(ModelWrapper):
    """A model whose answers are kept with the grammars they were asked with."""

    def __init__(self, model, seen):
        super().__init__(model)
        self.seen = seen

    def _around(self, messages, options, ask, cancelled):
        reply = ask(messages)
        self.seen.append((options.grammar, reply.text))
        return reply


@pytest.fixture
def watched(monkeypatch):
    seen = []
    monkeypatch.setattr(models, 'make_model', lambda name: Watched(make_model(name), seen))
    return seen


@pytest.mark.parametrize('memory', [False, True])
def test_a_grammar_never_stands_in_the_way_of_what_is_right(make_spec, watched, memory):
    run_one(make_spec('intervened', memory, second_opinion=True))
    assert len(watched) > 30
    assert [answer for grammar, answer in watched if not re.fullmatch(as_regex(grammar), answer)] == []


@pytest.mark.parametrize('off', [{'grammar': False}, {'safeguards': False}])
def test_without_grammar_or_safeguards_none_is_sent(make_spec, watched, off):
    run_one(make_spec('consecutive', True, ('recipe',), **off))
    assert {grammar for grammar, _ in watched} == {None}
