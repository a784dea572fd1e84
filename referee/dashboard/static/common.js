// What all pages share: texts, requests, the stream of a match, small helpers to build the page without innerHTML.

const catalogue = JSON.parse(document.getElementById("texts")?.textContent || "{}");

export function t(key, words = {}) {
  const text = catalogue[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in words ? String(words[name]) : whole));
}

export function known(key, fallback) {
  return catalogue[key] ?? fallback;
}

export const language = document.documentElement.lang;

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
    else if (name === "class") element.className = value;
    else if (value === true) element.setAttribute(name, "");
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function fill(element, ...children) {
  element.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
}

export class Refused extends Error {
  constructor(error, status) {
    super(error.message);
    this.code = error.code;
    this.status = status;
  }
}

export async function send(path, body = {}) {
  const answer = await fetch(`/api/v1${path}?lang=${language}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const data = await answer.json();
  if (!answer.ok) throw new Refused(data.error, answer.status);
  return data;
}

export async function get(path) {
  const answer = await fetch(`/api/v1${path}`);
  const data = await answer.json();
  if (!answer.ok) throw new Refused(data.error, answer.status);
  return data;
}

export function notice(words, bad = true) {
  const box = document.getElementById("notice");
  if (!box) return;
  box.hidden = !words;
  box.textContent = words || "";
  box.classList.toggle("bad", bad);
}

export async function attempt(act) {
  try {
    notice("");
    return await act();
  } catch (error) {
    notice(error.message);
    return undefined;
  }
}

export function follow(match, show, connected = () => {}) {
  const stream = new EventSource(`/api/v1/matches/${match}/stream?lang=${language}`);
  stream.addEventListener("state", (event) => {
    connected(true);
    show(JSON.parse(event.data));
  });
  stream.addEventListener("open", () => connected(true));
  stream.addEventListener("error", () => connected(false));
  addEventListener("pagehide", () => stream.close());
  return stream;
}

export function disc(colour) {
  const word = String(colour).toLowerCase().replace(/[^a-z]/g, "");
  return make("span", { class: `chipdisc c-${word}`, "aria-hidden": "true" });
}

// the round clock: the server says what is left, this counts on from there
let clockEnd = null;
export function showClock(left) {
  clockEnd = left === null || left === undefined ? null : performance.now() + 1000 * left;
  tick();
}
function tick() {
  const box = document.getElementById("clock");
  if (!box) return;
  box.hidden = clockEnd === null;
  if (clockEnd === null) return;
  const left = Math.max(0, Math.ceil((clockEnd - performance.now()) / 1000));
  box.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  box.classList.toggle("out", left === 0);
}
setInterval(tick, 500);

let spokenBefore = "";
export function speak(state) {
  const words = state.sides.map((side) => `${side.name} ${side.score}`).join(", ");
  const spoken = document.getElementById("spoken");
  if (spoken && words !== spokenBefore) {
    spokenBefore = words;
    spoken.textContent = words;
  }
}

const scores = new Map();
export function sideCard(side, provisional = null) {
  const before = scores.get(side.key);
  scores.set(side.key, side.score);
  const changed = before !== undefined && before !== side.score;
  return make(
    "div",
    { class: `side${side.turn ? " turn" : ""}${side.winner ? " winner" : ""}` },
    make("div", { class: "side-name" }, side.colour ? disc(side.colour) : null, make("span", {}, side.name)),
    make("div", { class: `side-score${changed ? " changed" : ""}` }, String(side.score)),
    make(
      "dl",
      { class: "facts" },
      ...side.facts.map((fact) => {
        // while the table settles its points stand in the same place: nothing on the page moves for that moment
        const settling = fact.round && provisional !== null;
        const value = settling ? make("dd", { class: "settling", "aria-label": t("live.settling", { points: provisional }) }, `≈ ${provisional}`) : make("dd", {}, fact.value);
        return make("div", { class: fact.flag ? "flag" : "" }, make("dt", {}, fact.label), value);
      }),
    ),
  );
}
