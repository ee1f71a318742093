// Elements of the page. Text from documents becomes text nodes and nothing else.

/** @typedef {Node | string | null | undefined | false} Child */

const CONTROLS = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu;
const MOST_CHARACTERS = 240;

/**
 * Text in which characters that control its direction or are not visible are escaped.
 * @param {string} text
 */
function legible(text) {
  return text.replace(/[\n\r\t]+/g, " ").replace(CONTROLS, (char) =>
    char === "\u200c" || char === "\u200d" ? char : `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`);
}

/**
 * A label in one line that is not too long.
 * @param {string} text
 */
function short(text) {
  const line = legible(text).trim();
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS - 1)}…` : line || "(no name)";
}

/**
 * @param {string} tag a name of an element, with classes: "div.card.wide"
 * @param {Record<string, string | number | boolean | EventListener | null | undefined>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
function el(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  return fill(document.createElement(name), classes, attributes, children);
}

/**
 * An element of SVG.
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
function svg(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), classes, attributes, children);
}

/**
 * @param {Element} element
 * @param {string[]} classes
 * @param {Record<string, any>} attributes
 * @param {(Child | Child[])[]} children
 */
function fill(element, classes, attributes, children) {
  element.classList.add(...classes);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") element.classList.add(.../** @type {string[]} */ ([value ?? []].flat()));
    else if (typeof value === "function") element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, String(value));
  }
  element.append(.../** @type {(Node | string)[]} */ (children.flat().filter((child) => child || child === "")));
  return element;
}

/**
 * "1 step", "2 steps".
 * @param {number} number
 * @param {string} noun
 */
function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** @param {number} share */
function percent(share) {
  return `${Math.round(share * 100)}%`;
}

/**
 * How many sources have something, and which share.
 * @param {{support: number, share: number}} part
 */
function numbersOf(part) {
  if (!part.support && !part.share) return "added by a person";
  return `${count(part.support, "source")}, ${percent(part.share)}`;
}

/**
 * A section with a heading; nothing if it has no content.
 * @param {string} title
 * @param {...(Child | Child[])} children
 */
function section(title, ...children) {
  const content = children.flat().filter((child) => child);
  return content.length ? el("section", {}, el("h2", {}, title), content) : null;
}
