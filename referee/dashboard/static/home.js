// Home: begin the sample match.

import { attempt, send } from "./common.js";

document.getElementById("sample")?.addEventListener("click", () =>
  attempt(async () => {
    const state = await send("/matches", { sample: true });
    location.href = `/match/${state.id}`;
  }),
);
