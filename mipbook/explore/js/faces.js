// Both faces: the panels that a page holds, and one that a kernel answers. No mathematics in any of
// these parts: a static panel looks figures up, a live panel asks the kernel.
/** @import { Model, Spec } from "./types" */
import { element } from "./dom.js";
import { linkOf } from "./link.js";
import { Panel } from "./panel.js";
import { liveSource, staticSource } from "./sources.js";

/** @typedef {HTMLElement & { panel?: Panel }} Root where tests, and the curious, find it */

/** @param {Root} root */
async function mountStatic(root) {
  const texts = (/** @type {string} */ name) =>
    Array.from(root.querySelectorAll(name), (node) => node.textContent ?? "");
  /** @type {Spec} */
  const spec = JSON.parse(texts(".mb-spec")[0]);
  const source = await staticSource(spec, texts(".mb-blob"));
  root.panel = new Panel(root, spec, source, null);
  await root.panel.update();
  // A shared link names the panel; the picture above it may have moved the page.
  if (location.hash === `#${spec.id}`) root.scrollIntoView();
}

function mountAll() {
  const nearby = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        nearby.unobserve(target);
        mountStatic(/** @type {Root} */ (target)).catch((problem) => {
          const words = `This panel could not start. ${problem.message}`;
          target.append(element("p", { class: "mb-error", role: "alert" }, words));
        });
      }
    },
    { rootMargin: "100% 0px" },
  );
  document
    .querySelectorAll(".mb-explorable[data-face=static]")
    .forEach((root) => nearby.observe(root));
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

globalThis.mipbook = { live, mountAll };
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", mountAll);
else mountAll();
