// The page of a session. Everything that comes over the socket is shown as text: nothing here makes markup of it.
import { drawScene } from './scene.js';
import { drawNetwork } from './network.js';
import { drawTimeline } from './timeline.js';

const token = new URLSearchParams(location.hash.slice(1)).get('token') || '';
const at = (id) => document.getElementById(id);
const clock = (wall_s) => new Date(wall_s * 1000).toLocaleTimeString();
let socket = null, stops = null, steps = [], length = 0, delays = [];
const grown = {}, most = { models: 30, corrections: 200, gate: 200, log: 200, said: 200 };

function node(tag, text = '', kind = '') {
  const made = document.createElement(tag);
  made.textContent = text;
  if (kind) made.className = kind;
  return made;
}
function item(...parts) { const made = node('li'); made.append(...parts.filter(Boolean)); return made; }
function button(text, act, values) {
  const made = node('button', text);
  made.type = 'button';
  made.addEventListener('click', () => doAct(act, values));
  return made;
}
const FOCUSABLE = 'button, summary';
function list(id, found, key, make) {
  // Newest first. A row that did not change keeps its element, so that what is opened, focused or selected stays so.
  const box = at(id), had = box.drawn || new Map(), rows = new Map();
  for (const one of found) {
    let name = key(one);
    while (rows.has(name)) name += '+';
    const text = JSON.stringify(one), before = had.get(name);
    if (before && before.text === text) { rows.set(name, before); continue; }
    const element = make(one);
    if (before) {
      const open = [...before.element.querySelectorAll('details')].map((old) => old.open);
      element.querySelectorAll('details').forEach((details, index) => { details.open = open[index]; });
      const focused = [...before.element.querySelectorAll(FOCUSABLE)].indexOf(document.activeElement);
      before.element.replaceWith(element);
      if (focused >= 0) element.querySelectorAll(FOCUSABLE)[focused]?.focus();
    }
    rows.set(name, { text, element });
  }
  for (const [name, { element }] of had) if (!rows.has(name)) element.remove();
  [...rows.values()].reverse().forEach(({ element }, index) => {
    if (box.children[index] !== element) box.insertBefore(element, box.children[index] || null);
  });
  box.drawn = rows;
}
const when = (one) => `${one.wall_s}`;
// What is so instead, or whether something is really permitted, is for the person to say: the button only writes a sentence to send.
function sentence(label, text, person) {
  const made = node('button', label);
  made.type = 'button';
  made.addEventListener('click', () => { at('text').value = text; if (person !== null) at('person').value = person; at('text').focus(); });
  return made;
}
function tell(text, lost = false) { at('state').textContent = text; at('state').classList.toggle('lost', lost); }

async function doAct(act, values) {
  const began = performance.now();
  try {
    const answer = await fetch(`acts/${act}`, {
      method: 'POST', body: JSON.stringify(values),
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    });
    const said = answer.headers.get('Content-Type').startsWith('application/json') ? (await answer.json()).said : await answer.text();
    at('state').dataset.ms = Math.round(performance.now() - began);
    tell(`${act}: ${said}`, !answer.ok);
  } catch (error) { tell(`${act}: not reached (${error.message})`, true); }
}
// Stops have a connection of their own, open beforehand: none waits for another act or for a picture.
let pressed_ms = [];
function stop(event) {
  // From the key or the pointer on, and not from when this page came to it.
  if (!stops || stops.readyState !== WebSocket.OPEN) { doAct('stop', {}); return; }
  pressed_ms.push(event.timeStamp);
  stops.send('stop');
}
function connectStops() {
  stops = new WebSocket(`ws://${location.host}/stops`, ['lucca', `token.${token}`]);
  stops.addEventListener('message', ({ data }) => {
    const { said, done, server_ms: server } = JSON.parse(data);
    at('state').dataset.ms = Math.round(performance.now() - pressed_ms.shift());
    at('state').dataset.serverMs = server;
    tell(`stop: ${said}`, !done);
    drawSoon();
  });
  stops.addEventListener('close', () => {
    // What was pressed and not answered is asked once more, on the other way.
    if (pressed_ms.length) doAct('stop', {});
    pressed_ms = [];
    drawSoon();
    setTimeout(connectStops, 1000);
  });
}
at('stop').addEventListener('click', stop);
document.addEventListener('keydown', (event) => { if (event.key === 'Escape') { event.preventDefault(); if (!event.repeat) stop(event); } });
at('reset').addEventListener('click', () => doAct('reset', {}));
at('say').addEventListener('submit', (event) => {
  event.preventDefault();
  doAct('say', { text: at('text').value, person: at('person').value });
  at('text').value = '';
});

