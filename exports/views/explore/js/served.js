// What the page asks of the server that it comes from. A page that is a file has no server and asks nothing.

/** What the addresses of the graph begin with, and whether the server takes corrections.
 * @type {{at: string, edit: boolean} | null} */
const served = block("server");

/** The scripts that are being read. @type {Map<number, Promise<void>>} */
const comingScripts = new Map();

/**
 * What the server answers, or an error in words.
 * @param {string} name the address below /api/
 * @param {Record<string, string>} parameters
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
async function ask(name, parameters, signal) {
  let response;
  try {
    response = await fetch(`${served?.at}/api/${name}?${new URLSearchParams(parameters)}`, { signal });
  } catch {
    throw new Error("The server does not answer.");
  }
  if (response.ok) return response.json();
  const isText = response.headers.get("Content-Type")?.startsWith("text/plain");
  throw new Error(isText ? short(await response.text()) : `The server answers with the status ${response.status}.`);
}

/**
 * Read the script of a scenario that is not on the page.
 * @param {number} scenario
 */
async function readScript(scenario) {
  const script = await ask("explore/script", { scenario: graph.base_iri + index.scenarios.id[scenario] });
  if (script.build !== graph.build) throw new Error("The graph was built again. Reload the page to see it.");
  scripts.set(scenario, script);
}

/**
 * A notice that the script of a scenario is read. When it is there, the view is shown again.
 * @param {number} scenario
 */
function scriptComes(scenario) {
  const line = el("p", { role: "status" }, "Reading the script from the server…");
  const notice = el("div.notice", {}, line);
  const coming = comingScripts.get(scenario) ?? readScript(scenario);
  comingScripts.set(scenario, coming);
  coming.finally(() => comingScripts.delete(scenario)).then(() => {
    if (!notice.isConnected) return;
    route(false);
    said.textContent = "The script is shown.";
  }, (error) => {
    line.textContent = error.message;
    notice.append(el("button", { type: "button", click: () => { main.focus(); route(false); } }, "Try again"));
  });
  return notice;
}

const TYPING_MS = 250;
/** The question that the server is asked at the moment. @type {AbortController | null} */
let asking = null;

/** Forget the question that the server is asked. */
function endAsking() {
  asking?.abort();
  asking = null;
}

/**
 * What the server finds by meaning, behind what the page finds by words.
 * @param {string} question
 * @param {string} only the kind that is searched, "" for all
 * @param {Map<Kind, Set<number>>} byWords what is listed already
 */
function nearSection(question, only, byWords) {
  const line = el("p.status", { role: "status" }, "Searching by meaning…");
  const found = el("ul.entries");
  const own = asking = new AbortController();
  setTimeout(async () => {
    if (own.signal.aborted) return;
    const kind = only ? { kind: ONE[/** @type {Kind} */ (only)] } : null;
    try {
      const answer = await ask("search", { question, limit: only ? "30" : "5", ...kind }, own.signal);
      const more = answer.found.map(nearEntry).filter((/** @type {any} */ [kind, number]) => !byWords.get(kind)?.has(number));
      if (own.signal.aborted) return;
      found.append(...more.map((/** @type {any} */ [, , element]) => element));
      line.textContent = `${more.length.toLocaleString("en")} more found${answer.meaning ? "" : " by words: the server has no model that compares meaning"}`;
    } catch (error) {
      if (!own.signal.aborted) line.textContent = /** @type {Error} */ (error).message;
    }
  }, TYPING_MS);
  return el("section.near", {}, el("h2", {}, "Near in meaning"), line, found);
}

/**
 * The kind and number of something that the server found, and its line in the list.
 * @param {{kind: string, iri: string, label: string, scenario: string, support: number}} item
 */
function nearEntry(item) {
  const kind = KINDS.find((each) => ONE[each] === item.kind) ?? "steps";
  const number = index[kind].id.indexOf(item.iri.slice(graph.base_iri.length));
  const scenario = index.scenarios.label.indexOf(item.scenario);
  const name = number >= 0 ? linkTo(kind, number) : scenario >= 0 ? linkTo("scenarios", scenario, item.label)
    : el("span.name", {}, short(item.label));
  return [kind, number, el("li", {}, name, item.scenario && el("span.where", {}, short(item.scenario)),
    el("span.numbers", {}, `${item.kind} by meaning · ${count(item.support, "source")}`))];
}
