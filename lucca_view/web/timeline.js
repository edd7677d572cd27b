// Goals over time: one line for each task, a bar for each goal, and a dashed line where the task waited, suspended.
const SVG = 'http://www.w3.org/2000/svg';
const LEFT = 130, WIDTH = 560, ROW = 30, TOP = 20;

function made(tag, attributes, text = '') {
  const one = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
  if (text) one.textContent = text;
  return one;
}

export function drawTimeline(svg, goals) {
  const shown = goals.slice(-12), now = Math.max(0, ...shown.map((goal) => Math.max(goal.ended_s, goal.given_s, ...goal.steps.map((step) => step.wall_s))));
  const rows = [...new Set(shown.map((goal) => goal.task || goal.wish))];
  const began = Math.min(...shown.map((goal) => goal.given_s)), length = Math.max(1, now - began);
  const x = (wall) => LEFT + ((WIDTH - LEFT - 16) * (wall - began)) / length;
  const height = TOP + ROW * rows.length + 22, parts = [], suspended = new Map();
  svg.setAttribute('viewBox', `0 0 ${WIDTH} ${height}`);
  svg.setAttribute('width', WIDTH);
  svg.setAttribute('height', shown.length ? height : 0);
  rows.forEach((row, index) => parts.push(made('text', { x: 0, y: TOP + ROW * index + 12 }, row.length > 18 ? `${row.slice(0, 17)}…` : row)));
  for (const goal of shown) {
    const row = goal.task || goal.wish, y = TOP + ROW * rows.indexOf(row), end = goal.ended_s || now;
    // What only asks for something else, such as "stop the sorting", or ended before it began, did not run the task.
    const ran = goal.begun || (goal.wish === row && !['refused', 'cancelled', 'failed'].includes(goal.status));
    if (ran && suspended.has(row)) {
      const from = suspended.get(row);
      parts.push(made('rect', { class: 'bar waits', x: x(from), y: y + 5, width: Math.max(0, x(goal.given_s) - x(from)), height: 5 }));
      parts.push(made('text', { class: 'soft', x: x(goal.given_s), y: y - 3 }, 'resumed'));
    }
    if (ran) suspended.delete(row);
    const bar = made('rect', { class: `bar ${ran && goal.waits ? 'suspended' : goal.status.replace(' ', '-')}`, x: x(goal.given_s), y, width: Math.max(3, x(end) - x(goal.given_s)), height: 15, rx: 2 });
    bar.append(made('title', {}, `${goal.wish}${goal.person ? `, wished by ${goal.person}` : ''}: ${goal.status}${goal.retries ? `, ${goal.retries} tried again` : ''}`));
    parts.push(bar);
    for (const step of goal.steps) if (step.phase === 'acted') parts.push(made('line', { class: 'step', x1: x(step.wall_s), x2: x(step.wall_s), y1: y, y2: y + 15 }));
    if (ran && goal.waits) {
      suspended.set(row, goal.ended_s);
      const at = x(goal.ended_s), late = at > WIDTH - 60;
      parts.push(made('text', { class: 'soft', x: late ? WIDTH - 16 : at - 4, y: y + 27, 'text-anchor': late ? 'end' : 'middle' }, 'suspended'));
    }
  }
  const clock = (wall) => new Date(wall * 1000).toLocaleTimeString();
  if (shown.length) parts.push(made('text', { class: 'soft', x: LEFT, y: height - 4 }, clock(began)), made('text', { class: 'soft', x: WIDTH - 16, y: height - 4, 'text-anchor': 'end' }, clock(now)));
  svg.replaceChildren(...parts);
}
