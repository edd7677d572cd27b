"""The page's server: who may use it, what it does, and what becomes of everybody else."""

import json
import ssl
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip('aiohttp')
pytest.importorskip('mcap')

import httpx
import page
import recorded_session as session
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from lucca_view.panels import GROWS
from lucca_view.recording.reader import RecordedSession
from lucca_view.web.access import is_token, new_token
from lucca_view.web.sources import LiveSource, RecordedSource

# No certificates are read for a server without TLS, which would take half of the time of a request.
BARE = {'verify': ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)}


@pytest.fixture
def acts():
    return page.NotedActs()


@pytest.fixture
def live():
    source = LiveSource()
    for event in session.events():
        source.take(event)
    return source


@pytest.fixture
def port(live, acts):
    with page.served(live, acts) as port:
        yield port


def headers(port, **changed):
    own = {'Authorization': f'Bearer {page.TOKEN}', 'Origin': f'http://127.0.0.1:{port}'}
    return {
        name: value for name, value in (own | {k.replace('_', '-'): v for k, v in changed.items()}).items() if value
    }


def post(port, act, values=None, **kwargs):
    return httpx.post(f'http://127.0.0.1:{port}/acts/{act}', json={} if values is None else values, **BARE, **kwargs)


def open_socket(port, token=page.TOKEN, name='socket', **kwargs):
    kwargs = {'origin': f'http://127.0.0.1:{port}'} | kwargs
    return connect(f'ws://127.0.0.1:{port}/{name}', subprotocols=['lucca', f'token.{token}'], max_size=None, **kwargs)


def received_all(socket):
    while True:
        socket.recv(timeout=10)


def panels(socket):
    """Everything that one page is shown at first."""
    hello = json.loads(socket.recv())
    return hello, json.loads(socket.recv())['panels']


def test_the_page_loads_and_says_that_it_loads_nothing_from_elsewhere(port):
    for path in ('/', '/page.js', '/page.css'):
        answer = httpx.get(f'http://127.0.0.1:{port}{path}', **BARE)
        assert answer.status_code == 200
        assert "default-src 'none'" in answer.headers['Content-Security-Policy']
        assert 'unsafe' not in answer.headers['Content-Security-Policy']
        assert 'http://' not in answer.text.replace('http://127', '')
        assert 'https://' not in answer.text
        assert page.TOKEN not in answer.text
        assert 'innerHTML' not in answer.text


def test_with_the_token_an_act_is_done(port, acts):
    answer = post(port, 'say', {'text': 'build a tower', 'person': ''}, headers=headers(port))
    assert (answer.status_code, answer.json()) == (200, {'said': 'say was done'})
    assert acts.done == [('say', {'text': 'build a tower', 'person': ''})]


REFUSED = {
    'no token': {'Authorization': ''},
    'another token': {'Authorization': 'Bearer another'},
    'a token that begins right': {'Authorization': f'Bearer {page.TOKEN[:-1]}'},
    'the token of another scheme': {'Authorization': f'Basic {page.TOKEN}'},
    'no origin': {'Origin': ''},
    'another site': {'Origin': 'http://evil.example'},
    'no site': {'Origin': 'null'},
    'another port of this machine': {'Origin': 'http://127.0.0.1:1'},
    'another host, as by rebinding': {'Host': 'evil.example'},
    'this host with another port': {'Host': '127.0.0.1:1'},
}


@pytest.mark.parametrize('act', ['stop', 'say', 'reset', 'pin'])
@pytest.mark.parametrize('changed', REFUSED.values(), ids=REFUSED)
def test_nobody_else_does_anything(port, acts, act, changed):
    assert post(port, act, headers=headers(port, **changed)).status_code == 403
    assert acts.done == []


SOCKETS = ('socket', 'stops')


@pytest.mark.parametrize('name', SOCKETS)
@pytest.mark.parametrize('changed', [value for value in REFUSED.values() if 'Authorization' not in value])
def test_a_socket_needs_origin_and_host_too(port, changed, name):
    origin = changed.get('Origin', f'http://127.0.0.1:{port}') or None
    more = {'additional_headers': {'Host': changed['Host']}} if 'Host' in changed else {}
    with pytest.raises(InvalidStatus if not more else Exception):
        open_socket(port, name=name, origin=origin, **more).recv()


@pytest.mark.parametrize('name', SOCKETS)
@pytest.mark.parametrize('token', ['', 'another', page.TOKEN[:-1], page.TOKEN + 'x'])
def test_a_socket_needs_the_token(port, token, name):
    with pytest.raises(InvalidStatus, match='403'):
        open_socket(port, token or 'x', name)


@pytest.mark.parametrize(
    'path',
    [
        '/../server.py',
        '/..%2fserver.py',
        '/static/index.html',
        '/%2e%2e/%2e%2e/etc/passwd',
        '//etc/passwd',
        '/page.js/..',
    ],
)
def test_no_path_leads_to_another_file(port, path):
    import socket

    with socket.create_connection(('127.0.0.1', port)) as raw:
        raw.sendall(f'GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n'.encode())
        answer = b''.join(iter(lambda: raw.recv(4096), b''))
    assert answer.split()[1] in (b'403', b'404', b'400')
    assert b'root:' not in answer
    assert b'aiohttp import' not in answer


