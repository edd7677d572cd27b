"""The page in a real browser: every panel and act, hostile texts, a phone's width, axe's rules, lost links."""

import shutil
import time
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest

pytest.importorskip('playwright', reason='playwright is not installed')
pytest.importorskip('axe_playwright_python', reason='playwright is not installed')
pytest.importorskip('aiohttp')

import page as served_page
import recorded_session as session
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

from lucca_core.protocol.prohibitions import Prohibition
from lucca_view.events import ForgottenMemory, MemoryEdge, MemoryNode, MemorySeen, ProhibitionsKnown
from lucca_view.recording.reader import RecordedSession
from lucca_view.web.sources import LiveSource, RecordedSource

CHROMIUM = shutil.which('chromium') or ''
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM, reason='chromium is not installed'),
]
HOSTILE = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>{{7*7}}'
NODE = MemoryNode(
    node='node:1',
    kind='statement',
    text='Anna keeps bees',
    speaker='Anna',
    valid_to='',
    pinned=False,
    importance=0.5,
    recency=0.5,
    frequency=0.5,
    centrality=0.5,
)


OLD = replace(NODE, node='node:2', text='Anna keeps wasps', valid_to='2026-01-02T10:00:00+00:00', importance=0.1)
CONCEPT = replace(NODE, node='node:3', kind='concept', text='bees', speaker='')
NETWORK = MemorySeen(
    nodes=(NODE, OLD, CONCEPT),
    edges=(MemoryEdge('node:1', 'node:2', 'supersedes'), MemoryEdge('node:1', 'node:3', 'mentions')),
    forgotten=(
        ForgottenMemory(node='node:4', text='Anna keeps cats', fate='pruned', reason='unimportant', time='2026-01-03'),
    ),
)
SUSPENDED = (
    session.news('g5'),
    session.news('g5', result=session.GoalResult(status='suspended', task='sorting'), waits=True),
)
PANELS = '[...document.querySelectorAll("section")].map((one) => one.id).filter(Boolean)'


@pytest.fixture(scope='module')
def browser():
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=['--no-sandbox'])
        yield browser
        browser.close()


@pytest.fixture
def acts():
    return served_page.NotedActs()


@pytest.fixture
def live():
    source = LiveSource()
    waits = session.news('g2')
    told = (*session.values(), NETWORK, waits)
    for event in session.events(told):
        source.take(event)
    return source


@pytest.fixture
def shown(browser, live, acts):
    with served_page.served(live, acts) as port:
        window = browser.new_page()
        asked = []
        window.on('request', lambda request: asked.append(request.url))
        window.goto(f'http://127.0.0.1:{port}/#token={served_page.TOKEN}')
        expect(window.locator('#state')).to_have_text('live')
        expect(window.locator('#gate li')).to_have_count(2)
        window.asked = asked
        yield window
        window.close()


def test_every_panel_shows_its_part_and_nothing_is_loaded_from_elsewhere(shown):
    for panel, text in {
        '#objects': 'pear',
        '#timeline': 'sorting',
        '#models': '<move_to_box_1(pear)>',
        '#gate': 'refused: unknown_object',
        '#log': 'It was about to do',
        '#said': 'I have finished sorting.',
        '#memory': 'Anna keeps bees',
        '#actions': 'done',
        '#diagnostics': 'ready',
        '#tasks': 'sorting: new',
    }.items():
        expect(shown.locator(panel)).to_contain_text(text)
    assert {urlsplit(url).hostname for url in shown.asked if not url.startswith('data:')} == {'127.0.0.1'}


@pytest.mark.parametrize(
    ('press', 'done'),
    [
        ('#stop', ('stop', {})),
        ('#reset', ('reset', {})),
        ('#tasks button', ('run', {'task': 'sorting', 'person': ''})),
        ('text=Cancel', ('cancel', {'goal': 'g2'})),
        ('#memory >> text=Pin', ('pin', {'node': 'node:1'})),
        ('#memory >> text=Forget', ('say', {'text': 'forget that Anna keeps bees', 'person': 'Anna'})),
    ],
)
def test_every_act_is_a_button(shown, acts, press, done):
    shown.locator(press).first.click()
    expect(shown.locator('#state')).to_have_text(f'{done[0]}: {done[0]} was done')
    assert acts.done == [done]


