"""A session as spans, and their way to OpenTelemetry."""

import pytest
import recorded_session as session

from lucca_core.codes import ReasonCode
from lucca_core.protocol.actions import ActionResult
from lucca_core.protocol.goals import GoalFeedback, GoalResult, Phase, Status
from lucca_core.protocol.observations import ActionEnded
from lucca_view.tracing.spans import spans_of

CALL = '<move_to_box_1(pear)>'


def step(phase, code='', goal_id='g1'):
    return session.news(goal_id, step=GoalFeedback(step=1, phase=phase, text=CALL, code=code))


def whole_goal(code=ReasonCode.DONE):
    """A goal of one action, with both models asked for it, and once more at the end."""
    result = ActionResult(code=code, action=CALL, planning_s=0.1, duration_s=99.0, verify_wait_s=0.1)
    return session.events(
        (
            session.news(),
            step(Phase.THINKING),
            session.exchange('What is done?', 'nothing', asker='worker'),
            session.exchange('What next?', CALL),
            step(Phase.ACTING),
            session.decision(),
            ActionEnded(task='sorting', result=result),
            step(Phase.ACTED, code),
            session.exchange('What next?', '<finish(sorting)>'),
            session.news(result=GoalResult(status=Status.FINISHED, task='sorting', actions_done=('x',))),
        )
    )


def walk(span):
    yield span
    for child in span.children:
        yield from walk(child)


def test_a_goal_is_the_root_of_its_actions_and_they_of_their_model_calls_and_motion():
    (root,) = spans_of(whole_goal())
    assert (root.name, root.attributes['lucca.status']) == ('invoke_agent lucca', 'finished')
    action, last = root.children
    assert (action.name, action.attributes['lucca.call']) == ('execute_tool move_to_box_1', CALL)
    assert [(child.name, child.node) for child in action.children] == [
        ('chat embedded', 'worker'),
        ('chat embedded', 'coordinator'),
        ('motion', 'action'),
    ]
    assert [event.name for event in action.events] == ['gate']
    assert (last.name, [child.name for child in last.children]) == ('think', ['chat embedded'])


def test_what_is_within_is_within_in_time_too():
    (root,) = spans_of(whole_goal())
    for span in walk(root):
        assert span.began_s <= span.ended_s
        for child in span.children:
            assert span.began_s <= child.began_s
            assert child.ended_s <= span.ended_s


def test_what_failed_says_why():
    (root,) = spans_of(whole_goal(ReasonCode.STOPPED))
    assert root.error == ''
    assert root.children[0].error == 'stopped'
    assert root.children[0].children[-1].error == 'stopped'


def test_prompts_are_left_out_unless_they_are_asked_for():
    def texts(roots):
        return [value for root in roots for span in walk(root) for value in span.attributes.values()]

    assert not any('What next?' in str(value) for value in texts(spans_of(whole_goal())))
    assert any('What next?' in str(value) for value in texts(spans_of(whole_goal(), texts=True)))


def test_model_calls_are_of_the_goal_that_they_are_made_for():
    told = (
        session.news('g1'),
        session.news('g2', text='build a tower'),
        step(Phase.THINKING, goal_id='g2'),
        session.exchange('of the first', 'a', goal='g1'),
        session.exchange('of who thought last', 'b', asker='worker'),
    )
    roots = spans_of(session.events(told), texts=True)
    asked = {root.attributes['lucca.goal']: str([span.attributes for span in walk(root)]) for root in roots}
    assert 'of the first' in asked['g1']
    assert 'of the first' not in asked['g2']
    assert 'of who thought last' in asked['g2']


def test_a_model_call_of_no_goal_is_a_trace_by_itself():
    (root,) = spans_of(session.events((session.exchange('Sum up.', 'It was a day.', asker='worker'),)))
    assert (root.name, root.children) == ('chat embedded', [])


def test_a_goal_that_goes_on_when_the_session_ends_is_told_as_such():
    (root,) = spans_of(whole_goal()[:6])
    assert root.attributes['lucca.status'] == 'not ended'
    assert [child.name for child in root.children] == ['execute_tool move_to_box_1']


def test_exported_spans_have_their_parents_times_and_conventions():
    pytest.importorskip('opentelemetry.sdk')
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
    from opentelemetry.trace import SpanKind, StatusCode

    from lucca_view.tracing.export import export

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    roots = spans_of((*whole_goal(ReasonCode.STOPPED), *whole_goal()))
    assert export(provider, roots) == 14
    spans = exporter.get_finished_spans()
    known = {span.context.span_id for span in spans}
    assert [span for span in spans if span.parent is not None and span.parent.span_id not in known] == []
    assert len({span.context.trace_id for span in spans}) == 2
    assert sum(span.parent is None for span in spans) == 2
    first = next(span for span in spans if span.parent is None)
    assert (first.start_time, first.end_time) == (round(session.BEGAN_S * 1e9), round((session.BEGAN_S + 4.5) * 1e9))
    chat = next(span for span in spans if span.name == 'chat embedded')
    assert chat.kind is SpanKind.CLIENT
    assert chat.attributes['gen_ai.operation.name'] == 'chat'
    assert chat.attributes['gen_ai.usage.input_tokens'] == 100
    assert {span.attributes['error.type'] for span in spans if span.status.status_code is StatusCode.ERROR} == {
        'stopped'
    }