@pytest.mark.parametrize(
    ('act', 'values'),
    [
        ('say', {'text': 'x'}),
        ('say', {'text': 1, 'person': ''}),
        ('say', {'text': 'x' * 10_001, 'person': ''}),
        ('stop', {'more': 'x'}),
        ('stop', ['x']),
        ('fly', {}),
        ('erase', {}),
    ],
)
def test_what_is_no_act_is_refused(port, acts, act, values):
    assert post(port, act, values, headers=headers(port)).status_code in (400, 404)
    assert acts.done == []


def test_a_form_of_another_site_is_no_act(port, acts):
    own = headers(port)
    answer = httpx.post(f'http://127.0.0.1:{port}/acts/stop', data={'a': 'b'}, headers=own, **BARE)
    assert answer.status_code == 415
    assert acts.done == []


def test_an_oversize_act_is_not_read(port, acts):
    answer = post(port, 'say', {'text': 'x' * 200_000, 'person': ''}, headers=headers(port))
    assert answer.status_code == 413
    assert acts.done == []


def test_an_oversize_message_closes_its_socket_only(port):
    with open_socket(port) as other:
        with open_socket(port) as loud:
            loud.send('x' * 100_000)
            with pytest.raises(ConnectionClosed):
                received_all(loud)
        assert panels(other)[0]['live'] is True


def test_why_an_act_was_not_done_is_told(port):
    answer = post(port, 'say', {'text': 'fail', 'person': ''}, headers=headers(port))
    assert (answer.status_code, answer.json()['said']) == (409, 'no coordinator answers')


def test_an_error_that_nobody_expected_is_answered_with_all_headers(port, acts):
    acts.do = lambda act, arguments: 1 / 0
    answer = post(port, 'say', {'text': 'hello', 'person': ''}, headers=headers(port))
    assert answer.status_code == 500
    assert 'the log of the page has it' in answer.json()['said']
    assert answer.headers['X-Content-Type-Options'] == 'nosniff'


def test_half_of_a_surrogate_pair_is_no_text(port, acts):
    body = b'{"text": "\\ud800", "person": ""}'
    own = {**headers(port), 'Content-Type': 'application/json'}
    assert httpx.post(f'http://127.0.0.1:{port}/acts/say', content=body, headers=own, **BARE).status_code == 400
    assert not acts.done


def test_a_page_that_can_no_longer_be_drawn_is_closed(acts):
    class Breaking(LiveSource):
        broken = False

        def view(self, at_s=0.0):
            if self.broken:
                raise KeyError('surprise')
            return super().view(at_s)

    source = Breaking()
    with page.served(source, acts) as port, open_socket(port) as socket:
        panels(socket)
        source.broken = True
        with pytest.raises(ConnectionClosed):
            received_all(socket)


def test_a_recording_at_rest_is_sent_once():
    source = RecordedSource(RecordedSession(session.events()))
    assert source.view(1.0) is source.view(1.0)
    assert source.view(source.length_s) is source.view(source.length_s)


def test_a_stop_does_not_wait_for_other_acts(port, acts):
    acts.slow.clear()
    waiting = [
        threading.Thread(
            target=post, args=(port, 'say', {'text': 'x', 'person': ''}), kwargs={'headers': headers(port)}
        )
        for _ in range(12)
    ]
    for thread in waiting:
        thread.start()
    assert post(port, 'stop', headers=headers(port)).status_code == 200
    assert acts.done == [('stop', {})]
    acts.slow.set()
    for thread in waiting:
        thread.join()


def test_stops_have_a_connection_of_their_own(port, acts):
    acts.slow.clear()
    with ThreadPoolExecutor(12) as pool, open_socket(port, name='stops') as stops:
        waiting = [
            pool.submit(post, port, 'say', {'text': 'x', 'person': ''}, headers=headers(port)) for _ in range(12)
        ]
        for _ in range(3):
            stops.send('stop')
            answer = json.loads(stops.recv(timeout=10))
            assert (answer['said'], answer['done']) == ('stop was done', True)
        assert acts.done == [('stop', {})] * 3
        acts.slow.set()
        assert [one.result().status_code for one in waiting] == [200] * 12


def test_why_a_stop_was_not_done_is_told(port, acts):
    acts.dead = True
    with open_socket(port, name='stops') as stops:
        stops.send('stop')
        answer = json.loads(stops.recv(timeout=10))
    assert (answer['said'], answer['done']) == ('no action node answers; use the hardware stop', False)


@pytest.mark.parametrize('text', ['reset', 'STOP', '{"act": "stop"}', ''])
def test_nothing_but_stops_goes_over_their_connection(port, acts, text):
    with open_socket(port, name='stops') as stops:
        stops.send(text)
        with pytest.raises(ConnectionClosed):
            stops.recv(timeout=10)
    assert acts.done == []


