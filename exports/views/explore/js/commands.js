// Queries and commands to copy: for a step and for a scenario.

/**
 * A word of a command for a shell.
 * @param {string} text
 */
function quoted(text) {
  const words = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  return /^[\w./-]+$/.test(words) && !words.startsWith("-") ? words : `'${words.replaceAll("'", "'\\''")}'`;
}

/**
 * A command of kgscripts whose words may begin with a hyphen.
 * @param {string} command
 * @param {string[]} words
 */
function correction(command, ...words) {
  const hyphen = words.some((word) => word.trim().startsWith("-")) ? "-- " : "";
  return `kgscripts correct ${quoted(graph.name)} ${command} ${hyphen}${words.map(quoted).join(" ")}`;
}

/** @param {string} id */
function iri(id) {
  return (graph.base_iri + id).replace(/[<>"{}|\\^`\s]/g, encodeURIComponent);
}

const PREFIXES = `PREFIX kgs: <https://w3id.org/kgscripts/ontology#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
`;

/**
 * @param {any} script
 * @param {any} step
 * @returns {[string, string][]}
 */
function stepQueries(script, step) {
  const node = iri(step.id);
  return [
    ["SPARQL", `${PREFIXES}SELECT ?relation ?thing ?support ?passage WHERE {
  ?statement rdf:subject <${node}> ; rdf:predicate ?relation ; rdf:object ?object ; kgs:support ?support .
  ?object rdfs:label ?thing .
  OPTIONAL { ?statement kgs:evidencedBy ?evidence . GRAPH ?source { ?evidence kgs:text ?passage } }
} ORDER BY ?relation DESC(?support)`],
    ["Cypher", `MATCH (step:SubEvent {iri: "${node}"})-[use:USES]->(tool:Tool)
RETURN step.label AS step, tool.label AS tool, use.role AS role, use.support AS support
ORDER BY support DESC`],
    ["Rename this step", correction("rename", script.label, step.name, "NEW NAME")],
    ["Reject this step", correction("reject", script.label, step.name)],
  ];
}

/**
 * @param {any} script
 * @returns {[string, string][]}
 */
function scenarioQueries(script) {
  const node = iri(script.id);
  return [
    ["SPARQL", `${PREFIXES}SELECT ?step ?support WHERE {
  ?statement rdf:subject <${node}> ; rdf:predicate kgs:hasSubEvent ; rdf:object ?object ;
    kgs:usual true ; kgs:rank ?rank ; kgs:support ?support .
  ?object rdfs:label ?step .
} ORDER BY ?rank`],
    ["Cypher", `MATCH (:Scenario {iri: "${node}"})-[has:HAS_SUB_EVENT]->(step:SubEvent)
WHERE has.usual RETURN step.label AS step, has.support AS support ORDER BY has.rank`],
    ["Add a step", correction("add", script.label, "NEW STEP")],
  ];
}

/**
 * A text with a button that copies it.
 * @param {string} text
 * @param {string} [title]
 */
function copied(text, title = "") {
  const code = el("code", {}, text);
  const button = el("button", { type: "button", "aria-label": title && `Copy: ${title}`, click: async () => {
    let said = "Copied";
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      getSelection()?.selectAllChildren(code);
      said = "Selected";
    }
    button.textContent = said;
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  } }, "Copy");
  return el("div.copy", {}, title && el("h3", {}, title), el("pre", { tabindex: 0, role: "region", "aria-label": title || "Command" }, code), button);
}

/** @param {[string, string][]} texts */
function copies(texts) {
  return el("details.copies", {}, el("summary", {}, "Ask and correct it elsewhere"),
    texts.map(([title, text]) => copied(text, title)));
}
