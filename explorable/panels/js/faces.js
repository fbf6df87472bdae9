// All faces: the panels that a page holds, which may ask Python in the page, and one that a kernel
// answers. No mathematics in any of these parts: figures are looked up, or asked for.
/** @import { Asked, Model, Spec } from "./types" */
import { mountAnswer } from "./answer.js";
import { tellHeight } from "./body.js";
import { mountCards, mountCite, mountProse } from "./cards.js";
import { element } from "./dom.js";
import { begin, carry, layFar, openFolds, posedOf, stand, touchedIn, whenIdle } from "./first.js";
import { mountGuess } from "./guess.js";
import { hereSource } from "./here.js";
import { httpSource } from "./http.js";
import { linkOf } from "./link.js";
import { Panel } from "./panel.js";
import { mountPrint } from "./paper.js";
import { own, plotly, scriptAt } from "./plotly.js";
import { mountSlides } from "./slides.js";
import { liveSource, staticSource } from "./sources.js";
import { spoken } from "./symbols.js";

/**
 * Where tests, and the curious, find the panel; `placed` while its parts are put in the place of
 * those that the build wrote, `begun` while it comes to life.
 * @typedef {HTMLElement & { panel?: Panel, placed?: Promise<void>, begun?: Promise<void> }} Root
 */

/** Bring a panel of the page to life, once. @param {Root} root */
function mounted(root) {
  root.begun ??= beginPanel(root).catch((problem) => {
    const words = `This panel could not start. ${problem.message}`;
    root.append(element("p", { class: "mb-error", role: "alert" }, words));
  });
  return root.begun;
}

/** @param {Root} root */
async function beginPanel(root) {
  // It takes as long as what the panel shows; where it fails, the panel says so when it draws.
  void plotly(null).catch(() => {});
  await placed(root);
  if (root.panel) await begin(root.panel);
  // A shared link names the panel; the picture above it may have moved the page.
  if (location.hash === `#${root.id}`) root.scrollIntoView();
}

/** Put a panel in its place, once, and bring it to life when there is time. @param {Root} root */
function placed(root) {
  root.placed ??= placePanel(root);
  return root.placed;
}

/** @param {Root} root */
async function approached(root) {
  const touch = () => mounted(root);
  for (const kind of ["pointerdown", "focusin"]) root.addEventListener(kind, touch, { once: true });
  // Who comes for a panel is about to play; a move is drawn at once, not after the first state.
  if (location.hash === `#${root.id}`) void plotly(null).catch(() => {});
  if (root.matches(":focus-within")) void touch();
  await placed(root).catch(() => {});
  if (!root.panel?.picture.still) await touch();
  // A phone draws when it is touched: there plotly takes long, and there is no mouse to hover.
  else if (globalThis.Plotly || matchMedia("(hover: hover)").matches) whenIdle(touch);
  if (root.panel) carry(root.panel, touch);
}

/**
 * The packed layers of a panel: in the page itself, or in a script of their own.
 * @param {Root} root
 */
async function layersOf(root) {
  /** @type {NodeListOf<HTMLElement>} */
  const blobs = root.querySelectorAll(".mb-blob");
  const { at } = blobs[0].dataset;
  if (!at) return Array.from(blobs, (node) => node.textContent ?? "");
  const { layers = [] } = await scriptAt(new URL(`panels/${at}.js`, own).href, "what it shows");
  return layers;
}

/** @param {Root} root */
async function placePanel(root) {
  /** @type {Spec} */
  const spec = JSON.parse(root.querySelector(".mb-spec")?.textContent ?? "");
  const asked = root.dataset.figure;
  const stored = async () => hereSource(await staticSource(spec, await layersOf(root)), spec);
  const source = asked ? httpSource(asked) : await stored();
  const drawn = root.querySelectorAll(".mb-first");
  const first = drawn.length ? await source.figure(posedOf(root, spec)) : null;
  const again = touchedIn(root);
  // What was measured meanwhile would let a browser scroll after what stands below.
  root.style.minHeight = `${root.offsetHeight}px`;
  root.panel = new Panel(root, spec, source, null);
  if (first) stand(root.panel, first, drawn);
  root.style.minHeight = "";
  again();
}

function mountAll() {
  tellHeight();
  openFolds();
  const nearby = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        nearby.unobserve(target);
        void approached(/** @type {Root} */ (target));
      }
    },
    { rootMargin: "60% 0px" },
  );
  /** @type {Root[]} */
  const panels = Array.from(
    document.querySelectorAll(".mb-explorable:is([data-face=static], [data-face=http])"),
  );
  panels.forEach((root) => nearby.observe(root));
  /** @type {NodeListOf<HTMLElement>} */
  const asked = document.querySelectorAll(".mb-asked[data-asked]");
  for (const root of asked) {
    const told = root.querySelector(".mb-spec");
    if (told) mountAsked(root, JSON.parse(told.textContent ?? ""));
  }
  mountProse(async (id) => {
    /** @type {Root | null} */
    const root = document.querySelector(`section.mb-explorable#${id}`);
    if (root) await mounted(root);
    return root?.panel ?? null;
  });
  layFar();
  mountPrint(() => Promise.all(panels.map(mounted)));
  for (const later of [mountCards, mountCite, mountSlides]) whenIdle(later);
}

/**
 * @param {HTMLElement & { asked?: Asked }} root
 * @param {Asked} spec
 */
function mountAsked(root, spec) {
  root.asked = spec;
  root.setAttribute("aria-label", spoken(spec.label));
  root.classList.add("mb-ready");
  if (spec.role === "guess") mountGuess(root, spec);
  else mountAnswer(root, spec);
}

/**
 * A guess or an answer in a notebook or an app.
 * @param {HTMLElement} el
 * @param {Asked} spec
 */
function ask(el, spec) {
  const named = { id: spec.name, "data-asked": spec.role, "aria-label": spec.label };
  const root = element("section", { class: "mb-asked", ...named });
  el.append(root);
  mountAsked(root, spec);
}

/**
 * The plotting script, which the kernel sends when asked.
 * @param {Model} model
 */
async function plotlyFromKernel(model) {
  const id = model.get("plotly").replace("IPY_MODEL_", "");
  const other = await model.widget_manager.get_model(id);
  if (!other.get("source").byteLength) {
    await new Promise((resolve) => {
      other.once("change:source", () => resolve(null));
      other.send({});
    });
  }
  return other.get("source");
}

/**
 * @param {Model} model
 * @param {HTMLElement} el
 */
function live(model, el) {
  const spec = model.get("spec");
  const named = { id: spec.id, "data-face": "live", "aria-label": spec.title };
  /** @type {Root} */
  const root = element("section", { class: "mb-explorable", ...named });
  el.classList.add("mb-host");
  el.append(root);
  // Our own server has the plotting script at an address.
  const loadSource = globalThis.mipbookPlotly ? null : () => plotlyFromKernel(model);
  const panel = new Panel(root, spec, liveSource(model, linkOf(model)), loadSource);
  root.panel = panel;
  const follow = () => panel.follow(model.get("request").values);
  if (model.get("request").number > 0) follow();
  else panel.update();
  model.on("change:request", follow);
  return () => {
    model.off("change:request", follow);
    panel.remove();
  };
}

globalThis.mipbook = { ask, live, mountAll, mounted };
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", mountAll);
else mountAll();