def test_the_network_shows_what_replaced_what_and_what_goes_first(shown):
    assert shown.locator('#network .tie.supersedes').count() == 1
    assert shown.locator('#network .dot.outdated.fading').count() == 1
    assert shown.locator('#network .dot.concept').count() == 1
    # A concept goes with what mentions it: there is nothing to pin.
    expect(shown.locator('#memory li')).to_have_count(2)
    expect(shown.locator('#memory')).to_contain_text('outdated since 2026-01-02 10:00')
    expect(shown.locator('#memory')).to_contain_text('the first that would be forgotten')
    shown.locator('#network .dot').first.hover()
    expect(shown.locator('#network-why')).to_contain_text('Anna keeps bees: ')


def test_what_was_forgotten_is_restored(shown, acts):
    shown.locator('#forgotten-part summary').click()
    shown.locator('#forgotten >> text=Restore').click()
    expect(shown.locator('#state')).to_have_text('restore: restore was done')
    assert acts.done == [('restore', {'node': 'node:4'})]


def test_a_task_is_seen_to_be_suspended_and_resumed(shown, live):
    for event in session.events((*SUSPENDED, session.news('g6'))):
        live.take(event)
    expect(shown.locator('#bars')).to_contain_text('suspended')
    expect(shown.locator('#bars')).to_contain_text('resumed')
    assert shown.locator('#bars .waits').count() == 1


@pytest.mark.parametrize('status', ['refused', 'cancelled', 'failed'])
def test_what_ended_before_it_began_resumes_nothing(shown, live, status):
    ended = session.GoalResult(status=status, task='sorting', reason='not now')
    understood = session.GoalFeedback(step=0, phase='understood', text='I sort')
    for event in session.events(
        (
            *SUSPENDED,
            session.news('g6', result=ended),
            session.news('g7', step=understood),
            session.news('g7', result=ended),
        )
    ):
        live.take(event)
    expect(shown.locator('#timeline > li', has_text='not now')).to_have_count(2)
    expect(shown.locator('#bars')).not_to_contain_text('resumed')
    for event in session.events((session.news('g8'),)):
        live.take(event)
    expect(shown.locator('#bars')).to_contain_text('resumed')
    assert shown.locator('#bars .waits').count() == 1


def test_what_is_left_out_of_a_prompt_can_be_read(shown, live):
    for event in session.events((session.exchange('Quite another question', '<stop()>'),)):
        live.take(event)
    shown.locator('#models summary').first.click()
    expect(shown.locator('#models .gone').first).to_have_text('What next?')


def test_what_nobody_looks_at_is_not_asked_for(shown, live):
    assert {'scene', 'camera'} <= live.panels
    shown.locator('#scene3d summary').click()
    expect(shown.locator('#scene')).to_be_hidden()
    end_s = time.monotonic() + 10.0
    while 'scene' in live.panels:
        assert time.monotonic() < end_s
        shown.wait_for_timeout(20)
    shown.close()
    while live.panels:
        assert time.monotonic() < end_s


def test_what_is_asked_is_agreed_to(shown, live, acts):
    asked = session.GoalResult(status='refused', task='sorting', question='Shall I put the pear in box 1?')
    for event in session.events((session.news('g4', person='Anna', result=asked),)):
        live.take(event)
    shown.locator('text=Yes, as understood').click()
    expect(shown.locator('#state')).to_have_text('confirm: confirm was done')
    assert acts.done == [('confirm', {'task': 'sorting', 'call': 'as understood', 'person': 'Anna'})]


def test_a_memory_is_corrected_in_words(shown, acts):
    shown.locator('#memory >> text=Correct').first.click()
    assert shown.evaluate('document.activeElement.id') == 'text'
    expect(shown.locator('#person')).to_have_value('Anna')
    shown.keyboard.type('Anna keeps wasps')
    shown.keyboard.press('Enter')
    expect(shown.locator('#state')).to_have_text('say: say was done')
    assert acts.done == [('say', {'text': 'No, Anna keeps wasps', 'person': 'Anna'})]


