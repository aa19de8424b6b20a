// Makes the picture of the READMEs anew, the board with an entry taken apart: node tests/web/picture.mjs [OUT.png]
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { board, closed, opened } from "./support.mjs";

const out = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), "../../tools/web/board.png");
const { page } = await opened("#v=1&view=board&cell=dK[2,1]", { viewport: { width: 1280, height: 720 }, colorScheme: "light" });
await board(page);
await page.locator(".inspector h2", { hasText: "∂L/∂K[2,1] = 0.1794" }).waitFor();
await page.locator(".inspector math").first().waitFor();
await page.evaluate(() => (document.fonts.ready, document.activeElement?.blur()));
await page.waitForTimeout(300); // what turns colour slowly has turned
const { y } = await page.locator("main").boundingBox();
await page.screenshot({ path: out, clip: { x: 0, y, width: 1280, height: 700 - y } });
await closed();
