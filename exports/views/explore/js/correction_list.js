// The corrections that are made on this page: kept by the browser, or by the server that the page comes from.

/**
 * A correction, with the fields of a line of a file of corrections.
 * @typedef {{kind: string, scenario?: string, step?: string, relation?: string, other?: string, thing?: string,
 *   name?: string, role?: string, withdrawn?: boolean, author?: string, time?: string}} Correction
 */
/** @typedef {{id: string, label: string, correction: Correction}} Item */

const MOST_OF_A_FIELD = 500;
const NO_ANSWER = "The server does not answer.";
/** The server, if it takes corrections. */
const server = served?.edit ? served : null;
const made = {
  /** Those that are not applied yet. @type {Item[]} */ items: [],
  /** Those that the server has applied. @type {Item[]} */ applied: [],
  /** Which graph the server has now. */ build: graph.build,
  /** What the server does: idle, applying or failed, with its message. */ state: "idle", message: "",
  /** What went wrong last. */ fault: "",
  isKept: true, isDownloaded: true,
};

/** What the browser keeps under a name. Browsers can forbid that for files. @param {string} name */
function kept(name) {
  try {
    return localStorage.getItem(`kgscripts ${name}`);
  } catch {
    return null;
  }
}

/**
 * @param {string} name
 * @param {string} text
 * @returns {boolean} whether the browser keeps it
 */
function keep(name, text) {
  try {
    localStorage.setItem(`kgscripts ${name}`, text);
    return true;
  } catch {
    return false;
  }
}

const PLACE = `corrections of ${graph.build}`;

/** Take up what the browser or the server has. */
function loadCorrections() {
  if (server) {
    refresh();
    return;
  }
  try {
    const { corrections, isDownloaded } = JSON.parse(kept(PLACE) ?? "");
    made.items = corrections.filter(isCorrection).map(itemFrom);
    made.isDownloaded = isDownloaded;
  } catch {
    made.items = [];
  }
}

/** Whether something is a correction: other pages can have written what the browser keeps. @param {any} thing */
function isCorrection(thing) {
  return typeof thing?.kind === "string" && Object.values(thing).every((value) => typeof value === "string");
}

let lastItem = 0;

/** @param {Correction} correction @returns {Item} */
function itemFrom(correction) {
  return { id: String(lastItem++), label: labelOf(correction), correction };
}

/** @param {boolean} isDownloaded */
function saveCorrections(isDownloaded) {
  made.isDownloaded = isDownloaded || !made.items.length;
  const corrections = made.items.map((item) => item.correction);
  made.isKept = keep(PLACE, JSON.stringify({ corrections, isDownloaded: made.isDownloaded }));
  showCorrections();
}

/** The form in which words are compared. @param {string} [text] */
function plainWords(text = "") {
  return text.toLowerCase().split(/\s+/).filter(Boolean).join(" ");
}

/** What a correction corrects: of several corrections of the same, the latest is applied. @param {Correction} correction */
function keyOf({ kind, scenario = "", step, relation = "", other, thing }) {
  const words = [step, other, thing].map(plainWords);
  if (kind === "same step" || kind === "different step") return JSON.stringify(["step", scenario, words.sort()]);
  if (kind === "same thing") return JSON.stringify([kind, words.sort()]);
  return JSON.stringify([kind === "add" ? "reject" : kind, scenario, relation, words]);
}

/** The items of a list by what they say, for the list that was looked at last. */
const known = { list: made.items, /** @type {Map<string, Item>} */ items: new Map() };

/** The item of the list that says exactly this. @param {Correction} correction */
function itemOf(correction) {
  /** @param {Correction} each */
  const content = (each) => JSON.stringify([keyOf(each), each.kind, each.name, each.role, Boolean(each.withdrawn)]);
  if (known.list !== made.items) {
    known.list = made.items;
    known.items = new Map(made.items.map((item) => [content(item.correction), item]));
  }
  return known.items.get(content(correction));
}

/** Relations of steps as they are said, if they are right and if they are wrong. @type {Record<string, [string, string]>} */
const SAID = { USES: ["uses", "does not use"], HAS_PARTICIPANT: ["has the participant", "does not have the participant"],
  CHANGES: ["changes", "does not change"], PRECEDES: ["comes before", "does not come directly before"] };