def test_an_update_says_when_the_nodes_told_what_is_new_in_it(port, live):
    with open_socket(port) as socket:
        panels(socket)
        for number in (1, 2):
            live.take(session.Event(wall_s=2e9 + number, stamp_s=0.0, value=session.decision()))
        live.take(session.Event(wall_s=3e9, stamp_s=0.0, value=session.Said(by_robot=True, person='', text='x')))
        told_s, texts = [], []
        while not texts:
            found = json.loads(socket.recv(timeout=10))
            told_s += found['told_s']
            texts = found['panels'].get('said+', [])
    assert told_s == [2e9 + 1, 2e9 + 2]


def test_of_a_list_that_grows_only_the_new_rows_are_sent(port, live):
    def until(name):
        while name not in (found := json.loads(socket.recv(timeout=10))['panels']):
            pass
        return found

    with open_socket(port) as socket:
        panels(socket)
        live.take(session.Event(wall_s=2e9, stamp_s=0.0, value=session.exchange('And now?', '<stop()>')))
        (new,) = until('models+')['models+']
        assert new['answer'] == '<stop()>'
        assert [message['text'] for message in new['left_out']] == ['What next?', '<move_to_box_1(pear)>']


def test_what_a_page_shows_already_is_not_sent_again(port, live):
    thinking = session.GoalFeedback(step=2, phase=session.Phase.THINKING, text='')
    with open_socket(port) as socket:
        panels(socket)
        for value in (session.SceneSeen(snapshot=session.SNAPSHOT), session.news(step=thinking), session.decision()):
            live.take(session.Event(wall_s=2e9, stamp_s=0.0, value=value))
        sent = {}
        while 'gate+' not in sent:
            sent |= json.loads(socket.recv(timeout=10))['panels']
    assert set(sent) == {'gate+'}


def test_two_pages_see_the_same_session(port):
    with open_socket(port) as first, open_socket(port) as second:
        assert panels(first) == panels(second)


def test_the_page_shows_what_was_asked_answered_and_decided(port):
    with open_socket(port) as socket:
        _, shown = panels(socket)
    assert [item['name'] for item in shown['objects']] == ['pear']
    assert [item['name'] for item in shown['scene']['objects']] == ['pear']
    assert shown['scene']['robot']
    (exchange,) = shown['models']
    assert exchange['answer'] == '<move_to_box_1(pear)>'
    assert [message['new'] for message in exchange['messages']] == [True, True]
    assert [(item['permitted'], item['code']) for item in shown['gate']] == [
        (True, 'permitted'),
        (False, 'unknown_object'),
    ]
    (goal,) = shown['timeline']
    assert (goal['wish'], goal['status'], len(goal['steps'])) == ('sorting', 'finished', 1)
    assert shown['log'][0]['prose'] == 'It was about to do <move_to_box_1(pear)>.'
    (correction,) = shown['corrections']
    assert (correction['misread'], correction['corrected']) == (['In box 1: it said pear; the log says none'], True)
    assert shown['latency']['actions'][0]['planning_ms'] == 30.0
    assert shown['diagnostics'][0]['message'] == 'ready'


def test_a_flood_of_events_is_shown_as_its_newest(port, live):
    with open_socket(port) as socket:
        panels(socket)
        for number in range(3000):
            live.take(
                session.Event(
                    wall_s=2e9 + number, stamp_s=0.0, value=session.Said(by_robot=True, person='', text=f'{number}')
                )
            )
        seen, messages = '', 0
        while seen != '2999':
            shown = json.loads(socket.recv(timeout=10))['panels']
            # The whole panel, or only its new rows if few were added since the last message.
            for name in ('said', 'said' + GROWS):
                seen = shown.get(name, [{'text': seen}])[-1]['text']
            messages += 1
    assert messages < 300


def test_a_recording_is_shown_at_any_moment_and_nothing_can_be_done_in_it():
    source = RecordedSource(RecordedSession(session.events()))
    with page.served(source, None) as port:
        assert post(port, 'stop', headers=headers(port)).status_code == 409
        with pytest.raises(InvalidStatus, match='409'):
            open_socket(port, name='stops')
        with open_socket(port) as socket:
            hello, shown = panels(socket)
            assert (hello['live'], hello['length_s']) == (False, 6.5)
            assert len(shown['gate']) == 2
            socket.send(json.dumps({'at_s': 3.0}))
            earlier = json.loads(socket.recv(timeout=10))
            assert (earlier['at_s'], len(earlier['panels']['gate'])) == (3.0, 1)


@pytest.mark.parametrize('at_s', [0.0, 1.2, 3.0, 99.0])
def test_a_moment_of_a_long_recording_is_as_if_played_to_it(at_s):
    long = session.events(session.values() * 60)
    source = RecordedSource(RecordedSession(long))
    played = session.SessionView().after_all(event for event in long if event.wall_s - session.BEGAN_S <= at_s)
    assert source.view(at_s) == played


@pytest.mark.parametrize('token', ['a', 'x' * 15, 'with+plus/and=equals', 'with a space in the middle', '', 'y' * 201])
def test_a_token_that_a_page_could_not_send_or_anybody_could_guess_is_none(token):
    assert not is_token(token)
    assert is_token(page.TOKEN)
    assert is_token(new_token())
