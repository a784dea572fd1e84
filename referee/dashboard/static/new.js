// The set-up of a match: shows what the game needs, begins it.

import { attempt, known, make, send, t } from "./common.js";

const form = document.getElementById("setup");
const SIDES = { 2: 2, 4: 2, "2v1": 2, 3: 3 };
const SEATS = { 2: ["A", "C"], 4: ["A", "B"], "2v1": ["A", "B"], 3: ["A", "B", "C"] };

const value = (name) => form.elements[name]?.value?.trim() ?? "";

function show() {
  const game = value("game");
  for (const part of form.querySelectorAll("[data-game]")) part.hidden = !part.dataset.game.split(" ").includes(game);
  const sides = SIDES[value("players")];
  for (const pair of form.querySelectorAll("[data-side]")) pair.hidden = Number(pair.dataset.side) >= sides;
  form.querySelector("[data-other]").hidden = value("camera") !== "other";
  const first = form.elements.first;
  const chosen = first.value;
  first.replaceChildren(
    make("option", { value: "" }, t("setup.first_open")),
    ...SEATS[value("players")].map((seat, i) => make("option", { value: seat }, value(`name${i}`) || known(`colour.${value(`colour${i}`)}`, value(`colour${i}`)))),
  );
  if ([...first.options].some((option) => option.value === chosen)) first.value = chosen;
}

function crokinole() {
  const count = SIDES[value("players")];
  const sides = [...Array(count).keys()].map((i) => value(`colour${i}`));
  const names = Object.fromEntries(sides.map((side, i) => [side, value(`name${i}`) || known(`colour.${side}`, side)]));
  const options = { players: value("players"), preset: value("preset"), sides };
  if (value("first")) options.first = value("first");
  for (const name of ["rounds", "discs"]) if (value(name)) options[name] = Number(value(name));
  return { options, about: { names, colours: Object.fromEntries(sides.map((side) => [side, side])), clock_minutes: Number(value("clock")) || 0 } };
}

function others(game) {
  if (game === "kraken") {
    const seats = Object.fromEntries([..."NESW"].map((seat) => [seat, value(`seat${seat}`) || seat]));
    const names = { ...seats, NS: `${seats.N} + ${seats.S}`, EW: `${seats.E} + ${seats.W}` };
    return { options: {}, about: { names } };
  }
  const people = value("people").split(",").map((name) => name.trim()).filter(Boolean);
  const players = people.length ? people : ["A", "B"];
  if (game === "yacht") return { options: { players, four_of_a_kind: value("four_of_a_kind") } };
  return { options: { players, basic: form.elements.basic.checked, teams: form.elements.teams.checked } };
}

form.addEventListener("input", show);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(async () => {
    const game = value("game");
    const source = value("camera") === "other" ? value("source") : value("camera");
    const state = await send("/matches", { game, source, ...(game === "crokinole" ? crokinole() : others(game)) });
    location.href = source && game === "crokinole" ? `/match/${state.id}/camera` : `/match/${state.id}`;
  });
});
show();