def test_what_is_focused_and_opened_stays_so_while_more_comes(shown, live):
    shown.locator('#models summary').focus()
    shown.keyboard.press('Enter')
    shown.evaluate('document.activeElement.id = "mine"')
    for event in session.events((session.exchange('And now?', '<stop()>'), session.decision())):
        live.take(event)
    expect(shown.locator('#models > li')).to_have_count(2)
    expect(shown.locator('#gate > li')).to_have_count(3)
    assert shown.evaluate('document.activeElement.id') == 'mine'
    assert shown.evaluate('document.activeElement.parentElement.open')


def test_something_can_be_said(shown, acts):
    shown.locator('#text').fill('build a tower')
    shown.locator('#person').fill('Anna')
    shown.keyboard.press('Enter')
    expect(shown.locator('#state')).to_have_text('say: say was done')
    assert acts.done == [('say', {'text': 'build a tower', 'person': 'Anna'})]


def test_a_stop_is_one_key_anywhere_and_the_first_of_the_tab_order(shown, acts):
    shown.locator('#text').focus()
    shown.keyboard.press('Escape')
    expect(shown.locator('#state')).to_have_text('stop: stop was done')
    assert acts.done == [('stop', {})]
    shown.reload()
    shown.keyboard.press('Tab')
    assert shown.evaluate('document.activeElement.id') == 'stop'


def test_what_is_prohibited_is_shown_and_lifting_it_is_only_written_down(shown, live, acts):
    expect(shown.locator('#unknown-prohibitions')).to_contain_text('not asked yet')
    expect(shown.locator('#no-prohibitions')).to_be_hidden()
    said_at = datetime(2026, 11, 28, 1, 2, tzinfo=UTC)
    kept = Prohibition(what='fruit', place='box 1', person='Ana', said_at=said_at)
    for known in (ProhibitionsKnown(), ProhibitionsKnown(prohibitions=(kept,))):
        for event in session.events((known,)):
            live.take(event)
        expect(shown.locator('#prohibitions li')).to_have_count(len(known.prohibitions))
        expect(shown.locator('#no-prohibitions')).to_be_visible(visible=not known.prohibitions)
        expect(shown.locator('#unknown-prohibitions')).to_have_text('')
    row = shown.locator('#prohibitions li')
    expect(row).to_contain_text('do not put fruit in box 1, said Ana on 2026-11-28 01:02 UTC')
    expect(row).to_contain_text('to lift it, say “you may put fruit in box 1 again”')
    shown.locator('#person').fill('Ben')
    row.get_by_role('button', name='Lift').click()
    assert acts.done == []
    shown.keyboard.press('Enter')
    expect(shown.locator('#state')).to_have_text('say: say was done')
    assert acts.done == [('say', {'text': 'you may put fruit in box 1 again', 'person': 'Ben'})]
    for event in session.events((ProhibitionsKnown(unknown='the action node does not answer'),)):
        live.take(event)
    expect(shown.locator('#unknown-prohibitions')).to_have_text(
        'It is not known what is prohibited: the action node does not answer'
    )
    expect(shown.locator('#no-prohibitions')).to_be_hidden()
    expect(row).to_have_count(0)


