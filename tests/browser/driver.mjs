// Drives one page of a real browser for tests: a JSON command per line on standard input, a JSON answer per line.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const [, , folder, executablePath] = process.argv;
const { chromium } = createRequire(`${folder}/`)("playwright-core");

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
let context, page, said, asked;

const open = async ({ address, width, height, script = true }) => {
  await context?.close();
  context = await browser.newContext({ viewport: { width, height }, javaScriptEnabled: script });
  page = await context.newPage();
  [said, asked] = [[], []];
  page.on("console", (message) => said.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => said.push(`exception: ${error.message}`));
  page.on("dialog", (dialog) => { said.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(address, { waitUntil: "load" });
};

const commands = {
  open,
  version: async () => browser.version(),
  eval: async ({ code }) => page.evaluate(code),
  click: async ({ selector }) => page.locator(selector).first().click({ timeout: 5000 }),
  fill: async ({ selector, text }) => page.locator(selector).first().fill(text, { timeout: 5000 }),
  press: async ({ key }) => page.keyboard.press(key),
  size: async ({ width, height }) => page.setViewportSize({ width, height }),
  media: async ({ media }) => page.emulateMedia({ media }),
  screenshot: async ({ path, full = true }) => { await page.screenshot({ path, fullPage: full }); },
  pdf: async ({ path }) => { await page.pdf({ path, format: "A4", printBackground: true }); },
  log: async () => ({ said, asked }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { command, ...words } = JSON.parse(line);
  let answer;
  try {
    answer = { value: (await commands[command](words)) ?? null };
  } catch (error) {
    answer = { error: String(error.message ?? error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