/** A correction in words, without its scenario. @param {Correction} correction */
function labelOf({ kind, step, relation, other, thing, name, role }) {
  const as = role ? ` as ${role}` : "";
  if (kind === "rename") return `“${step}” is called “${name}”`;
  if (kind === "same step") return `“${step}” and “${other}” are the same step`;
  if (kind === "different step") return `“${step}” and “${other}” are different steps`;
  if (kind === "same thing") return `“${other}” is called “${thing}”`;
  if (kind === "tool role") return `“${thing}”${step ? ` of “${step}”` : ""} has the role ${role}`;
  if (relation === "NEEDS") return `“${other}” is ${kind === "add" ? "" : "not "}needed${as}`;
  if (relation) return `“${step}” ${SAID[relation]?.[kind === "add" ? 0 : 1] ?? relation} “${other}”${as}`;
  return `“${step}” is ${kind === "add" ? "a" : "no"} step`;
}

/** Why a correction cannot be recorded, or "". @param {Correction} correction */
function faultOf({ step, relation, other, thing, name, kind }) {
  const long = [step, other, thing, name].find((text) => text && Array.from(text).length > MOST_OF_A_FIELD);
  if (long) return `“${short(long)}” has more than ${MOST_OF_A_FIELD} characters.`;
  const isOfTwo = !relation || (kind === "add" && relation === "PRECEDES");
  if (isOfTwo && other && plainWords(other) === plainWords(thing || step)) return `“${short(other)}” is named twice. Name two that differ.`;
  if (server && !authorName()) return "Write your name first: it stands with each correction.";
  return "";
}

/**
 * Add a correction to the list. It replaces an earlier one of the same.
 * @param {Correction} correction
 * @returns {Promise<boolean>} whether it was recorded; if not, the panel says why
 */
async function record(correction) {
  made.fault = faultOf(correction);
  if (server && !made.fault) {
    const time = new Date().toISOString();
    await request("POST", "", { ...correction, author: authorName(), time });
    await refresh();
  } else if (!made.fault) {
    // Of two with the same time, it would not be known which one wins.
    const latest = Math.max(Date.now(), ...made.items.map((item) => Date.parse(item.correction.time ?? "") + 1 || 0));
    const others = made.items.filter((item) => keyOf(item.correction) !== keyOf(correction));
    made.items = [...others, itemFrom({ ...correction, time: new Date(latest).toISOString() })];
    saveCorrections(false);
  }
  if (made.fault) openCorrections();
  else saySomething(`Recorded: ${labelOf(correction)}`);
  return !made.fault;
}

/** Take back a correction that is not applied yet. @param {Item} item */
async function undo(item) {
  made.fault = "";
  if (server) {
    await request("DELETE", `/${encodeURIComponent(item.id)}`);
    await refresh();
  } else {
    made.items = made.items.filter((each) => each !== item);
    saveCorrections(false);
  }
  if (made.fault) openCorrections();
  else saySomething(`Undone: ${item.label}`);
}

function undoAll() {
  saySomething(`Undone: ${count(made.items.length, "correction")}`);
  made.items = [];
  saveCorrections(true);
}

/** Download the corrections as a file. */
function download() {
  made.fault = authorName() ? "" : "Write your name first: it stands with each correction.";
  if (made.fault) {
    openCorrections();
    return;
  }
  const lines = made.items.map((item) => `${JSON.stringify({ ...item.correction, author: authorName() })}\n`);
  const address = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
  el("a", { href: address, download: "corrections.jsonl" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  saveCorrections(true);
}

/**
 * Ask the server for something.
 * @param {string} method
 * @param {string} path
 * @param {object} [content]
 * @returns {Promise<Response | null>} null if it did not work; `made.fault` says why
 */
async function request(method, path, content) {
  try {
    const answer = await fetch(`${server?.at}/api/corrections${path}`, { method, credentials: "same-origin", cache: "no-store",
      ...(content && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(content) }) });
    if (answer.ok) return answer;
    const gone = method === "DELETE" && answer.status === 404;
    made.fault = gone ? "Somebody else took it back already." : (await answer.text()).trim() || `The server refuses it (${answer.status}).`;
  } catch {
    made.fault = NO_ANSWER;
  }
  return null;
}

/** Take over what the server has. */
async function refresh() {
  try {
    const answer = await request("GET", "");
    if (answer) {
      const { build, state, message, pending, applied } = await answer.json();
      Object.assign(made, { build, state, message, items: pending, applied });
      if (made.fault === NO_ANSWER) made.fault = "";
    }
  } catch {
    made.fault = NO_ANSWER;
  }
  showCorrections();
}

/** Have the server apply the corrections, and wait until it has. */
async function applyCorrections() {
  made.fault = "";
  const before = made.build;
  const isAccepted = await request("POST", "/apply");
  if (isAccepted) made.state = "applying";
  showCorrections();
  if (!isAccepted) return;
  do {
    await new Promise((done) => setTimeout(done, 2000));
    await refresh();
  } while (made.state === "applying" || (made.state === "idle" && made.build === before && made.items.length));
}
