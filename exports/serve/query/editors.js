// The editors: YASQE for SPARQL, a field for Cypher.

/** @typedef {{element: HTMLElement, text: () => string, fill: (text: string) => void, focus: () => void}} Editor */

const LEAST_LINES = 10;

/** An editor with the classes and properties of the graph as completions. It asks no other server. */
function sparqlEditor() {
  const element = el("div.editor");
  // The completers of YASQE itself ask other servers for classes and properties. The settings below are merged with
  // the defaults, so that the names of completers have to be replaced there.
  Yasqe.defaults.autocompleters = ["variables", "terms"];
  Yasqe.registerAutocompleter(termCompleter, false);
  Yasqe.defineMode("sparql-with-prefixes", withPrefixes);
  const editor = new Yasqe(element, {
    mode: "sparql-with-prefixes",
    value: "",
    persistenceId: null,
    consumeShareLink: null,
    createShareableLink: null,
    showQueryButton: false,
    resizeable: false,
    editorHeight: "auto",
    viewportMargin: Infinity,
    // Tab leads on, as in other fields. Ctrl-S is left to the browser.
    extraKeys: { "Ctrl-Enter": run, "Cmd-Enter": run, "Tab": false, "Shift-Tab": false, "Ctrl-S": false },
  });
  editor.getInputField().setAttribute("aria-label", "Query in SPARQL");
  editor.on("autocompletionShown", (/** @type {any} */ _, /** @type {any} */ list) =>
    list.hints.setAttribute("aria-label", "Completions"));
  return {
    element,
    text: () => editor.getValue(),
    fill: (/** @type {string} */ text) => editor.setValue(text),
    focus: () => { editor.refresh(); editor.focus(); },
  };
}

/**
 * The grammar of YASQE, in which the prefixes of the server are declared: otherwise each use of one is an error.
 * @param {any} settings
 */
function withPrefixes(settings) {
  const mode = Yasqe.getMode(settings, "sparql11");
  return { ...mode, startState: () => ({ ...mode.startState(), prefixes: { ...content.prefixes } }) };
}

const termCompleter = {
  name: "terms",
  bulk: false,
  autoShow: true,
  get: (/** @type {any} */ _, /** @type {any} */ token) =>
    content.terms.filter((/** @type {string} */ each) => each.startsWith(token.string) && each !== token.string),
  isValidCompletionPosition: (/** @type {any} */ editor) => /^[a-z]+:\w*$/i.test(editor.getCompleteToken().string),
};

/** @returns {Editor} */
function cypherEditor() {
  const field = el("textarea", { "aria-label": "Query in Cypher", spellcheck: "false", rows: LEAST_LINES });
  const element = el("div.editor", {}, field);
  field.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    }
  });
  return {
    element,
    text: () => field.value,
    fill: (text) => { field.value = text; field.rows = Math.max(LEAST_LINES, text.split("\n").length + 1); },
    focus: () => field.focus(),
  };
}
