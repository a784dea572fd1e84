// The live page: shows the state as it comes, and sends what a scorekeeper does.

import { attempt, fill, follow, get, language, make, notice, send, showClock, sideCard, speak, t } from "./common.js";
import { crokinole } from "./entry_crokinole.js";
import { krakatoa } from "./entry_krakatoa.js";
import { kraken } from "./entry_kraken.js";
import { yacht } from "./entry_yacht.js";
import { correcting } from "./reading.js";

const root = document.getElementById("live");
const id = root.dataset.match;
const keeper = root.dataset.role === "keeper";
const by = (name) => document.getElementById(name);
const forms = { crokinole, krakatoa, kraken, yacht };

const QUESTIONS_SHOWN = 3; // the oldest; the rest follow as these are answered

let state = null;
let form = null;
let editing = null; // {number, before}: what the entry form writes about, null for a new event
let pictureOn = false;
const fixing = keeper ? correcting(id, () => state, (news) => show(news)) : null;

let sending = 0;
async function act(path, body = {}) {
  sending += 1;
  try {
    return await attempt(async () => show(await send(`/matches/${id}${path}`, { revision: state?.revision, ...body })));
  } finally {
    sending -= 1;
  }
}

function known(number) {
  return state.events.find((e) => e.number === number) ?? earlier?.events.find((e) => e.number === number);
}

// who corrects an event that somebody else corrects at the same time is told, and looks again
function stillThere() {
  if (!editing || editing.before || sending || known(editing.number)?.counts !== false) return;
  const number = editing.number;
  edit(null);
  notice(t("act.meanwhile", { number }));
}

async function keep(event, why) {
  if (!editing) return act("/events", { event });
  const done = await act("/rulings", { event, target: editing.number, before: editing.before, why });
  if (done) edit(null);
  return done;
}

function edit(target) {
  editing = target;
  const head = by("entry-head");
  head.textContent = !target ? t("live.enter") : t(target.before ? "act.inserting" : "act.correcting", { number: target.number });
  by("typed-box").hidden = Boolean(target); // what is typed is a new event
  form = null;
  showEntry();
  if (target) head.focus();
  by("entry-card").scrollIntoView({ block: "nearest" });
}

function showEntry() {
  if (!keeper || !state) return;
  const make_form = forms[state.game];
  const correcting = editing && !editing.before ? known(editing.number)?.event : null;
  // what is being written about an earlier event stays while the match goes on
  const stamp = JSON.stringify(editing ? [editing, correcting] : [state.legal, state.table]);
  if (form?.stamp === stamp) return;
  form = { stamp };
  const why = make("input", { name: "why", maxlength: 500, "aria-label": t("act.why"), placeholder: t("act.why") });
  const parts = make_form(state, { keep: (event) => keep(event, why.value), correcting, editing });
  if (editing) {
    parts.unshift(why);
    parts.push(make("div", { class: "actions" }, make("button", { class: "button small", type: "button", on: { click: () => edit(null) } }, t("act.cancel"))));
  }
  fill(by("entry"), ...parts);
}

// what is the same as before is left alone: a reader would hear it again, and who tabs through it would lose the place
const stamps = {};
function changed(name, data) {
  const stamp = JSON.stringify(data);
  if (stamps[name] === stamp) return false;
  stamps[name] = stamp;
  return true;
}

// answers that the rules don't take, as the match stands, aren't offered
const offered = (q) => [...q.answers.keys()].filter((i) => !q.refused[i]);

function questionPicture(q) {
  const whole = state.events.find((e) => e.number === q.entry)?.picture;
  const hash = q.picture ?? whole;
  if (!hash) return null;
  const picture = make("img", { src: `/api/v1/matches/${id}/evidence/${hash}?small=1`, alt: "" });
  return make("button", { class: "question-picture", type: "button", "aria-label": `${t("act.evidence")}: ${q.why}`, on: { click: () => enlarge(hash, q.why, whole) } }, picture);
}

function showQuestions() {
  if (!changed("questions", [state.questions, state.questions.map((q) => state.events.find((e) => e.number === q.entry)?.picture)])) return;
  by("questions-card").hidden = state.questions.length === 0;
  by("question-count").textContent = state.questions.length || "";
  fill(
    by("questions"),
    ...state.questions.slice(0, QUESTIONS_SHOWN).map((q) => {
      const picture = questionPicture(q);
      return make(
        "div",
        { class: picture ? "question" : "question plain" },
        picture,
        make("p", { class: "question-title" }, q.title),
        make("p", {}, [q.why, q.gap].filter(Boolean).join(" · ")),
        clauseBox(q) ?? make("span"),
        keeper
          ? make(
              "div",
              { class: "actions tight" },
              ...offered(q).map((i, n) => make("button", { class: "button small", type: "button", on: { click: () => act("/answers", { key: q.key, choice: i }) } }, make("kbd", {}, String(n + 1)), q.answers[i])),
              make("button", { class: "button small", type: "button", on: { click: () => act("/answers", { key: q.key }) } }, t("act.dismiss")),
            )
          : null,
      );
    }),
  );
}

