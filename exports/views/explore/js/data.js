// The data of the page: the index of the graph, and the scripts that are on this page.

/** Make JSON of the blocks that are packed, before anything is shown. */
async function unpack() {
  for (const element of /** @type {NodeListOf<HTMLScriptElement>} */ (document.querySelectorAll('script[type="application/deflate"]'))) {
    const packed = Uint8Array.from(atob(element.textContent ?? ""), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    element.textContent = await new Response(stream).text();
    element.type = "application/json";
  }
}

/**
 * @param {string} id
 * @returns {any}
 */
function block(id) {
  const element = document.getElementById(id);
  return element ? JSON.parse(element.textContent ?? "null") : null;
}

const graph = block("graph");
const index = block("index");
const KINDS = /** @type {const} */ (["scenarios", "steps", "tools", "entities"]);
/** @typedef {typeof KINDS[number]} Kind */
/** @type {Record<Kind, string>} */
const ONE = { scenarios: "scenario", steps: "step", tools: "tool", entities: "entity" };
/** @type {Map<number, any>} */
const scripts = new Map();

/**
 * The script of a scenario, or null if it is not on this page.
 * @param {number} number
 */
function scriptOf(number) {
  if (!scripts.has(number) && isHere(number)) {
    scripts.set(number, { ...block(`script-${number}`), contexts: block(`contexts-${number}`) });
  }
  return scripts.get(number) ?? null;
}

/**
 * The text before and after a passage of a script, empty where it is not known. Places count code points.
 * @param {any} script
 * @param {number} passage
 * @returns {[string, string]}
 */
function contextOf(script, passage) {
  const known = script.contexts?.passages[passage];
  if (!known) return ["", ""];
  const [piece, from, to] = known;
  const [first, text] = script.contexts.texts[piece];
  const [, , start, end] = script.passages[passage];
  const characters = Array.from(text);
  /** @param {number} a @param {number} b */
  const between = (a, b) => characters.slice(a - first, b - first).join("");
  return [between(from, start), between(end, to)];
}

/** @param {number} number */
function isHere(number) {
  return document.getElementById(`script-${number}`) !== null;
}

/**
 * The names of things in addresses: their labels, cut, with a number where several have the same.
 * @param {string[]} labels
 */
function addressNames(labels) {
  /** @type {Map<string, number>} */
  const numbers = new Map();
  const names = labels.map((label, number) => {
    const name = short(label).slice(0, 80);
    let unique = name;
    for (let next = 2; numbers.has(unique); next++) unique = `${name} (${next})`;
    numbers.set(unique, number);
    return unique;
  });
  return { names, numbers };
}

/** @type {Map<string, ReturnType<typeof addressNames>>} */
const addresses = new Map();

/**
 * @param {Kind} kind
 * @param {number} [scenario] of steps, the scenario that they belong to
 */
function addressesOf(kind, scenario = 0) {
  const key = `${kind} ${scenario}`;
  let found = addresses.get(key);
  if (!found) {
    const [first, last] = kind === "steps" ? stepsOf(scenario) : [0, index[kind].label.length];
    found = addressNames(index[kind].label.slice(first, last));
    addresses.set(key, found);
  }
  return found;
}

/** @type {Map<number, [number, number]>} */
const spans = new Map();
index.steps.scenario.forEach((/** @type {number} */ scenario, /** @type {number} */ step) => {
  const span = spans.get(scenario);
  if (span) span[1] = step + 1;
  else spans.set(scenario, [step, step + 1]);
});

/**
 * The first of the steps of a scenario in the index, and the one after the last.
 * @param {number} scenario
 * @returns {[number, number]}
 */
function stepsOf(scenario) {
  return spans.get(scenario) ?? [0, 0];
}

/**
 * The address of something on this page.
 * @param {Kind} kind
 * @param {number} number
 */
function addressOf(kind, number) {
  const parameters = new URLSearchParams();
  if (kind === "steps") {
    const scenario = index.steps.scenario[number];
    if (scenario >= 0) parameters.set("scenario", addressesOf("scenarios").names[scenario]);
    parameters.set("step", addressesOf("steps", scenario).names[number - stepsOf(scenario)[0]]);
  } else {
    parameters.set(ONE[kind], addressesOf(kind).names[number]);
  }
  return `#${parameters}`;
}

/**
 * A link to something of the index.
 * @param {Kind} kind
 * @param {number} number
 * @param {string} [label]
 */
function linkTo(kind, number, label = index[kind].label[number]) {
  return el("a.name", { href: addressOf(kind, number) }, short(label));
}

/**
 * The name of a part of a step, as a link where the index has it.
 * @param {{label: string, to?: [Kind, number]}} part
 */
function nameOf(part) {
  return part.to ? linkTo(part.to[0], part.to[1], part.label) : el("span.name", {}, short(part.label));
}
