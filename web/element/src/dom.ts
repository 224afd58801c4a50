/**
 * Elements of a page. Text is only ever text, so that a foreign word cannot become markup; nothing here sets a style,
 * so that a page may forbid styles of its elements.
 */

/** What stands inside an element; nothing stands for what is absent. */
export type Child = Node | string | false | null | undefined;

/** Attributes by name; one that is false, null or undefined is left out, and true is the empty text. */
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

const SVG = "http://www.w3.org/2000/svg";
/** What stands between these two is somebody else's word: it has a direction of writing of its own. */
const [ISOLATE, END] = ["\u2068", "\u2069"];

/** Make an element of HTML. */
export function html<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  return filled(document.createElement(name), attributes, children);
}

/** Make an element of SVG. */
export function svg<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

/** Make a text with the words of others in elements of their own, which nothing around them can move. */
export function spoken(text: string): DocumentFragment {
  const whole = document.createDocumentFragment();
  const open: Node[] = [whole];
  for (const part of text.split(/([\u2068\u2069])/)) {
    const inner = open[open.length - 1] ?? whole;
    if (part === ISOLATE) {
      open.push(inner.appendChild(document.createElement("bdi")));
    } else if (part === END) {
      if (open.length > 1) open.pop();
    } else if (part) {
      inner.appendChild(document.createTextNode(part));
    }
  }
  return whole;
}

function filled<E extends Element>(made: E, attributes: Attributes, children: readonly Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child): child is Node | string => Boolean(child)));
  return made;
}
