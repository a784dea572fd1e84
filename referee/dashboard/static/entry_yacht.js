// Yacht by hand: five dice by mouse or by the keys 1-6, which of them are kept, and the open categories with their points.

import { known, make, t } from "./common.js";

const FACES = ["", "⚀", "⚁", "⚂", "⚃", "⚄", "⚅"];

export function yacht(state, { keep, correcting, editing }) {
  const legal = state.legal;
  if (!legal.player && !editing) return [];
  const player = correcting?.player ?? legal.player;
  const dice = [...(correcting?.dice ?? legal.dice ?? [])];
  while (dice.length < 5) dice.push(null);
  const lying = !editing && (legal.dice?.length ?? 0) > 0;
  const kept = new Set();
  const box = make("div", { class: "form" });
  const put = (i, value) => {
    dice[i] = value;
    draw(i);
  };

  function die(i) {
    const value = dice[i];
    return make(
      "button",
      {
        class: `button die${kept.has(i) ? " kept" : ""}`,
        type: "button",
        "aria-label": `${t("act.roll")} ${i + 1}: ${value ?? "?"}`,
        "data-die": i,
        on: {
          click: () => put(i, ((value ?? 0) % 6) + 1),
          keydown: (event) => {
            if (/^[1-6]$/.test(event.key)) {
              event.preventDefault();
              event.stopPropagation();
              put(i, Number(event.key));
              box.querySelector(`[data-die="${Math.min(4, i + 1)}"]`)?.focus();
            }
          },
        },
      },
      value ? FACES[value] : "·",
    );
  }

  function draw(focus) {
    const rolls = editing || legal.events.includes("roll");
    const parts = [];
    if (rolls) {
      parts.push(make("div", { class: "dice", role: "group", "aria-label": t("act.roll") }, ...dice.map((_, i) => die(i))));
      if (lying) {
        parts.push(
          make("div", { class: "options", role: "group", "aria-label": t("act.keep_dice") }, make("span", { class: "quiet" }, t("act.keep_dice")), ...dice.map((value, i) =>
            make("button", { class: "button small", type: "button", "aria-pressed": String(kept.has(i)), on: { click: () => toggle(i) } }, String(legal.dice[i] ?? "?")))),
        );
      }
      const ready = dice.every((value) => value !== null) && (!lying || kept.size < 5);
      parts.push(make("div", { class: "actions" }, make("button", { class: "button primary", type: "button", disabled: !ready, on: { click: roll } }, t("act.roll"))));
    }
    if (!editing && legal.events.includes("fill")) {
      parts.push(
        make("div", { class: "options", role: "group", "aria-label": t("sheet.category") }, ...Object.entries(legal.categories).map(([name, points]) =>
          make("button", { class: "button small", type: "button", on: { click: () => keep({ kind: "fill", player, category: name }) } }, `${known(`category.${name.replaceAll(" ", "_")}`, name)} · ${points ?? "–"}`))),
      );
    }
    if (editing && correcting?.kind === "fill") {
      const names = state.sheet.rows.length ? Object.keys(legal.categories ?? {}) : [];
      parts.splice(0, parts.length, make("div", { class: "options" }, ...[correcting.category, ...names].map((name) =>
        make("button", { class: "button small", type: "button", on: { click: () => keep({ kind: "fill", player, category: name }) } }, known(`category.${name.replaceAll(" ", "_")}`, name)))));
    }
    box.replaceChildren(...parts);
    if (focus !== undefined) box.querySelector(`[data-die="${focus}"]`)?.focus();
  }

  function toggle(i) {
    kept.has(i) ? kept.delete(i) : kept.add(i);
    if (kept.has(i)) dice[i] = legal.dice[i];
    draw();
  }

  function roll() {
    const values = [...kept].map((i) => dice[i]);
    const event = { kind: "roll", player, dice };
    if (values.length) event.kept = values;
    keep(event);
  }

  draw();
  return [box];
}
