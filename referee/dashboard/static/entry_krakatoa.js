// Krakatoa by hand: nine spots that change colour when they are pressed (or by the keys y, r, b), and what was thrown.

import { known, make, t } from "./common.js";

const SETS = ["steam", "ash", "lava"];
const NEXT = { U: "Y", Y: "R", R: "B", B: "Y" };

export function krakatoa(state, { keep, correcting, editing }) {
  const legal = state.legal;
  if (legal.ruling && !editing) {
    return [make("div", { class: "actions" }, ...[["stands", "act.stands"], ["again", "act.again"], ["nothing", "act.nothing"]].map(([decision, key]) =>
      make("button", { class: "button", type: "button", on: { click: () => keep({ kind: "ruling", decision }) } }, t(key))))];
  }
  if (correcting?.kind === "ruling") return [];
  const off = correcting ? correcting.kind === "throw_off" : !legal.round;
  const players = correcting ? [correcting.player] : (legal.players ?? [legal.player]);
  if (!players[0]) return [];
  let player = players[0];
  let set = correcting?.set ?? "steam";
  const choices = legal.sets ?? [];
  let thrown = correcting?.thrown ?? choices[0] ?? SETS;
  let hit = correcting?.hit ?? true;
  const lying = state.table.sets ?? [];
  const colours = Object.fromEntries(SETS.map((name, i) => [name, [...(correcting?.[name] ?? (off ? null : lying[i]) ?? "UUU")]]));
  if (off && correcting) colours[set] = [...correcting.colours];
  const box = make("div", { class: "form dodecas" });

  function spot(name, i) {
    const now = colours[name][i];
    const put = (value, next) => {
      colours[name][i] = value;
      draw(next);
    };
    return make(
      "button",
      {
        class: `spot ${now}`,
        type: "button",
        "aria-label": `${known(`set.${name}`, name)} ${i + 1}: ${now === "U" ? "?" : now}`,
        "data-spot": `${name}${i}`,
        on: {
          click: () => put(NEXT[now], `${name}${i}`),
          keydown: (event) => {
            const key = event.key.toUpperCase();
            if ("YRB".includes(key) && key.length === 1) {
              event.preventDefault();
              event.stopPropagation();
              const all = [...box.querySelectorAll("[data-spot]")].map((b) => b.dataset.spot);
              put(key, all[all.indexOf(`${name}${i}`) + 1] ?? `${name}${i}`);
            }
          },
        },
      },
      now === "U" ? "?" : now,
    );
  }

  const press = (words, on, click) => make("button", { class: "button small", type: "button", "aria-pressed": String(on), on: { click } }, words);

  function draw(focus) {
    const parts = [];
    if (players.length > 1) parts.push(make("div", { class: "options" }, ...players.map((name) => press(state.names[name] ?? name, name === player, () => ((player = name), draw())))));
    if (off) parts.push(make("div", { class: "options" }, ...SETS.map((name) => press(known(`set.${name}`, name), name === set, () => ((set = name), draw())))));
    else if (choices.length > 1 && !correcting) {
      parts.push(make("div", { class: "options", role: "group", "aria-label": t("act.thrown") }, ...choices.map((sets) =>
        press(sets.map((name) => known(`set.${name}`, name)).join(" + "), String(sets) === String(thrown), () => ((thrown = sets), draw())))));
    }
    for (const name of off ? [set] : SETS) {
      parts.push(make("div", { class: "dodeca-row" }, make("span", { class: "label" }, known(`set.${name}`, name)), ...[0, 1, 2].map((i) => spot(name, i))));
    }
    if (!off && (legal.must_hit || correcting) && thrown.length < 3) {
      parts.push(make("label", { class: "check" }, make("input", { type: "checkbox", checked: hit, on: { change: (event) => (hit = event.target.checked) } }), t("act.hit")));
    }
    const ready = (off ? [set] : SETS).every((name) => !colours[name].includes("U"));
    parts.push(make("div", { class: "actions" }, make("button", { class: "button primary", type: "button", disabled: !ready, on: { click: send } }, t("act.save"))));
    box.replaceChildren(...parts);
    if (focus) box.querySelector(`[data-spot="${focus}"]`)?.focus();
  }

  function send() {
    if (off) keep({ kind: "throw_off", player, set, colours: colours[set].join("") });
    else {
      const event = { kind: "throw", player, thrown };
      for (const name of SETS) event[name] = colours[name].join("");
      if (thrown.length < 3) event.hit = hit;
      keep(event);
    }
  }

  draw();
  return [box];
}
