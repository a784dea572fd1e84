// The scoreboard for a TV, and the overlay for OBS (size, side, colours by query).

import { disc, fill, follow, make, showClock, sideCard, speak } from "./common.js";

const main = document.getElementById("main");
const overlay = main.dataset.overlay === "true";
const query = new URLSearchParams(location.search);

if (overlay) {
  const size = Number(query.get("size") || 1);
  if (size >= 0.3 && size <= 5) main.style.setProperty("--o-scale", String(size));
  for (const side of (query.get("side") || "").split("-")) if (["top", "right", "centre"].includes(side)) main.classList.add(side);
  for (const [name, property] of [["back", "--o-back"], ["text", "--o-ink"]]) {
    const colour = query.get(name);
    if (colour && CSS.supports("color", colour)) main.style.setProperty(property, colour);
    else if (colour && CSS.supports("color", `#${colour}`)) main.style.setProperty(property, `#${colour}`);
  }
}

function overlaySide(side) {
  return make(
    "div",
    { class: `overlay-side${side.turn ? " turn" : ""}` },
    side.colour ? disc(side.colour) : null,
    make("b", {}, side.name),
    make("span", { class: "n" }, String(side.score)),
  );
}

follow(main.dataset.match, (state) => {
  fill(document.getElementById("sides"), ...state.sides.map((side) => (overlay ? overlaySide(side) : sideCard(side))));
  speak(state);
  document.getElementById("last").textContent = query.get("last") === "0" ? "" : (state.last?.words ?? "");
  if (overlay) return;
  showClock(state.clock);
  document.getElementById("where").textContent = state.head.where ?? "";
  document.getElementById("turn").textContent = state.result ?? state.head.who ?? "";
});
