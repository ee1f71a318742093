// The frame of the page: languages, examples, the button, and queries in the address (`#query=…`, `#cypher=…`).

/** @typedef {"sparql" | "cypher"} Language */

const content = JSON.parse(document.getElementById("content")?.textContent ?? "null");
/** @type {Record<Language, {name: string, parameter: string}>} */
const LANGUAGES = { sparql: { name: "SPARQL", parameter: "query" }, cypher: { name: "Cypher", parameter: "cypher" } };
const NAMES = /** @type {Language[]} */ (Object.keys(LANGUAGES));
/** Longer queries are not put into the address: servers and programs cut it. */
const MOST_IN_ADDRESS = 8_000;

/** @type {Record<Language, Editor>} */
let editors;
/** @type {Language} */
let language = "sparql";
/** @type {Record<Language, HTMLButtonElement>} */
let tabs;
/** @type {HTMLSelectElement} */
let menu;
/** @type {HTMLElement} */
let said;
/** @type {HTMLElement} */
let result;
let asked = new AbortController();

function start() {
  editors = { sparql: sparqlEditor(), cypher: cypherEditor() };
  tabs = /** @type {any} */ (Object.fromEntries(NAMES.map((name) =>
    [name, el("button", { type: "button", click: () => choose(name) }, LANGUAGES[name].name)])));
  menu = el("select", { id: "examples", change: () => {
    const example = content.examples[language][Number(menu.value)];
    if (menu.value && example) editors[language].fill(`${example[1]}\n`);
  } });
  said = el("p.status", { role: "status" });
  result = el("div");
  const prefixes = Object.entries(content.prefixes).map(([name, iri]) => `PREFIX ${name}: <${iri}>`).join("\n");
  document.body.append(
    el("header", {}, el("a.brand", { href: `${content.at}/` }, content.name),
      el("nav", { "aria-label": "Views" },
        el("a", { href: `${content.at}/` }, "Index"),
        el("a", { href: `${content.at}/#map` }, "Map"),
        el("a", { href: `${content.at}/query`, "aria-current": "page" }, "Queries"))),
    el("main.wide", {},
      el("h1", {}, "Queries"),
      el("div.controls", {},
        el("div.languages", { role: "group", "aria-label": "Language" }, NAMES.map((name) => tabs[name])),
        el("label", { for: "examples" }, "Example"), menu),
      NAMES.map((name) => editors[name].element),
      el("div.controls", {},
        el("button.run", { type: "button", click: run }, "Run"), el("span.where", {}, "Ctrl+Enter")),
      said, result,
      el("details.prefixes", {},
        el("summary", {}, "Prefixes that a query in SPARQL need not declare"),
        el("pre", region("Prefixes"), el("code", {}, prefixes)))));
  for (const name of NAMES) editors[name].fill(`${content.examples[name][0][1]}\n`);
  addEventListener("hashchange", read);
  choose("sparql");
  read();
}

/** @param {Language} wanted */
function choose(wanted) {
  language = wanted;
  for (const name of NAMES) {
    tabs[name].setAttribute("aria-pressed", String(name === wanted));
    editors[name].element.hidden = name !== wanted;
  }
  menu.replaceChildren(el("option", { value: "" }, "Choose …"),
    ...content.examples[wanted].map((/** @type {string[]} */ each, /** @type {number} */ number) =>
      el("option", { value: number }, each[0])));
  editors[wanted].focus();
}

/** Take the query from the address. It is not run: a link may have any query in it. */
function read() {
  const given = new URLSearchParams(location.hash.slice(1));
  const wanted = NAMES.find((name) => given.has(LANGUAGES[name].parameter));
  if (wanted === undefined) return;
  const text = given.get(LANGUAGES[wanted].parameter) ?? "";
  if (text !== editors[wanted].text()) editors[wanted].fill(text);
  if (wanted !== language) choose(wanted);
}

/** @param {string} text */
function write(text) {
  const fragment = `#${new URLSearchParams({ [LANGUAGES[language].parameter]: text })}`;
  if (fragment.length <= MOST_IN_ADDRESS && fragment !== location.hash) history.pushState(null, "", fragment);
}

/** Ask what the editor has. The answer to an earlier query that has not arrived is no longer waited for. */
async function run() {
  const text = editors[language].text();
  asked.abort();
  const mine = new AbortController();
  asked = mine;
  write(text);
  said.textContent = "Asking …";
  result.replaceChildren();
  try {
    const shown = shownAnswer(await ask(language, text, mine.signal));
    if (mine.signal.aborted) return;
    said.textContent = shown.about;
    result.replaceChildren(...shown.elements);
  } catch (error) {
    if (mine.signal.aborted) return;
    said.textContent = "";
    // What `fetch` itself raises.
    const message = error instanceof TypeError ? "The server cannot be reached." : /** @type {Error} */ (error).message;
    result.replaceChildren(el("pre.problem", { role: "alert", tabindex: 0 }, lines(message)));
  }
}