def test_hostile_texts_are_text_everywhere(shown, live):
    bad = replace(session.PEAR, name=HOSTILE, attributes=(HOSTILE,), container=HOSTILE)
    told = (
        session.SceneSeen(snapshot=replace(session.SNAPSHOT, objects=(bad,))),
        session.exchange(HOSTILE, HOSTILE),
        session.decision('malformed', HOSTILE),
        session.news('g3', person=HOSTILE, text=HOSTILE),
        session.LogEntry(task=HOSTILE, text=HOSTILE),
        session.Said(by_robot=False, person=HOSTILE, text=HOSTILE),
        session.Diagnosed(part=HOSTILE, level='ok', message=HOSTILE, values=((HOSTILE, HOSTILE),)),
        session.TasksKnown(tasks=(session.TaskState(task=HOSTILE, description='', left=(HOSTILE,)),)),
        ProhibitionsKnown(prohibitions=(Prohibition(what=HOSTILE, place=HOSTILE, person=HOSTILE),)),
        MemorySeen(
            nodes=(replace(NODE, text=HOSTILE, node=HOSTILE, speaker=HOSTILE),),
            edges=(MemoryEdge(HOSTILE, HOSTILE, HOSTILE),),
            forgotten=(ForgottenMemory(node='4', text=HOSTILE, fate=HOSTILE, reason=HOSTILE, time=HOSTILE),),
        ),
    )
    for event in session.events(told):
        live.take(event)
    panels = ('#objects', '#models', '#gate', '#timeline', '#log', '#said', '#diagnostics', '#tasks', '#memory')
    for panel in (*panels, '#prohibitions'):
        expect(shown.locator(panel)).to_contain_text(HOSTILE)
    assert shown.title() == 'lucca'
    assert shown.locator('main script, main img:not(#camera)').count() == 0


@pytest.mark.parametrize('width', [1280, 390])
def test_axe_finds_nothing_serious_in_any_panel(shown, width):
    shown.set_viewport_size({'width': width, 'height': 844})
    shown.evaluate('document.querySelectorAll("details").forEach((one) => { one.open = true; })')
    headings = shown.locator('section h2').all_text_contents()
    assert len(headings) == 13
    for panel in ('body', *(f'#{name}' for name in shown.evaluate(PANELS))):
        found = Axe().run(shown, context=panel).response['violations']
        bad = [(item['id'], item['impact']) for item in found if item['impact'] in ('serious', 'critical')]
        assert bad == [], panel


def test_nothing_is_cut_off_on_a_phone(shown):
    shown.set_viewport_size({'width': 390, 'height': 844})
    assert shown.evaluate('document.documentElement.scrollWidth') <= 390
    outside = """() => [...document.querySelectorAll('section, button, input, h2, li, canvas')]
        .filter((one) => !one.closest('.wide') && one.getBoundingClientRect().right > 391)
        .map((one) => one.outerHTML.slice(0, 80))"""
    assert shown.evaluate(outside) == []


def test_a_lost_connection_says_so_and_comes_back(browser, live, acts):
    window = browser.new_page()
    with served_page.served(live, acts) as port:
        window.goto(f'http://127.0.0.1:{port}/#token={served_page.TOKEN}')
        expect(window.locator('#state')).to_have_text('live')
    expect(window.locator('#state')).to_contain_text('connection lost')
    with served_page.served(live, acts, port):
        expect(window.locator('#state')).to_have_text('live', timeout=15_000)
    window.close()


def test_a_thousand_events_a_second_do_not_stop_it(shown, live, acts):
    began_s, count = time.monotonic(), 0
    while time.monotonic() - began_s < 5.0:
        value = session.Said(by_robot=True, person='', text=f'event {count}')
        live.take(session.Event(wall_s=2e9 + count, stamp_s=0.0, value=value))
        count += 1
    live.take(session.Event(wall_s=3e9, stamp_s=0.0, value=session.Said(by_robot=True, person='', text='the last')))
    expect(shown.locator('#said')).to_contain_text('the last', timeout=10_000)
    assert count > 5000
    shown.locator('#stop').click()
    expect(shown.locator('#state')).to_have_text('stop: stop was done')


def test_a_recording_is_gone_through_step_by_step(browser):
    with served_page.served(RecordedSource(RecordedSession(session.events())), None) as port:
        window = browser.new_page()
        window.goto(f'http://127.0.0.1:{port}/#token={served_page.TOKEN}')
        expect(window.locator('#gate li')).to_have_count(2)
        expect(window.locator('#acts')).to_be_hidden()
        for left in (2, 1, 1, 1, 0):
            window.locator('#back').click()
            expect(window.locator('#gate li')).to_have_count(left)
        window.locator('#on').click()
        expect(window.locator('#gate li')).to_have_count(1)
        window.close()
