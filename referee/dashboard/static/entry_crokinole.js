// Crokinole by hand: one shot (where it came to rest, what it touched, what else moved), or a whole round.

import { disc, make, t } from "./common.js";

const PLACES = [
  ["20", "hole", { state: "hole" }],
  ["15", "v15", { value: 15 }],
  ["10", "v10", { value: 10, inner: false }],
  ["10·15", "v10_inner", { value: 10, inner: true }],
  ["5", "v5", { value: 5 }],
  [t("place.line_short"), "v0", { value: 0 }],
  [t("place.lean_short"), "leaning", { state: "leaning" }],
  [t("place.ditch_short"), "ditch", { state: "ditch" }],
];

function sameplace(rest, place) {
  return (rest.state ?? "board") === (place.state ?? "board") && (place.state ? true : rest.value === place.value && Boolean(rest.inner) === Boolean(place.inner));
}

function button(words, pressed, click, label) {
  return make("button", { class: "button", type: "button", "aria-pressed": String(pressed), title: label, "aria-label": label, on: { click } }, words);
}

function group(label, ...options) {
  return make("div", { class: "group", role: "group", "aria-label": label }, make("span", { class: "label" }, label), make("div", { class: "options" }, ...options));
}

function discName(d, state) {
  return [disc(state.sides.find((side) => side.key === d.side)?.colour ?? d.side), `#${d.id} (${d.value ?? "?"})`];
}

function shotForm(state, { keep, correcting, editing }) {
  const legal = state.legal;
  const old = correcting?.kind === "shot" ? correcting : null;
  // whose disc it was: to choose where the rules leave it open, and when a reading is corrected (another colour)
  const seats = editing ? state.table.seats : (legal.seats ?? [state.table.seats[0]]);
  let seat = old?.seat ?? seats[0];
  const number = old?.disc ?? state.table.next;
  const rests = new Map((old?.rests ?? []).map((rest) => [rest.id, { ...rest }]));
  const touched = new Set(old?.touched ?? []);
  // when correcting, the discs to choose from are those that the old event named, and those lying now
  const ids = new Map(state.table.discs.filter((d) => d.id !== number).map((d) => [d.id, d]));
  for (const i of [...touched, ...rests.keys()]) if (i !== number && !ids.has(i)) ids.set(i, { id: i, side: "", value: null });
  let moving = null;
  const box = make("div", { class: "form" });

  function draw() {
    const own = rests.get(number);
    const place = ([sign, key, where], of) => button(sign, Boolean(rests.get(of) && sameplace(rests.get(of), where)), () => set(of, where), t(`place.${key}`));
    const parts = [];
    if (seats.length > 1) parts.push(group(t("act.seat"), ...seats.map((s) => button(state.table.seat_names[s] ?? s, s === seat, () => ((seat = s), draw())))));
    parts.push(group(`${t("act.rest")} (#${number})`, ...PLACES.map((p) => place(p, number))));
    if (ids.size) {
      parts.push(group(t("act.touched"), ...[...ids.values()].map((d) => make("button", { class: "button", type: "button", "aria-pressed": String(touched.has(d.id)), on: { click: () => toggle(d.id) } }, ...discName(d, state)))));
      parts.push(group(t("act.others"), ...[...ids.values()].map((d) => make("button", { class: "button", type: "button", "aria-pressed": String(rests.has(d.id)), on: { click: () => ((moving = moving === d.id ? null : d.id), draw()) } }, ...discName(d, state)))));
      if (moving !== null) {
        parts.push(group(`#${moving} → ${t("act.rest")}`, ...PLACES.map((p) => place(p, moving)), button(t("act.stayed"), !rests.has(moving), () => (rests.delete(moving), draw()))));
      }
    } else parts.push(make("p", { class: "quiet" }, t("act.nothing_touched")));
    const save = make("button", { class: "button primary", type: "button", disabled: !own, on: { click: send } }, t("act.save"));
    box.replaceChildren(...parts, make("div", { class: "actions" }, save));
  }
  function set(of, where) {
    rests.set(of, { id: of, ...where });
    draw();
  }
  function toggle(i) {
    touched.has(i) ? touched.delete(i) : touched.add(i);
    draw();
  }
  function send() {
    // what was ruled about the turn and the shot stays, unless it is another seat's now
    const ruled = old?.seat === seat ? old : {};
    keep({ ...ruled, kind: "shot", seat, disc: number, touched: [...touched], rests: [...rests.values()] });
  }
  draw();
  return box;
}

function resultForm(state, { keep, correcting }) {
  const old = correcting?.kind === "result" ? correcting : null;
  const form = make("form", { class: "form" });
  const number = (name, label, value) => make("label", {}, label, make("input", { type: "number", name, min: 0, max: 999, inputmode: "numeric", required: true, value: value ?? "" }));
  form.append(
    make("div", { class: "result-grid" }, ...state.sides.flatMap((side, i) => [number(`p${i}`, `${side.name}: ${t("act.points")}`, old?.points[i]), number(`n${i}`, `${side.name}: ${t("live.twenties")}`, old?.twenties[i] ?? 0)])),
    make("div", { class: "actions" }, make("button", { class: "button primary", type: "submit" }, t("act.save"))),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const values = (letter) => state.sides.map((_, i) => Number(form.elements[`${letter}${i}`].value));
    keep({ kind: "result", points: values("p"), twenties: values("n") });
  });
  return form;
}

function recordForm(state, { keep }) {
  const values = new Map();
  const box = make("div", { class: "form" });
  function draw() {
    const open = state.legal.open_values ?? [];
    box.replaceChildren(
      ...open.map((i) => group(`#${i}`, ...[15, 10, 5, 0].map((v) => button(String(v), values.get(i) === v, () => (values.set(i, v), draw()))))),
      make("button", { class: "button primary", type: "button", on: { click: () => keep({ kind: "recorded", values: [...values].map(([of, value]) => ({ id: of, value })) }) } }, t("live.record")),
    );
  }
  draw();
  return box;
}

let chosen = "shot";

export function crokinole(state, tools) {
  const kinds = tools.editing ? ["shot", "result"] : (state.legal.events ?? []);
  if (!kinds.length) return [];
  if (!tools.editing && kinds.includes("recorded")) return [recordForm(state, tools)];
  const both = kinds.includes("shot") && kinds.includes("result");
  let kind = tools.correcting?.kind ?? (both ? chosen : kinds.includes("shot") ? "shot" : "result");
  if (kind === "recorded") return [];
  const place = make("div");
  const draw = () => place.replaceChildren(kind === "result" ? resultForm(state, tools) : shotForm(state, tools));
  const tabs = make("div", { class: "tabs", role: "group" });
  const drawTabs = () =>
    tabs.replaceChildren(
      ...[["shot", "act.shot"], ["result", "act.whole_round"]].map(([name, key]) =>
        make("button", { class: "button small", type: "button", "aria-pressed": String(kind === name), on: { click: () => ((kind = chosen = name), draw(), drawTabs()) } }, t(key)),
      ),
    );
  draw();
  if (both) drawTabs();
  const out = both ? [tabs, place] : [place];
  if (kinds.includes("time_out") && !tools.editing) out.push(make("button", { class: "button small", type: "button", on: { click: () => tools.keep({ kind: "time_out" }) } }, t("act.time_out")));
  return out;
}