const show = {
  camera({ jpeg }) {
    at('camera').hidden = !jpeg; at('no-camera').hidden = !!jpeg;
    if (jpeg) at('camera').src = `data:image/jpeg;base64,${jpeg}`;
  },
  objects(found) {
    list('objects', found.slice().reverse(), (one) => one.id, (one) => {
      const row = node('tr');
      const place = one.at_m.map((value) => value.toFixed(2)).join(', ');
      for (const text of [one.name, one.attributes.join(', '), one.container, place, `${Math.round(100 * one.score)} %`, one.seen]) row.append(node('td', text));
      return row;
    });
  },
  scene(found) { drawScene(at('scene'), found); },
  tasks(found) {
    list('tasks', found.slice().reverse(), (task) => task.task, (task) => {
      const row = node('div', '', 'buttons');
      row.append(node('span', `${task.task}: ${task.status}, ${task.actions_done.length} done${task.left.length ? `, left: ${task.left.join(', ')}` : ''}${task.undone.length ? `, no longer so: ${task.undone.join(', ')}` : ''}`));
      row.append(task.status === 'running' ? button(`Suspend ${task.task}`, 'say', { text: `stop the ${task.task}`, person: '' }) : button(`${task.status === 'suspended' ? 'Resume' : 'Start'} ${task.task}`, 'run', { task: task.task, person: '' }));
      return row;
    });
  },
  prohibitions({ unknown, found }) {
    at('unknown-prohibitions').textContent = unknown ? `It is not known what is prohibited: ${unknown}` : '';
    at('no-prohibitions').hidden = !!unknown || found.length > 0;
    list('prohibitions', found.slice().reverse(), (one) => one.text, (one) => item(node('b', one.text), node('span', `, said ${one.person}${one.on ? ` on ${one.on}` : ''}`, 'soft'),
      node('div', `to lift it, say “${one.lift}”`, 'soft'), sentence('Lift', one.lift, null)));
  },
  timeline(found) {
    drawTimeline(at('bars'), found);
    list('timeline', found, (goal) => goal.id, (goal) => {
      const details = node('details');
      details.append(node('summary', `${goal.steps.length} steps${goal.retries ? `, ${goal.retries} tried again` : ''}`));
      for (const step of goal.steps) details.append(node('div', `${clock(step.wall_s)} ${step.phase} ${step.text} ${step.code}`, 'soft'));
      const buttons = node('span', '', 'buttons');
      if (document.body.classList.contains('is-live')) {
        if (!goal.ended_s) buttons.append(button('Cancel', 'cancel', { goal: goal.id }));
        if (goal.agree) buttons.append(button(goal.agree.label, goal.agree.act, goal.agree.values));
      }
      return item(node('b', goal.wish), node('span', ` ${goal.person ? `by ${goal.person}, ` : ''}${clock(goal.given_s)}${goal.ended_s ? ` to ${clock(goal.ended_s)}` : ''}: `, 'soft'),
        node('span', goal.status, goal.status === 'finished' ? 'good' : ''), node('div', [goal.said, goal.reason, goal.question].filter(Boolean).join(' · ')), buttons, details);
    });
  },
  models(found) {
    list('models', found, (one) => `${one.asker} ${one.wall_s}`, (one) => {
      const details = node('details');
      details.append(node('summary', `${one.messages.length} messages, ${one.messages.filter((m) => m.new).length} new, ${one.left_out.length} left out of the window`));
      for (const message of one.left_out) details.append(node('div', `${message.role}, in the last prompt and left out of this one`, 'soft'), node('pre', message.text, 'gone'));
      for (const message of one.messages) details.append(node('div', `${message.role}${message.new ? ', new' : ''}`, 'soft'), node('pre', message.text, message.new ? 'new' : ''));
      return item(node('b', one.asker), node('span', ` ${clock(one.wall_s)}, ${one.model}, ${one.prompt_tokens} + ${one.completion_tokens} tokens, ${one.model_s} s`, 'soft'),
        one.error ? node('pre', one.error, 'bad') : node('pre', [one.answer, ...one.calls].join('\n')), details);
    });
  },
  corrections(found) {
    at('corrections-part').hidden = found.length === 0;
    list('corrections', found, when, (one) => item(node('span', `${clock(one.wall_s)} ${one.task}: `, 'soft'), ...one.misread.map((text) => node('div', text)),
      node('div', one.corrected ? 'the log was passed on instead' : 'passed on as it was', one.corrected ? 'good' : 'bad')));
  },
  gate(found) {
    list('gate', found, when, (one) => item(node('span', `${clock(one.wall_s)} `, 'soft'), node('b', one.text), node('span', ` ${one.permitted ? 'permitted' : `refused: ${one.code}`}`, one.permitted ? 'good' : 'bad'), node('div', one.message)));
  },
  log(found) { list('log', found, when, (one) => item(node('span', `${clock(one.wall_s)} ${one.task}: `, 'soft'), node('span', one.prose))); },
  said(found) { list('said', found, when, (one) => item(node('span', `${clock(one.wall_s)} ${one.who}: `, 'soft'), node('span', one.text))); },
  memory(found) {
    at('no-memory').hidden = found.nodes.length > 0;
    at('network-part').hidden = found.nodes.length === 0;
    drawNetwork(at('network'), found);
    list('memory', found.nodes.filter((one) => !one.states.includes('concept')).reverse(), (one) => one.node, (one) => item(node('b', one.text), node('div', `${one.node}; ${one.why}`, 'soft'),
      button(one.pinned ? 'Unpin' : 'Pin', one.pinned ? 'unpin' : 'pin', { node: one.node }), sentence('Correct', 'No, ', one.speaker), button('Forget', 'say', { text: `forget that ${one.text}`, person: one.speaker })));
    at('forgotten-part').hidden = found.forgotten.length === 0;
    list('forgotten', found.forgotten.slice().reverse(), (one) => one.node, (one) => item(node('b', one.text), node('div', `${one.node}; ${one.why}`, 'soft'), button('Restore', 'restore', { node: one.node })));
  },
  latency({ models, actions, turns }) {
    list('actions', actions, when, (one) => {
      const row = node('tr');
      for (const text of [one.action, one.code, one.overhead_ms, one.planning_ms, one.verify_ms, one.duration_s]) row.append(node('td', `${text}`));
      return row;
    });
    at('turns').replaceChildren(...turns.slice(-5).reverse().map((one) => item(node('b', one.wish), node('span', `: ${one.first_s} s from the wish to the first word or action`))));
    const of = (asker) => models.filter((one) => one.asker === asker).map((one) => one.model_s).sort((a, b) => a - b);
    at('thinking').textContent = ['coordinator', 'worker'].map((asker) => { const times = of(asker); return times.length ? `${asker}'s model: median ${times[times.length >> 1]} s of ${times.length} calls` : ''; }).filter(Boolean).join('; ');
  },
  diagnostics(found) { at('diagnostics').replaceChildren(...found.map((one) => item(node('b', one.part), node('span', ` ${one.level}: ${one.message}`, one.level === 'ok' ? 'good' : 'bad'), node('div', Object.entries(one.values).map(([name, value]) => `${name} ${value}`).join(', '), 'soft')))); },
};

