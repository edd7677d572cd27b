// The network of memory: what is tied to what, what is pinned, outdated, compressed, and what is the first to go.
const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 640, HEIGHT = 420, ROUNDS = 200, LONGEST = 26;
let places = new Map(), drawn = '';

function made(tag, attributes, text = '') {
  const one = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
  if (text) one.textContent = text;
  return one;
}

// Pushes all nodes apart and draws tied ones together. A node that was there before begins where it was.
function placed(nodes, edges) {
  const found = new Map();
  nodes.forEach(({ node }, index) => {
    const angle = index * 2.4, far = 20 + 150 * Math.sqrt(index / nodes.length);
    found.set(node, { ...(places.get(node) || { x: WIDTH / 2 + far * 1.4 * Math.cos(angle), y: HEIGHT / 2 + far * Math.sin(angle) }) });
  });
  const all = [...found.values()], apart = Math.min(110, 0.75 * Math.sqrt((WIDTH * HEIGHT) / Math.max(1, all.length)));
  for (let round = 0; round < ROUNDS; round += 1) {
    const warmth = 12 * (1 - round / ROUNDS);
    for (const one of all) { one.dx = (WIDTH / 2 - one.x) * 0.01; one.dy = (HEIGHT / 2 - one.y) * 0.02; }
    for (let i = 0; i < all.length; i += 1) {
      for (let j = i + 1; j < all.length; j += 1) {
        const dx = all[i].x - all[j].x || 0.1, dy = all[i].y - all[j].y || 0.1, far = Math.hypot(dx, dy);
        const push = (apart * apart) / (far * far);
        all[i].dx += (dx / far) * push * 4; all[i].dy += (dy / far) * push * 4;
        all[j].dx -= (dx / far) * push * 4; all[j].dy -= (dy / far) * push * 4;
      }
    }
    for (const { a, b } of edges) {
      const [one, other] = [found.get(a), found.get(b)];
      const dx = other.x - one.x, dy = other.y - one.y, far = Math.hypot(dx, dy) || 1, pull = (far - apart) * 0.06;
      one.dx += (dx / far) * pull; one.dy += (dy / far) * pull;
      other.dx -= (dx / far) * pull; other.dy -= (dy / far) * pull;
    }
    for (const one of all) {
      const far = Math.hypot(one.dx, one.dy) || 1, step = Math.min(far, warmth);
      one.x = Math.min(WIDTH - 60, Math.max(30, one.x + (one.dx / far) * step));
      one.y = Math.min(HEIGHT - 24, Math.max(18, one.y + (one.dy / far) * step));
    }
  }
  return found;
}

function radius({ states, importance }) { return states.includes('concept') ? 5 : 7 + 9 * Math.min(1, importance); }

export function drawNetwork(svg, { nodes: all, edges }) {
  // A concept that nothing mentions any more says nothing here.
  const tied = new Set(edges.flatMap(({ a, b }) => [a, b]));
  const nodes = all.filter(({ node, states }) => tied.has(node) || !states.includes('concept'));
  const text = JSON.stringify([nodes, edges]);
  if (text === drawn) return;
  drawn = text;
  places = placed(nodes, edges);
  const arrow = made('marker', { id: 'replaces', viewBox: '0 0 8 8', refX: 16, refY: 4, markerWidth: 8, markerHeight: 8, orient: 'auto' });
  arrow.append(made('path', { d: 'M0 0 L8 4 L0 8 z', fill: '#a40e26' }));
  const parts = [arrow];
  for (const { a, b, kind } of edges) {
    const [from, to] = [places.get(a), places.get(b)];
    parts.push(made('line', { class: `tie ${kind}`, x1: from.x, y1: from.y, x2: to.x, y2: to.y, ...(kind === 'supersedes' ? { 'marker-end': 'url(#replaces)' } : {}) }));
  }
  for (const one of nodes) {
    const { x, y } = places.get(one.node);
    const dot = made('circle', { class: `dot ${one.states.join(' ')}`, cx: x, cy: y, r: radius(one), 'fill-opacity': 0.3 + 0.7 * one.recency });
    dot.append(made('title', {}, `${one.text}: ${one.why}`));
    dot.addEventListener('pointerenter', () => { document.getElementById('network-why').textContent = `${one.text}: ${one.why}`; });
    const cut = one.text.length > LONGEST ? `${one.text.slice(0, LONGEST - 1)}…` : one.text;
    parts.push(dot, made('text', { class: one.states.includes('concept') ? 'soft' : '', x, y: y + radius(one) + 12, 'text-anchor': x < 100 ? 'start' : x > WIDTH - 110 ? 'end' : 'middle' }, cut));
  }
  svg.replaceChildren(...parts);
}
