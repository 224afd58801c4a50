/** Bars: how far each detail could differ. Words stand in HTML; the picture is SVG, which readers of screens skip. */

import type { Bar, BarOf, Choice, Line } from "../../verifier/src/bars.js";
import type { Words } from "../../verifier/src/words.js";
import { html, spoken, svg } from "./dom.js";

const MIDDLE = 15;

/** Return the key to the pictures that are there; `same` is the sentence for what a band shows. */
export function legend(all: readonly Bar[], words: Words, same = "page.legend_same"): HTMLElement {
  const own = all.some((bar) => bar.own !== null);
  const sample = (...parts: readonly SVGElement[]): SVGElement => svg("svg", { viewBox: "0 0 32 16" }, ...parts);
  const band = svg("rect", { class: "band", x: 1, y: 3, width: 30, height: 10 });
  const you = svg("path", { class: "you", d: "M10.5 4h11L16 12z" });
  const track = svg("line", { class: "track", x1: 0, x2: 32, y1: 8, y2: 8 });
  const listed = all.some((bar) => bar.kind === "number" && bar.limits);
  return html("p", { class: "legend small", "aria-hidden": "true" },
    html("span", {}, sample(band), words.say(same)),
    own && html("span", {}, sample(you), words.say("page.legend_yours")),
    listed && html("span", {}, sample(track), words.say("page.legend_possible")),
  );
}

/** Return one line for each detail. */
export function bars(all: readonly Bar[], words: Words): HTMLUListElement {
  return html("ul", { class: "bars", part: "bars" }, ...all.map((bar) => line(bar, words)));
}

/** Return the details alone, where none of them has room. */
export function details(all: readonly Bar[]): HTMLDListElement {
  const rows = all.flatMap(({ name, own, span }) => [
    html("dt", {}, spoken(name)),
    html("dd", { class: "num" }, spoken(own ?? span)),
  ]);
  return html("dl", { class: "facts short", part: "bars" }, ...rows);
}

function line(bar: Bar, words: Words): HTMLLIElement {
  const text = bar.own === null ? "" : words.say("label.yours", { value: bar.own });
  const own = text && html("span", { class: "own" }, spoken(text));
  return html("li", { part: "bar" },
    html("span", { class: "who" }, html("span", { class: "name" }, spoken(bar.name)), own),
    html("span", { class: "pic", "aria-hidden": "true" }, ...picture(bar)),
    html("span", { class: "span" }, spoken(bar.span)),
  );
}

function picture(bar: Bar): readonly Node[] {
  if (bar.kind === "number") {
    const ends = bar.limits?.map((end) => html("span", {}, spoken(end))) ?? [];
    return [number(bar), html("span", { class: "limits" }, ...ends)];
  }
  return bar.kind === "category" ? [values(bar)] : [];
}

/** Draw a track, the band on it, a stroke at each end inside the track, and the own value above. */
function number({ low, high, you: own, caps: [from, to], limits }: Line): SVGSVGElement {
  const [x, end] = [percent(low), percent(high)];
  const tick = (at: string, half: number): SVGElement =>
    svg("line", { class: "cap", x1: at, x2: at, y1: MIDDLE - half, y2: MIDDLE + half });
  const band =
    low === high
      ? [tick(x, 5)]
      : [
          svg("rect", { class: "band", x, y: MIDDLE - 5, width: percent(high - low), height: 10 }),
          ...(from ? [tick(x, 7)] : []),
          ...(to ? [tick(end, 7)] : []),
        ];
  const track = svg("line", { class: limits ? "track" : "track free", x1: 0, x2: "100%", y1: MIDDLE, y2: MIDDLE });
  return svg("svg", { class: "bar", focusable: "false" }, track, ...band, own !== null && mark(own));
}

function mark(own: number): SVGSVGElement {
  const triangle = svg("path", { class: "you", d: "M-5.5 0h11L0 8z" });
  return svg("svg", { x: percent(own), overflow: "visible" }, triangle);
}

function values({ values: listed }: BarOf<Choice>): HTMLElement {
  const classes = (covered: boolean, own: boolean): string =>
    [covered && "in", own && "own-value"].filter(Boolean).join(" ");
  const boxes = listed.map((one) => html("span", { class: `value ${classes(one.in, one.you)}` }, spoken(one.text)));
  return html("span", { class: "values" }, ...boxes);
}

/** Write hundredths of a percent as an attribute. */
function percent(hundredths: number): string {
  return `${hundredths / 100}%`;
}
