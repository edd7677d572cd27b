// The drawing of robot, table, objects and planned path: seen from in front of the table, turned by dragging or by keys.
const SOLID = { red: '#cf222e', green: '#1a7f37', blue: '#0550ae', yellow: '#bf8700', orange: '#bc4c00', black: '#1b1f24', white: '#8c959f', pink: '#bf3989', cyan: '#1b7c83', purple: '#8250df', brown: '#7d4e00', grey: '#6e7781' };
let turn = 0.6, tilt = 0.6, scene = null, canvas = null;

function draw() {
  if (!scene || !canvas.closest('details').open) return;
  const pen = canvas.getContext('2d'), written = [];
  pen.clearRect(0, 0, canvas.width, canvas.height);
  const flat = ([x, y, z]) => {
    const [dx, dy, dz] = [x - 0.4, y, z - 0.95];
    const towards = dx * Math.cos(turn) + dy * Math.sin(turn);
    const side = dy * Math.cos(turn) - dx * Math.sin(turn);
    const scale = 560 / Math.max(0.3, 2.4 - towards * Math.cos(tilt) - dz * Math.sin(tilt));
    return [320 + side * scale, 175 - (dz * Math.cos(tilt) - towards * Math.sin(tilt)) * scale];
  };
  const line = (points, colour, width, closed = false, filled = '') => {
    pen.strokeStyle = colour; pen.lineWidth = width; pen.beginPath();
    points.map(flat).forEach(([x, y], index) => (index ? pen.lineTo(x, y) : pen.moveTo(x, y)));
    if (closed) pen.closePath();
    if (filled) { pen.fillStyle = filled; pen.fill(); }
    pen.stroke();
  };
  const box = ([x, y, z], [a, b, c], colour, filled = '') => {
    const corner = (i, j, k) => [x + (i * a) / 2, y + (j * b) / 2, z + (k * c) / 2];
    for (const k of [-1, 1]) line([[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([i, j]) => corner(i, j, k)), colour, 1.5, true, filled);
    for (const [i, j] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) line([corner(i, j, -1), corner(i, j, 1)], colour, 1.5);
  };
  // Below the one that is there already.
  const label = (place, text, colour = '#1b1f24') => {
    let [x, y] = flat(place);
    pen.font = '12px sans-serif';
    const width = pen.measureText(text).width;
    x = Math.min(canvas.width - width - 4, Math.max(2, x + 8));
    for (let tries = 0; tries < 8 && written.some((one) => Math.abs(one.y - y) < 12 && x < one.x + one.width && one.x < x + width); tries += 1) y += 12;
    written.push({ x, y, width });
    pen.fillStyle = 'rgba(255, 255, 255, .75)'; pen.fillRect(x - 1, y - 10, width + 2, 13);
    pen.fillStyle = colour; pen.fillText(text, x, y);
  };
  line([[0.15, -0.6, 0.8], [0.95, -0.6, 0.8], [0.95, 0.6, 0.8], [0.15, 0.6, 0.8]], '#8c959f', 2, true, '#f6f8fa');
  for (const one of scene.containers) box([one.at_m[0], one.at_m[1], one.at_m[2] + one.size_m[2] / 2], one.size_m, '#953800', one.size_m[2] > 0.01 ? 'rgba(149, 56, 0, .08)' : '');
  for (const one of scene.objects) {
    const colour = one.looks.map((word) => SOLID[word]).find(Boolean) || '#0550ae';
    box(one.at_m, one.size_m, colour, one.seen === 'seen' ? `${colour}66` : '');
  }
  for (const [from, to] of scene.robot) line([from, to], '#57606a', 4);
  if (scene.path.length) {
    line(scene.path, '#116329', 3);
    label(scene.path[scene.path.length - 1], 'planned to here', '#116329');
  }
  for (const one of scene.containers) label(one.at_m, one.name, '#953800');
  for (const one of scene.objects) label(one.at_m, one.seen === 'seen' ? one.name : `${one.name} (${one.seen})`);
}

export function drawScene(on, found) {
  if (canvas !== on) {
    canvas = on;
    canvas.addEventListener('keydown', ({ key }) => {
      const step = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[key];
      if (step) { turn += step[0]; tilt = Math.min(1.4, Math.max(0.05, tilt + step[1])); draw(); }
    });
    canvas.addEventListener('pointermove', (event) => { if (event.buttons) { turn += event.movementX / 150; tilt = Math.min(1.4, Math.max(0.05, tilt + event.movementY / 150)); draw(); } });
  }
  scene = found;
  draw();
}
