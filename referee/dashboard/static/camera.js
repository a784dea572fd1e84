// The camera's set-up: choose a source, look at it, see the board found in it, accept it or drag four points.

import { attempt, follow, get, language, notice, send, t } from "./common.js";

const page = document.getElementById("camera-page");
const id = page.dataset.match;
const by = (name) => document.getElementById(name);
const svg = by("rings");
const SVG = "http://www.w3.org/2000/svg";

let view = null;
let moved = false;
let shown = false;
let followed = false;
let asking = 0;
const AGAIN_MS = 1500;
const MOST_MS = 12000;

function draw() {
  svg.replaceChildren();
  if (!view) return;
  svg.setAttribute("viewBox", `0 0 ${view.width} ${view.height}`);
  const points = (list) => list.map(([x, y]) => `${x},${y}`).join(" ");
  if (!moved) for (const ring of view.rings ?? []) add("polygon", { points: points(ring), class: "ring" });
  else add("polygon", { points: points(view.handles), class: "ring loose" });
  (view.handles ?? []).forEach((point, i) => handle(point, i));
}

function add(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  svg.append(element);
  return element;
}

function handle([x, y], i) {
  const dot = add("circle", { cx: x, cy: y, r: view.width / 60, class: "handle", tabindex: 0 });
  dot.addEventListener("pointerdown", (event) => {
    dot.setPointerCapture(event.pointerId);
    dot.onpointermove = (at) => put(i, at, dot);
    dot.onpointerup = () => {
      dot.onpointermove = null;
      draw();
    };
  });
  dot.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    const by_px = event.shiftKey ? 10 : 1;
    move(i, view.handles[i][0] + step[0] * by_px, view.handles[i][1] + step[1] * by_px);
    draw();
    svg.querySelectorAll(".handle")[i].focus();
  });
}

function put(i, event, dot) {
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  move(i, at.x, at.y);
  dot.setAttribute("cx", view.handles[i][0]);
  dot.setAttribute("cy", view.handles[i][1]);
  svg.querySelector(".ring")?.setAttribute("points", view.handles.map((p) => p.join(",")).join(" "));
}

function move(i, x, y) {
  if (!moved) {
    moved = true;
    svg.querySelectorAll(".ring").forEach((ring, n) => (n ? ring.remove() : ring.classList.add("loose")));
  }
  view.handles[i] = [Math.round(x * 10) / 10, Math.round(y * 10) / 10];
  by("accept").hidden = false;
}

function take(news) {
  view = news;
  moved = false;
  if (!view.handles) {
    // four points to begin with, where a board often lies
    const [w, h] = [view.width, view.height];
    const r = 0.4 * h;
    view.handles = [[w / 2, h / 2 + r], [w / 2 + r, h / 2], [w / 2, h / 2 - r], [w / 2 - r, h / 2]];
  }
  by("found").textContent = view.found ? t("setup.board_found") : [t("setup.board_sought"), view.why].filter(Boolean).join(" ");
  by("accept").hidden = !view.found;
  draw();
}

const look = (find) => attempt(async () => take(await get(`/matches/${id}/view${find ? "?find=1" : ""}`)));

// the first picture may come later than the news of it, and the board later still: ask again, until it is found or moved
async function keepLooking(pause = AGAIN_MS) {
  clearTimeout(asking);
  const news = await get(`/matches/${id}/view`).catch((error) => ({ problem: error.message }));
  if (!shown || moved || svg.contains(document.activeElement)) return;
  if (news.problem) by("found").textContent = news.problem;
  else take(news);
  if (!news.found) asking = setTimeout(() => keepLooking(Math.min(2 * pause, MOST_MS)), pause);
}

function showPicture() {
  by("picture").src = `/api/v1/matches/${id}/picture.mjpg?plain=1&${Date.now()}`;
}
by("picture").addEventListener("error", () => shown && setTimeout(showPicture, AGAIN_MS));

by("find").addEventListener("click", () => look(true));
by("accept").addEventListener("click", () =>
  attempt(async () => {
    if (moved) take(await send(`/matches/${id}/view`, { handles: view.handles }));
    else location.href = `/match/${id}`;
  }),
);
by("source").addEventListener("input", () => {
  by("source").querySelector("[data-other]").hidden = by("source").elements.camera.value !== "other";
});
by("source").addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target.elements;
  const source = form.camera.value === "other" ? form.source.value : form.camera.value;
  attempt(async () => {
    // without a name the source that is followed already is looked at again
    if (source || !followed) await send(`/matches/${id}/source`, { source });
    shown = false;
    clearTimeout(asking);
  });
});
by("source").dispatchEvent(new Event("input"));

follow(id, (state) => {
  const camera = state.camera;
  by("preview").hidden = !camera;
  followed = Boolean(camera);
  if (!camera) return;
  by("find").hidden = !camera.frames;
  by("camera").className = `chip ${camera.level}`;
  by("camera").textContent = camera.words;
  by("light").textContent = camera.look === "good" && camera.condition === "running" ? t("setup.light_good") : camera.why;
  if (camera.frames && !shown) {
    shown = true;
    showPicture();
    notice("");
    keepLooking();
  }
});
