// The reading corrected on the picture: drag a disc or choose it and say what is right, by mouse, touch or keys.

import { attempt, disc as chip, fill, get, known, make, send, t } from "./common.js";

const SVG = "http://www.w3.org/2000/svg";
const PLACES = [
  ["20", "hole", { state: "hole" }],
  ["15", "v15", { value: 15 }],
  ["10", "v10", { value: 10 }],
  ["10·15", "v10_inner", { value: 10, inner: true }],
  ["5", "v5", { value: 5 }],
  [t("place.line_short"), "v0", { value: 0 }],
  [t("place.lean_short"), "leaning", { state: "leaning" }],
];
const RINGS = ["hole", "v15", "v10", "v5", "v0"]; // from the inside out, for + and -
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const STEP = 1 / 400; // of the board's width in the picture, by an arrow key: some 2 mm
const FAR = 6; // times as far with Shift
const NEW = "new"; // the disc that is being added
const SETTLED_MS = 700;
const MARGIN = 0.06; // of the board's width, around it

export function correcting(match, current, shown) {
  const by = (name) => document.getElementById(name);
  const svg = by("discs");
  const panel = by("reading");
  let reading = null;
  let on = false;
  let chosen = null; // the camera's number of a disc, or NEW
  let loose = null; // {px, side}: where the chosen disc is being moved to, not kept yet

  let box = null; // the part of the picture that holds the board: [x, y, width, height]

  const side = (key) => current().sides.find((s) => s.key === key);
  const place = (d) => t(`place.${placeKey(d)}`);
  const name = (d) => `${d.number === null ? "" : `#${d.number} `}${side(d.side)?.name ?? known(`colour.${d.colour}`, d.colour)}`;
  const label = (d) => `${name(d)}, ${place(d)}${d.ruled ? `, ${t("fix.by_hand")}` : ""}`;
  const find = (number) => reading?.discs.find((d) => d.disc === number);

  function placeKey(d) {
    if (d.state !== "board") return d.state;
    if (d.value === null) return "open";
    return d.value === 10 && d.inner ? "v10_inner" : `v${d.value}`;
  }

  async function load() {
    if (!on) return;
    const news = await attempt(() => get(`/matches/${match}/reading`));
    if (!news || loose) return;
    reading = news;
    box = boardBox(reading);
    if (chosen !== null && !find(chosen)) chosen = null;
    draw();
  }

  function boardBox({ rings, width, height }) {
    const points = (rings ?? []).flat();
    if (!points.length) return [0, 0, width, height];
    const [xs, ys] = [0, 1].map((i) => points.map((p) => p[i]));
    const pad = MARGIN * (Math.max(...xs) - Math.min(...xs));
    const [left, top] = [Math.max(0, Math.min(...xs) - pad), Math.max(0, Math.min(...ys) - pad)];
    return [left, top, Math.min(width, Math.max(...xs) + pad) - left, Math.min(height, Math.max(...ys) + pad) - top];
  }

  async function rule(body) {
    const done = await attempt(async () => {
      shown(await send(`/matches/${match}/reading`, { revision: current().revision, ...body }));
      return true;
    });
    loose = null;
    if (done && body.disc === undefined) chosen = null;
    await load();
    if (chosen !== null) mark(chosen)?.focus();
    return done;
  }

  const keepMove = () => {
    if (!loose) return;
    const px = loose.px.map((v) => Math.round(v * 10) / 10);
    rule(chosen === NEW ? { side: loose.side, px } : { disc: chosen, px });
  };

  function choose(number) {
    if (loose && number !== chosen) loose = null;
    chosen = number;
    draw();
  }

  const mark = (number) => svg.querySelector(`[data-disc="${number}"]`);

  function element(tag, attributes, text) {
    const made = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function drawn(d, shift, words) {
    const points = d.outline.map(([x, y]) => `${(x + shift[0]).toFixed(1)},${(y + shift[1]).toFixed(1)}`).join(" ");
    const group = element("g", { class: `mark${d.disc === chosen ? " chosen" : ""}${d.ruled ? " ruled" : ""}`, "data-disc": d.disc, tabindex: 0, role: "button", "aria-label": words, "aria-pressed": String(d.disc === chosen) });
    group.append(element("polygon", { points }));
    const [x, y] = [d.px[0] + shift[0], d.px[1] + shift[1]];
    const size = box[2] / 24;
    const beside = Math.max(...d.outline.map((p) => p[0] - d.px[0])) + size / 4;
    group.append(element("text", { x: x + beside, y: y + size / 3, "font-size": size }, d.disc === NEW ? "+" : (d.value ?? "?")));
    group.addEventListener("pointerdown", (event) => drag(d, event));
    group.addEventListener("keydown", (event) => press(d, event));
    group.addEventListener("focus", () => d.disc !== chosen && chooseInPlace(d.disc));
    return group;
  }

  // focus must not be lost to a redraw while it is being given
  function chooseInPlace(number) {
    queueMicrotask(() => {
      choose(number);
      mark(number)?.focus();
    });
  }

  const shiftOf = (d) => (d.disc === chosen && loose ? [loose.px[0] - d.px[0], loose.px[1] - d.px[1]] : [0, 0]);

  function added() {
    if (chosen !== NEW || !loose) return [];
    const r = box[2] / 40;
    const turn = [...Array(24).keys()].map((i) => (i * Math.PI) / 12);
    const some = reading.discs[0];
    const outline = some ? some.outline.map(([x, y]) => [x - some.px[0], y - some.px[1]]) : turn.map((a) => [r * Math.cos(a), r * Math.sin(a)]);
    return [{ disc: NEW, px: [0, 0], outline, value: null, state: "board", ruled: false }];
  }

  function draw() {
    svg.setAttribute("viewBox", box.map((v) => v.toFixed(1)).join(" "));
    const focused = document.activeElement?.closest?.("[data-disc]")?.dataset.disc;
    svg.replaceChildren(still(), ...[...reading.discs, ...added()].map((d) => drawn(d, shiftOf(d), d.disc === NEW ? t("fix.adding") : label(d))));
    if (focused !== undefined) mark(focused)?.focus();
    drawPanel();
  }

  // the picture that the reading is of, kept still and cut to the board while it is corrected
  let picture = null;
  function still() {
    const href = `/api/v1/matches/${match}/picture.jpg?plain=1&${reading.at}`;
    if (picture?.getAttribute("href") !== href) picture = element("image", { href, width: reading.width, height: reading.height, preserveAspectRatio: "none" });
    return picture;
  }

  function drawPanel() {
    const d = find(chosen);
    const parts = [make("p", { class: "quiet" }, t("fix.hint"))];
    const discs = reading.discs.map((one) => make("button", { class: "button", type: "button", "aria-pressed": String(one.disc === chosen), on: { click: () => choose(one.disc) } }, chip(side(one.side)?.colour ?? one.colour), label(one)));
    parts.push(discs.length ? group(t("fix.discs"), discs) : make("p", {}, t("fix.none")));
    if (loose) parts.push(make("div", { class: "actions" }, make("button", { class: "button primary", type: "button", on: { click: keepMove } }, t("fix.keep")), make("button", { class: "button", type: "button", on: { click: back } }, t("act.cancel"))));
    if (d) {
      parts.push(group(`${t("fix.worth")} (${name(d)})`, PLACES.map(([sign, key, where]) => make("button", { class: "button", type: "button", "aria-pressed": String(placeKey(d) === key), "aria-label": t(`place.${key}`), title: t(`place.${key}`), on: { click: () => rule({ disc: d.disc, ...where }) } }, sign))));
      const others = current().sides.filter((s) => s.key !== d.side);
      parts.push(group(t("fix.whose"), others.map((s) => make("button", { class: "button", type: "button", on: { click: () => rule({ disc: d.disc, side: s.key }) } }, chip(s.colour), s.name))));
      parts.push(make("div", { class: "actions" }, make("button", { class: "button", type: "button", on: { click: () => rule({ disc: d.disc, there: false }) } }, t("fix.gone"))));
    } else {
      parts.push(group(t("fix.add"), current().sides.map((s) => make("button", { class: "button", type: "button", "aria-pressed": String(chosen === NEW && loose?.side === s.key), on: { click: () => add(s.key) } }, chip(s.colour), s.name))));
    }
    fill(panel, ...parts);
  }

  function group(words, options) {
    return make("div", { class: "group", role: "group", "aria-label": words }, make("span", { class: "label" }, words), make("div", { class: "options" }, ...options));
  }

  function add(key) {
    chosen = NEW;
    // the middle of the board, where its innermost ring is
    const ring = reading.rings?.[0] ?? [[reading.width / 2, reading.height / 2]];
    const middle = [0, 1].map((i) => ring.reduce((sum, p) => sum + p[i], 0) / ring.length);
    loose = { px: middle, side: key };
    draw();
    mark(NEW).focus();
  }

  function back() {
    loose = null;
    if (chosen === NEW) chosen = null;
    draw();
  }

  function drag(d, event) {
    event.preventDefault();
    if (d.disc !== chosen) choose(d.disc);
    const at = (e) => new DOMPoint(e.clientX, e.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const from = at(event);
    const start = loose ? loose.px : d.px;
    const begun = loose;
    const move = (e) => {
      const to = at(e);
      loose = { ...begun, px: [start[0] + to.x - from.x, start[1] + to.y - from.y] };
      draw();
    };
    const end = (e) => {
      svg.removeEventListener("pointermove", move);
      svg.removeEventListener("pointerup", end);
      svg.removeEventListener("pointercancel", cancel);
      mark(chosen)?.focus();
      if (e.type === "pointerup" && loose && chosen !== NEW) keepMove();
    };
    const cancel = (e) => {
      loose = begun;
      end(e);
      draw();
    };
    svg.setPointerCapture(event.pointerId);
    svg.addEventListener("pointermove", move);
    svg.addEventListener("pointerup", end);
    svg.addEventListener("pointercancel", cancel);
  }

  function press(d, event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = ARROWS[event.key];
    const ring = { "+": -1, "=": -1, "-": 1, "−": 1 }[event.key];
    if (arrow) {
      const far = box[2] * STEP * (event.shiftKey ? FAR : 1);
      const from = loose ? loose.px : d.px;
      loose = { ...loose, px: [from[0] + arrow[0] * far, from[1] + arrow[1] * far] };
      chosen = d.disc;
      draw();
    } else if (event.key === "Enter" && loose) keepMove();
    else if (event.key === "Escape" && (loose || chosen !== null)) back();
    else if ((event.key === "Delete" || event.key === "Backspace") && d.disc !== NEW) rule({ disc: d.disc, there: false });
    else if (ring && d.disc !== NEW) {
      const now = RINGS.indexOf(placeKey(d).replace("v10_inner", "v10").replace("leaning", "v15"));
      const next = RINGS[Math.min(RINGS.length - 1, Math.max(0, now + ring))];
      rule({ disc: d.disc, ...PLACES.find((p) => p[1] === next)[2] });
    } else if (event.key === "x" && d.disc !== NEW) {
      const other = current().sides.find((s) => s.key !== d.side);
      if (other) rule({ disc: d.disc, side: other.key });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function toggle(open = !on) {
    on = open;
    by("fix").setAttribute("aria-pressed", String(on));
    svg.toggleAttribute("hidden", !on);
    by("picture").hidden = on;
    panel.hidden = !on;
    loose = chosen = null;
    if (on) load().then(() => (svg.querySelector("[data-disc]") ?? panel.querySelector("button"))?.focus());
  }

  // the table takes a ruling up a moment after the log has it: what is read right then may still be the old board
  let again = 0;
  function news() {
    clearTimeout(again);
    again = setTimeout(load, SETTLED_MS);
    return load();
  }

  by("fix").addEventListener("click", () => toggle());
  return { toggle, get on() { return on; }, news };
}