// A recording: any moment of it, step by step. What nobody can see is not asked for: it costs the stack and this machine.
function look(at_s) {
  const shown = document.hidden ? [] : Object.keys(show).filter((name) => name !== 'scene' || at('scene3d').open);
  if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(at_s === undefined ? { shown } : { shown, at_s }));
}
function go(at_s) { at('at').value = at_s; at('shown-at').textContent = `${Number(at_s).toFixed(1)} of ${length.toFixed(1)} s`; look(Number(at_s)); }
at('scene3d').addEventListener('toggle', () => look());
document.addEventListener('visibilitychange', () => look());
at('at').addEventListener('input', () => go(at('at').value));
at('on').addEventListener('click', () => go(steps.find((one) => one > Number(at('at').value) + 0.0005) ?? length));
at('back').addEventListener('click', () => go(steps.filter((one) => one < Number(at('at').value) - 0.0005).pop() ?? 0));

// How long it took from the telling of an event to its drawing, by this machine's clock; of the last thousand.
function note(told_s) {
  const now_ms = Date.now();
  delays = [...delays, ...told_s.map((told) => now_ms - 1000 * told)].slice(-1000);
  const sorted = delays.slice().sort((a, b) => a - b);
  at('delay').dataset.ms = Math.round(sorted[Math.floor(0.95 * sorted.length)]);
  at('delay').dataset.count = sorted.length;
  at('delay').textContent = `from an event to this screen: ${at('delay').dataset.ms} ms for 95 % of ${sorted.length}`;
}
// Drawn with the browser's next picture: of what comes faster, the newest.
const HELD_MS = 500;
let waiting = {}, told_s = [], drawing = false;
function drawSoon() {
  if (drawing || !(Object.keys(waiting).length || told_s.length)) return;
  drawing = true;
  requestAnimationFrame(drawWaiting);
}
function drawWaiting() {
  drawing = false;
  // A stop that waits for its answer has this page to itself; its answer draws what has come meanwhile.
  if (pressed_ms.length && performance.now() - pressed_ms[0] < HELD_MS) { setTimeout(drawSoon, HELD_MS); return; }
  const [panels, told] = [waiting, told_s];
  [waiting, told_s] = [{}, []];
  for (const [name, value] of Object.entries(panels)) if (name in show) show[name](value);
  // Behind the picture.
  if (length === 0 && told.length) setTimeout(() => note(told), 0);
}

function connect() {
  socket = new WebSocket(`ws://${location.host}/socket`, ['lucca', `token.${token}`]);
  socket.addEventListener('message', ({ data }) => {
    const found = JSON.parse(data);
    if ('live' in found) {
      ({ steps_s: steps, length_s: length } = found);
      document.body.classList.toggle('is-live', found.live);
      at('at').max = length; at('at').step = 'any';
      tell(found.live ? 'live' : 'a recording');
      if (!found.live) go(length);
      if (found.live && !stops) connectStops();
      look();
      return;
    }
    for (const [name, value] of Object.entries(found.panels)) {
      const grows = name.endsWith('+'), panel = grows ? name.slice(0, -1) : name;
      waiting[panel] = grows ? [...(grown[panel] || []), ...value].slice(-most[panel]) : value;
      if (panel in most) grown[panel] = waiting[panel];
    }
    if (!document.hidden) told_s.push(...found.told_s);
    drawSoon();
  });
  socket.addEventListener('close', () => { tell('connection lost; trying again …', true); setTimeout(connect, 1000); });
}
connect();
