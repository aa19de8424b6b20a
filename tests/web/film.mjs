// What tests of the training film wait for and read.
export const trained = (page, epochs) =>
  page.locator(`[data-runs=false][data-done="${epochs}"]`).waitFor({ timeout: 60000, state: "attached" });
export const shows = (page, epoch) => page.locator(`.seen[data-epoch="${epoch}"]`).waitFor();
export const row = (page, head, kind) =>
  page.$$eval(`[data-head="${head}"] .${kind} .cell`, (all) => all.map((c) => Number(c.dataset.exact)));
