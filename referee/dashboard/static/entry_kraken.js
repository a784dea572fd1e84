// Kraken by hand: what the phase of the round asks for, as buttons.

import { make, t } from "./common.js";

const SIGNS = { C: "♣", D: "♦", H: "♥", S: "♠" };
const SUITS = ["S", "H", "C", "D"];
const RANKS = [..."789TJQKA"];

const cardWords = (card) => card[0].replace("T", "10") + SIGNS[card[1]];
const red = (suit) => (suit === "H" || suit === "D" ? " suit-red" : "");
const press = (words, click, extra = "", label = undefined) => make("button", { class: `button small${extra}`, type: "button", "aria-label": label, on: { click } }, words);
const group = (label, ...options) => make("div", { class: "group", role: "group", "aria-label": label }, make("span", { class: "label" }, label), make("div", { class: "options" }, ...options));

// every card not yet played may be laid, also one against the rules: a revoke is reported, never prevented
function cards(played, click) {
  return make("div", { class: "cards" }, ...SUITS.flatMap((suit) => RANKS.map((rank) => {
    const card = rank + suit;
    return make("button", { class: `button${red(suit)}`, type: "button", disabled: played.has(card), on: { click: () => click(card) } }, cardWords(card));
  })));
}

export function kraken(state, { keep, correcting, editing }) {
  const legal = state.legal;
  const name = (seat) => state.names[seat] ?? seat;
  if (editing) {
    const seat = correcting?.seat ?? state.table.laid_by?.[0] ?? "N";
    if (correcting && correcting.kind !== "laid") return [];
    return [cards(new Set(), (card) => keep({ kind: "laid", seat, card }))];
  }
  const parts = [];
  if (legal.deal) {
    const dealers = legal.deal.dealers ?? legal.deal;
    parts.push(group(t("act.dealer"), ...dealers.map((seat) => press(name(seat), () => keep({ kind: "deal", dealer: seat })))));
  }
  if (legal.trump) {
    parts.push(group(t("act.trump"), ...legal.trump.suits.map((suit) => press(SIGNS[suit], () => keep({ kind: "trump", seat: legal.trump.seat, suit }), red(suit), suit))));
  }
  if (legal.claim) parts.push(make("div", { class: "actions" }, press(t("act.claim", { points: legal.claim.points }), () => keep({ kind: "claim", team: legal.claim.team }))));
  if (legal.challenge) {
    parts.push(group(legal.challenge.word, ...legal.challenge.seats.map((seat) => press(`${name(seat)}: ${legal.challenge.word}`, () => keep({ kind: "challenge", seat, word: legal.challenge.word })))));
  }
  if (legal.declare_pair) {
    parts.push(make("div", { class: "actions" }, ...legal.declare_pair.seats.map((seat) => press(t("act.pair", { seat: name(seat) }), () => keep({ kind: "declare_pair", seat })))));
  }
  if (legal.record) parts.push(make("div", { class: "actions" }, make("button", { class: "button primary", type: "button", on: { click: () => keep({ kind: "record" }) } }, t("live.record"))));
  if (legal.laid) {
    const played = new Set();
    for (const e of state.events) {
      if (!e.counts || !e.event) continue;
      if (e.event.kind === "deal") played.clear();
      if (e.event.kind === "laid") played.add(e.event.card);
    }
    parts.push(group(t("live.plays", { name: name(legal.laid.seat) })), cards(played, (card) => keep({ kind: "laid", seat: legal.laid.seat, card })));
  }
  if (legal.declare) {
    const seats = Object.keys(legal.declare);
    const select = make("select", { "aria-label": t("act.seat") }, ...seats.map((seat) => make("option", { value: seat }, name(seat))));
    const input = make("input", { "aria-label": t("act.declare"), placeholder: t("act.declare"), autocapitalize: "characters", spellcheck: "false" });
    const form = make("form", { class: "row" }, select, input, make("button", { class: "button", type: "submit" }, t("act.save")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const named = input.value.toUpperCase().replaceAll("10", "T").split(/[\s,]+/).filter(Boolean);
      keep({ kind: "declare", seat: select.value, cards: named });
    });
    parts.push(form);
  }
  return parts;
}
