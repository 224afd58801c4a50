/** Pictures of one line each. All of them only repeat what a word beside them says. */

import { svg } from "./dom.js";

/** Eight arcs of a ring. */
const BROKEN =
  "M12 2a10 10 0 0 1 4.8 1.2m3.6 3.3A10 10 0 0 1 22 11.5m-.6 4.2a10 10 0 0 1-3 4.2m-4 1.9a10 10 0 0 1-5-.1" +
  "M5.3 19.4a10 10 0 0 1-2.8-4.3M2.1 10.8a10 10 0 0 1 1.9-4.9M7.2 3.2";

/** A shape for each outcome and mark, so that none of them is told by its colour alone. */
const PATHS = {
  /** A ring with a tick. */
  valid: ["M22 12a10 10 0 1 1-20 0 10 10 0 0 1 20 0Z", "m7.5 12.4 3 3 6-6.6"],
  /** The same ring, broken. */
  open: [BROKEN, "m7.5 12.4 3 3 6-6.6"],
  /** A sign with eight corners. */
  "not-valid": ["M8.2 2h7.6L22 8.2v7.6L15.8 22H8.2L2 15.8V8.2Z", "m8.5 8.5 7 7m0-7-7 7"],
  /** A ring with an exclamation mark. */
  "not-enough": ["M22 12a10 10 0 1 1-20 0 10 10 0 0 1 20 0Z", "M12 6.8v6.4m0 3.7v.1"],
  /** A sheet with a question mark. */
  "not-a-certificate": ["M14 2H6v20h13V7Zm0 0v5h5", "M10.2 12.6a2.4 2.4 0 1 1 3.1 2.3c-.5.2-.8.6-.8 1.2m0 2.4v.1"],
  file: ["M14 2H6v20h13V7Zm0 0v5h5", "M12.5 18.5v-7m-3 3 3-3 3 3"],
  yes: ["m4 13 5 5L20 6.5"],
  no: ["M6 12h12"],
  look: ["M12 3 2.5 20.5h19ZM12 10v4.5m0 3v.1"],
} as const;

export type Icon = keyof typeof PATHS;

/** Return a picture that is read over: what it says stands beside it in words. */
export function icon(name: Icon, role = ""): SVGSVGElement {
  const classes = `icon ${role}`.trim();
  const lines = PATHS[name].map((d) => svg("path", { d }));
  return svg("svg", { class: classes, viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" }, ...lines);
}
