// Times one page in a browser of its own: node web_page.mjs FOLDER BROWSER PAGE FILE, where FOLDER holds playwright-core.
// Prints milliseconds as JSON: until the page is loaded, from the choice of a file to its answer, and the median of later.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [, , folder, executablePath, file, certificate] = process.argv;
const { chromium } = createRequire(`${folder}/`)("playwright-core");
const quiet = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update"];
const browser = await chromium.launch({ executablePath, args: quiet });
const page = await browser.newPage();
await page.goto(pathToFileURL(file).href, { waitUntil: "load" });

// The clock runs in the page: from the event of the choice until the outcome and all below it stand there.
const once = async () => {
  await page.evaluate(() => {
    document.querySelector("h1").remove();
    document.querySelector("input[type=file]").addEventListener("change", () => {
      const begun = performance.now();
      const seen = new MutationObserver(() => {
        if (document.querySelector("[role=status] h1") === null) return;
        seen.disconnect();
        window.took = performance.now() - begun;
      });
      seen.observe(document.body, { childList: true, subtree: true });
    }, { capture: true });
    window.took = undefined;
  });
  await page.locator("input[type=file]").setInputFiles(certificate);
  return (await page.waitForFunction(() => window.took)).jsonValue();
};

const load = await page.evaluate(() => performance.getEntriesByType("navigation")[0].loadEventEnd);
const first = await once();
const later = [];
while (later.length < 9) later.push(await once());
later.sort((left, right) => left - right);
console.log(JSON.stringify({ load, first, later: later[4] }));
await browser.close();