function replay(hash, words) {
  const clip = by("shown-clip");
  clip.hidden = false;
  by("shown-picture").hidden = true;
  by("shown-audit").hidden = true;
  clip.setAttribute("aria-label", words);
  clip.src = `/api/v1/matches/${id}/evidence/${hash}`;
  clip.defaultPlaybackRate = clip.playbackRate = 0.5;
  by("shown").showModal();
  clip.play().catch(() => {});
}

// audited: the picture that the report is made of, where what is shown is only a part of it
function enlarge(hash, words, audited = hash) {
  by("shown-clip").hidden = true;
  by("shown-picture").hidden = false;
  by("shown-audit").hidden = !keeper || state.game !== "crokinole" || !audited;
  by("shown-audit").dataset.picture = audited ?? "";
  by("shown-note").textContent = "";
  by("shown-picture").src = `/api/v1/matches/${id}/evidence/${hash}?small=1`;
  by("shown-picture").alt = words;
  by("shown").showModal();
}

// the report takes seconds, and may be refused: where no disc lies near a line there is no call to audit
async function audit() {
  const hash = by("shown-audit").dataset.picture;
  by("shown-audit").disabled = true;
  by("shown-note").textContent = t("act.auditing");
  const answer = await fetch(`/api/v1/matches/${id}/audit/${hash}.pdf`).catch(() => null);
  by("shown-audit").disabled = false;
  if (!answer?.ok) {
    const error = answer ? (await answer.json()).error : { message: t("app.lost") };
    by("shown-note").textContent = error.code === "no_call" ? t("act.no_call") : error.message;
    return;
  }
  by("shown-note").textContent = "";
  const link = make("a", { href: URL.createObjectURL(await answer.blob()), download: `audit-${hash.slice(0, 8)}.pdf` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function tool(sign, words, click) {
  return make("button", { type: "button", title: words, "aria-label": words, on: { click } }, sign);
}

function eventLine(e) {
  const tools = make("span", { class: "event-tools" });
  if (e.picture) tools.append(tool("▣", `${t("act.evidence")} ${e.number}`, () => enlarge(e.picture, e.words)));
  if (e.clip) tools.append(tool("▶", `${t("act.clip")} ${e.number}`, () => replay(e.clip, e.words)));
  if (keeper && e.event && e.counts) {
    tools.append(
      tool("✎", `${t("act.correct")} ${e.number}`, () => edit({ number: e.number, before: false })),
      tool("⤒", `${t("act.insert")} ${e.number}`, () => edit({ number: e.number, before: true })),
      tool("✕", `${t("act.strike")} ${e.number}`, () => act("/rulings", { target: e.number })),
    );
  }
  const note = [e.kind === "ruled" ? t("said.ruled") : "", e.why, t("said.by", { who: e.who }), e.clause].filter(Boolean).join(" · ");
  return make(
    "li",
    { class: e.counts || !e.event ? "" : "off", "data-number": e.number },
    make("span", { class: "event-number" }, String(e.number)),
    make("span", {}, make("span", { class: "event-words", title: e.clause_text ?? "" }, e.words), make("span", { class: "event-note" }, note)),
    tools,
  );
}

// the state holds the newest events; who asks for the earlier ones sees them all from then on
let earlier = null; // {revision, events}
async function showEarlier() {
  const found = await attempt(() => get(`/matches/${id}/events?lang=${language}`));
  if (!found) return;
  earlier = found;
  showEvents();
}

function showEvents() {
  const first = state.events[0]?.number ?? 1;
  const before = earlier ? earlier.events.filter((e) => e.number < first) : [];
  by("earlier").hidden = earlier !== null || first === 1;
  if (changed("events", [before, state.events])) fill(by("events"), ...[...before, ...state.events].reverse().map(eventLine));
  // a ruling or a taking back may have changed them, too
  if (earlier && first > 1 && earlier.revision !== state.revision) {
    earlier.revision = state.revision;
    showEarlier();
  }
}

// the clause by its number and first sentence, the rest of it behind a click
let clauseOpen = false;
function clauseBox(of) {
  if (!of?.clause) return null;
  const text = of.clause_text ?? "";
  const end = text.indexOf(". ") + 1 || text.length;
  const head = [make("b", {}, of.clause), ` ${text.slice(0, end)}`];
  if (end >= text.length) return make("p", { class: "clause" }, ...head);
  const box = make("details", { class: "clause", open: clauseOpen }, make("summary", {}, ...head), text.slice(end + 1));
  box.addEventListener("toggle", () => (clauseOpen = box.open));
  return box;
}

function showSheet() {
  if (!changed("sheet", state.sheet)) return;
  const { heads, rows, groups, of_group: columns } = state.sheet;
  const head = (words, more = {}) => make("th", { scope: "col", ...more }, words);
  const headings = groups
    ? [
        make("tr", {}, head(heads[0], { rowspan: 2 }), ...groups.map((name) => head(name, { scope: "colgroup", colspan: columns.length }))),
        make("tr", {}, ...groups.flatMap(() => columns.map((words) => head(words)))),
      ]
    : [make("tr", {}, ...heads.map((words) => head(words)))];
  by("sheet-card").hidden = rows.length === 0;
  fill(
    by("sheet"),
    make("thead", {}, ...headings),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((cell, i) => make(i ? "td" : "th", i ? {} : { scope: "row" }, cell))))),
  );
}

