// Drives one page of a real browser for tests: a JSON command per line on standard input, a JSON answer per line.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const [, , folder, executablePath] = process.argv;
const { chromium } = createRequire(`${folder}/`)("playwright-core");

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
let context, page, kind, said, asked, plugged;

// Files of an address without a server, as a path of it -> [type, base64]: nothing else of that address is there.
const served = async (files) => {
  await context.route("**/*", (route) => {
    const [contentType, body] = files[new URL(route.request().url()).pathname] ?? [];
    if (body === undefined) return route.fulfill({ status: 404, body: "" });
    return route.fulfill({ contentType, body: Buffer.from(body, "base64") });
  });
};

// A new window costs most of what a small page does: there is one for all pages of a language, with script or without.
const window = async ({ width, height, script, locale, touch }) => {
  if (kind === `${script} ${locale} ${touch}`) return;
  await context?.close();
  const options = { viewport: { width, height }, javaScriptEnabled: script, locale, hasTouch: touch, isMobile: touch };
  context = await browser.newContext({ ...options, reducedMotion: "reduce" });
  page = await context.newPage();
  page.on("console", (message) => said.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => said.push(`exception: ${error.message}`));
  page.on("dialog", (dialog) => { said.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => asked.push(request.url()));
  kind = `${script} ${locale} ${touch}`;
};

// A security key of the browser's own, which somebody touches at once.
const plug = async () => {
  plugged = await context.newCDPSession(page);
  await plugged.send("WebAuthn.enable");
  const usual = { protocol: "ctap2", transport: "usb", automaticPresenceSimulation: true };
  await plugged.send("WebAuthn.addVirtualAuthenticator", { options: usual });
};

// Nothing of the page before is left: no document, script, file, cookie, or what it has stored, key, or way of looking.
const clear = async ({ width, height, scheme }) => {
  await page.evaluate("localStorage.clear(), sessionStorage.clear()").catch(() => {});
  await plugged?.detach().catch(() => {});
  plugged = undefined;
  await page.goto("about:blank");
  await context.unrouteAll();
  await context.clearCookies();
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ media: null, colorScheme: scheme, forcedColors: null });
};

const open = async ({ address, width, height, script = true, scheme = "light", locale = "en-GB", files = null, touch = false }) => {
  await window({ width, height, script, locale, touch });
  await clear({ width, height, scheme });
  if (files !== null) await served(files);
  [said, asked] = [[], []];
  await page.goto(address, { waitUntil: "load" });
};

const commands = {
  open,
  plug,
  version: async () => browser.version(),
  eval: async ({ code }) => page.evaluate(code),
  click: async ({ selector }) => page.locator(selector).first().click({ timeout: 5000 }),
  choose: async ({ selector, files }) => {
    const named = files.map(([name, data]) => ({ name, mimeType: "", buffer: Buffer.from(data, "base64") }));
    await page.locator(selector).first().setInputFiles(named, { timeout: 5000 });
  },
  wait: async ({ selector }) => { await page.locator(selector).first().waitFor({ timeout: 10000 }); },
  tree: async ({ selector }) => page.locator(selector).first().ariaSnapshot(),
  fill: async ({ selector, text }) => page.locator(selector).first().fill(text, { timeout: 5000 }),
  press: async ({ key }) => page.keyboard.press(key),
  size: async ({ width, height }) => page.setViewportSize({ width, height }),
  media: async ({ media, scheme = null, forced = null }) => page.emulateMedia({ media, colorScheme: scheme, forcedColors: forced }),
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
