// The answers of the server, and how they are shown. Text of the graph becomes text nodes and nothing else.

/** @typedef {{text: string, iri?: boolean, number?: boolean, note?: string}} Cell */
/** @typedef {{columns: string[], rows: (Cell | null)[][]} | {text: string} | {truth: boolean}} Answer */

const ROWS_AT_ONCE = 500;

/**
 * Ask the server.
 * @param {Language} language
 * @param {string} query
 * @param {AbortSignal} signal
 * @returns {Promise<Answer>} fails with what the server says of an error
 */
async function ask(language, query, signal) {
  const request = language === "sparql"
    ? { type: "application/sparql-query", accept: "application/sparql-results+json, text/turtle", body: query }
    : { type: "application/json", accept: "application/json", body: JSON.stringify({ query }) };
  const response = await fetch(`${content.at}/${language}`, {
    method: "POST",
    headers: { "Content-Type": request.type, "Accept": request.accept },
    body: request.body,
    signal,
  });
  if (!response.ok) throw new Error((await response.text()).trim() || `The server answers with ${response.status}.`);
  if (!(response.headers.get("content-type") ?? "").includes("json")) return { text: await response.text() };
  const answer = await response.json();
  return language === "sparql" ? ofSparql(answer) : ofCypher(answer);
}

/**
 * @param {any} answer results in the JSON format of SPARQL 1.1
 * @returns {Answer}
 */
function ofSparql(answer) {
  if (typeof answer.boolean === "boolean") return { truth: answer.boolean };
  const columns = answer.head.vars;
  return { columns, rows: answer.results.bindings.map((/** @type {any} */ found) =>
    columns.map((/** @type {string} */ name) => (Object.hasOwn(found, name) ? ofTerm(found[name]) : null))) };
}

/**
 * @param {any} term
 * @returns {Cell}
 */
function ofTerm(term) {
  if (term.type === "uri") return { text: term.value, iri: true };
  if (term.type === "bnode") return { text: `_:${term.value}` };
  // A triple, which SPARQL 1.2 has.
  if (term.type !== "literal") return { text: JSON.stringify(term.value) };
  const type = term.datatype ?? "";
  const number = /#(integer|decimal|double|float|int|long)$/.test(type);
  return { text: term.value, number, note: term["xml:lang"] ? `@${term["xml:lang"]}` : shortened(type) };
}

/**
 * @param {any} answer
 * @returns {Answer}
 */
function ofCypher(answer) {
  return { columns: answer.columns, rows: answer.rows.map((/** @type {any[]} */ row) => row.map(ofValue)) };
}

/**
 * @param {any} value
 * @returns {Cell | null}
 */
function ofValue(value) {
  if (value === null) return null;
  if (typeof value === "string") return { text: value, iri: value.startsWith(content.base_iri) };
  if (typeof value === "number") return { text: String(value), number: true };
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return { text: value.join(", ") };
  return { text: typeof value === "object" ? JSON.stringify(value) : String(value) };
}

/**
 * An IRI with a prefix of the server, if one fits.
 * @param {string} iri
 */
function shortened(iri) {
  let best = iri;
  for (const [prefix, start] of Object.entries(content.prefixes)) {
    if (start && iri.startsWith(start)) {
      const short = `${prefix}:${iri.slice(start.length)}`;
      if (short.length < best.length) best = short;
    }
  }
  return best;
}

/**
 * Text of several lines in which nothing is invisible.
 * @param {string} text
 */
function lines(text) {
  return text.split("\n").map(legible).join("\n");
}

/** @param {Cell | null} cell */
function cellElement(cell) {
  if (cell === null) return el("td");
  if (!cell.iri) {
    return el(cell.number ? "td.number" : "td", { title: cell.note || null }, legible(cell.text));
  }
  const name = legible(shortened(cell.text));
  const title = legible(cell.text);
  // Only nodes of the graph become links: any other IRI may come from a text, such as "javascript:".
  if (!cell.text.startsWith(content.base_iri)) return el("td", { title }, name);
  return el("td", {}, el("a", { href: dataAddress(cell.text), title }, name));
}

/**
 * Where the server tells about a node.
 * @param {string} iri
 */
function dataAddress(iri) {
  const path = iri.slice(content.base_iri.length).split("/").map((part) => encodeURIComponent(decoded(part)));
  return `${content.at}/data/${path.join("/")}`;
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * @param {Answer} answer
 * @returns {{about: string, elements: HTMLElement[]}} how much was found, and what shows it
 */
function shownAnswer(answer) {
  if ("truth" in answer) return { about: answer.truth ? "Yes." : "No.", elements: [] };
  if ("text" in answer) {
    const triples = el("pre", region("Triples"), el("code", {}, lines(answer.text)));
    return { about: "Triples in Turtle.", elements: [triples] };
  }
  const { columns, rows } = answer;
  if (!rows.length) return { about: "Nothing was found.", elements: [] };
  const body = el("tbody");
  const heads = columns.map((name, number) => {
    const first = rows.find((row) => row[number] !== null)?.[number];
    return el(first?.number ? "th.number" : "th", { scope: "col" }, legible(name));
  });
  const table = el("div.table", region("Result"), el("table", {}, el("thead", {}, el("tr", {}, heads)), body));
  const more = el("button", { type: "button", click: () => extend() }, "");
  let shown = 0;
  const extend = () => {
    const next = rows.slice(shown, shown + ROWS_AT_ONCE);
    shown += next.length;
    body.append(...next.map((row) => el("tr", {}, row.map(cellElement))));
    more.textContent = `Show ${Math.min(ROWS_AT_ONCE, rows.length - shown)} more`;
    more.hidden = shown === rows.length;
  };
  extend();
  return { about: `${count(rows.length, "row")}.`, elements: [table, more] };
}

/**
 * The attributes of a part that scrolls sideways, so that it can be reached by the keyboard.
 * @param {string} name
 */
function region(name) {
  return { role: "region", "aria-label": name, tabindex: 0 };
}
