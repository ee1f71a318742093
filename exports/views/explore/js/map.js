// The map: scenarios, and the tools and actions that they share, drawn by sigma.

const MAP_KINDS = ["scenarios", "tools", "actions"];
/** @type {any} */
let renderer = null;
/** @type {any} */
let drawnMap = null;

function endMap() {
  renderer?.kill();
  renderer = null;
}

/** The data of the map and its graph, made once. */
function mapGraph() {
  if (drawnMap) return drawnMap;
  const data = block("map");
  // @ts-ignore: a library before this script
  const nodes = new graphology.Graph({ type: "undirected", multi: false });
  data.kind.forEach((/** @type {number} */ kind, /** @type {number} */ i) => nodes.addNode(i, {
    x: data.x[i], y: data.y[i], label: short(data.label[i]), kind, support: data.support[i],
    size: Math.min(16, (kind ? 1.5 : 3) + Math.sqrt(data.support[i]) * (kind ? 0.6 : 1)) * (data.kind.length > 5000 ? 0.5 : 1),
  }));
  data.starts.forEach((/** @type {number} */ start, /** @type {number} */ i) => nodes.mergeEdge(start, data.ends[i]));
  drawnMap = { data, nodes };
  return drawnMap;
}

/** @param {HTMLElement} main */
function showMap(main) {
  const { data, nodes } = mapGraph();
  const hidden = new Set();
  let least = 0, chosen = /** @type {string | null} */ (null), near = new Set();
  const most = data.support.reduce((/** @type {number} */ a, /** @type {number} */ b) => Math.max(a, b), 1);
  const colour = (/** @type {string} */ name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const palette = ["--accent", "--tool", "--change"].map(colour), faint = colour("--rule"), ink = colour("--ink");
  const stage = el("div.stage", { role: "img", "aria-label": `Map of ${count(nodes.order, "node")} and ${count(nodes.size, "link")}` });
  const panel = el("aside.panel", { "aria-label": "Chosen on the map", "aria-live": "polite" }, el("p.empty", {}, "Point at something to see what it is joined to; click a scenario or a tool to open it."));
  const said = el("output", { for: "least" }, "1");
  const filters = el("form.filters", {}, MAP_KINDS.map((name, kind) => el("label", { class: `key${kind}` },
    el("input", { type: "checkbox", checked: true, change: (/** @type {any} */ event) => {
      if (event.target.checked) hidden.delete(kind); else hidden.add(kind);
      renderer?.refresh({ skipIndexation: true });
    } }), name)),
  el("label", {}, "at least", el("input", { type: "range", id: "least", min: 1, max: Math.min(50, most), value: 1, input: (/** @type {any} */ event) => {
    least = Number(event.target.value);
    said.textContent = String(least);
    renderer?.refresh({ skipIndexation: true });
  } }), said, "sources or scenarios"));
  fill(main, [], {}, [el("h1", {}, "Map"), el("p.lead", {}, "Scenarios with much in common are near to each other. Tools and actions that at least two share are between them.",
    data.left_out > 0 && ` ${data.left_out.toLocaleString("en")} of few links are left out.`), filters, el("div.map", {}, stage, panel)]);
  if (!nodes.order) {
    stage.parentElement.replaceWith(el("p.empty", {}, "There is nothing to draw: no scenario was read."));
    return;
  }
  /** @param {string} node */
  const open = (node) => {
    const { kind } = nodes.getNodeAttributes(node);
    if (kind === 2) choose(node); else location.hash = addressOf(kind ? "tools" : "scenarios", data.to[Number(node)]);
  };
  /** @param {string | null} node */
  const choose = (node) => {
    chosen = node;
    near = new Set(node === null ? [] : nodes.neighbors(node));
    if (node !== null) panel.replaceChildren(...panelOf(nodes, data, node));
    renderer?.refresh({ skipIndexation: true });
  };
  try {
    // @ts-ignore: a library before this script
    renderer = new Sigma(nodes, stage, {
      labelColor: { color: ink }, labelFont: "system-ui, sans-serif", labelSize: 12, labelRenderedSizeThreshold: 4,
      labelDensity: 0.6, stagePadding: 60, defaultEdgeColor: faint, hideEdgesOnMove: nodes.size > 20_000, zIndex: true, minCameraRatio: 0.01,
      defaultDrawNodeHover: hover(colour("--card"), ink),
      nodeReducer: (/** @type {string} */ node, /** @type {any} */ item) => {
        const out = hidden.has(item.kind) || item.support < least;
        const dim = chosen !== null && node !== chosen && !near.has(node);
        return { ...item, hidden: out, color: dim ? faint : palette[item.kind], label: dim ? "" : item.label,
          forceLabel: node === chosen || (near.has(node) && near.size < 25), zIndex: dim ? 0 : 1 };
      },
      edgeReducer: (/** @type {string} */ edge, /** @type {any} */ item) =>
        chosen === null ? item : { ...item, hidden: !nodes.hasExtremity(edge, chosen), color: ink },
    });
    renderer.on("enterNode", (/** @type {any} */ event) => choose(event.node));
    renderer.on("clickNode", (/** @type {any} */ event) => open(event.node));
    renderer.on("clickStage", () => choose(null));
  } catch {
    stage.replaceWith(el("p.notice", {}, "This browser cannot draw the map (it has no WebGL). The index has all that is on it."));
  }
}

/**
 * The label of the node under the pointer, drawn on a canvas.
 * @param {string} paper
 * @param {string} ink
 */
function hover(paper, ink) {
  return (/** @type {CanvasRenderingContext2D} */ context, /** @type {any} */ item, /** @type {any} */ settings) => {
    context.font = `600 ${settings.labelSize}px ${settings.labelFont}`;
    const width = context.measureText(item.label ?? "").width + 14;
    context.fillStyle = paper;
    context.strokeStyle = ink;
    context.beginPath();
    context.roundRect(item.x + item.size + 3, item.y - 12, width, 24, 6);
    context.fill();
    context.stroke();
    context.fillStyle = ink;
    context.fillText(item.label ?? "", item.x + item.size + 10, item.y + 4);
  };
}

/**
 * What a node is and what it is joined to, as links.
 * @param {any} nodes
 * @param {any} data
 * @param {string} node
 */
function panelOf(nodes, data, node) {
  const item = nodes.getNodeAttributes(node);
  /** @type {number[]} */
  const joined = nodes.neighbors(node).map(Number).sort((/** @type {number} */ a, /** @type {number} */ b) => data.support[b] - data.support[a]);
  /** @param {number} other */
  const link = (other) => data.kind[other] === 2 ? el("span.name", {}, short(data.label[other]))
    : linkTo(data.kind[other] ? "tools" : "scenarios", data.to[other]);
  return [el("h2", {}, link(Number(node))), el("p.lead", {}, item.kind ? `${MAP_KINDS[item.kind].slice(0, -1)} of ${count(joined.length, "scenario")}` : count(item.support, "source")),
    el("ul.plain", {}, joined.slice(0, 40).map((other) => el("li", {}, link(other))), joined.length > 40 && el("li", {}, `${joined.length - 40} more`))];
}