function showCamera() {
  const camera = state.camera;
  by("picture-card").hidden = !camera;
  const readable = Boolean(camera?.frames) && state.game === "crokinole" && camera.table !== "none";
  if (fixing) {
    by("fix").hidden = !readable;
    if (!readable && fixing.on) fixing.toggle(false);
  }
  for (const name of ["find-board", "stop-camera"]) if (by(name)) by(name).hidden = !camera;
  if (!camera) {
    pictureOn = false;
    by("picture").removeAttribute("src");
    return;
  }
  by("camera").className = `chip ${camera.level}`;
  by("camera").textContent = camera.words;
  by("camera-source").textContent = camera.source;
  if (!pictureOn && camera.frames) setPicture();
}

function setPicture() {
  pictureOn = true;
  by("picture").src = `/api/v1/matches/${id}/picture.mjpg?${by("drawn").checked ? "" : "plain=1&"}${Date.now()}`;
}

function show(news) {
  if (state && news.version < state.version) return true;
  state = news;
  fill(by("sides"), ...state.sides.map((side) => sideCard(side, state.provisional?.[side.key] ?? null)));
  speak(state);
  showClock(state.clock);
  by("where").textContent = state.head.where ?? "";
  by("turn").textContent = state.result ?? state.head.who ?? "";
  by("task").textContent = state.head.task ? `${state.head.task}${state.head.clause ? ` (${state.head.clause})` : ""}` : "";
  by("last").textContent = state.last?.words ?? "";
  if (changed("last", state.last)) fill(by("last-clause"), clauseBox(state.last));
  by("stuck").hidden = !state.stuck;
  by("stuck").textContent = state.stuck?.text ?? "";
  if (by("cmn")) by("cmn").hidden = !state.over;
  if (keeper) {
    by("undo").disabled = !state.can_undo;
    by("redo").disabled = !state.can_redo;
  }
  by("events-card").hidden = state.events.length === 0;
  showEvents();
  showQuestions();
  showSheet();
  showCamera();
  stillThere();
  showEntry();
  fixing?.news();
  root.dataset.revision = String(state.revision);
  return true;
}

function connect() {
  by("drawn").addEventListener("change", () => pictureOn && setPicture());
  by("shown").addEventListener("close", () => by("shown-clip").pause());
  by("shown-audit").addEventListener("click", audit);
  by("help-button").addEventListener("click", () => by("help").showModal());
  by("earlier").addEventListener("click", showEarlier);
  if (!keeper) return;
  by("undo").addEventListener("click", () => act("/undo"));
  by("redo").addEventListener("click", () => act("/redo"));
  by("find-board").addEventListener("click", () => act("/find-board"));
  by("stop-camera").addEventListener("click", () => act("/source"));
  by("again").addEventListener("click", () => attempt(async () => (location.href = `/match/${(await send(`/matches/${id}/again`)).id}`)));
  by("typed").addEventListener("submit", async (event) => {
    event.preventDefault();
    const input = event.target.elements.text;
    if (await act("/events", { text: input.value })) input.value = "";
    showTypedHelp();
  });
  by("typed-box").addEventListener("toggle", showTypedHelp);
}

async function showTypedHelp() {
  if (by("typed-box").open) by("typed-help").textContent = (await get(`/matches/${id}/help`)).help;
}

const keys = {
  u: () => keeper && state.can_undo && act("/undo"),
  r: () => keeper && state.can_redo && act("/redo"),
  e: () => by("entry")?.querySelector("button, input, select")?.focus(),
  t: () => {
    if (!keeper) return;
    by("typed-box").open = true;
    by("typed").elements.text.focus();
  },
  c: () => {
    const last = [...state.events].reverse().find((e) => e.event && e.counts);
    if (keeper && last) edit({ number: last.number, before: false });
  },
  s: () => by("sheet-head").focus(),
  d: () => by("drawn").click(),
  b: () => fixing && !by("fix").hidden && fixing.toggle(),
  "?": () => by("help").showModal(),
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !state) return;
  if (event.target.closest("input:not([type=checkbox]), select, textarea, dialog[open]")) return;
  const question = state.questions[0];
  if (keeper && question && /^[1-9]$/.test(event.key) && Number(event.key) <= offered(question).length) {
    event.preventDefault();
    act("/answers", { key: question.key, choice: offered(question)[Number(event.key) - 1] });
  } else if (keys[event.key]) {
    event.preventDefault();
    keys[event.key]();
  }
});

connect();
follow(id, show, (on) => (by("offline").hidden = on));
