// Which columns of the reader's file play which role.
/** @import { Columns, Control, Found, Host, OwnFile, Role } from "./types" */
import { element, newId } from "./dom.js";

/**
 * One list a role. What the reader chose travels with the file's number; what he left alone stays
 * the kernel's to decide.
 * @param {Control} control
 * @param {Host} panel
 */
export function columnLists(control, panel) {
  const node = element("div", {
    class: "mb-columns",
    role: "group",
    "aria-label": "Columns of your file",
    hidden: true,
  });
  const roles = control.roles ?? [];
  /** @type {Set<string>} the roles whose lists are open */
  const opened = new Set();

  /**
   * @param {Role} role
   * @param {string[]} names
   */
  function choose(role, names) {
    const value = /** @type {OwnFile} */ (panel.values[control.name]);
    /** @type {Columns} */
    const columns = {};
    for (const [key, list] of Object.entries(value.columns ?? {})) {
      if (key !== role.name) columns[key] = list.filter((name) => !names.includes(name));
    }
    panel.set(control.name, { ...value, columns: { ...columns, [role.name]: names } });
  }

  /**
   * @param {Role} role
   * @param {string[]} names
   * @param {string[]} chosen
   */
  function oneColumn(role, names, chosen) {
    const id = newId();
    const onchange = () => choose(role, select.value ? [select.value] : []);
    const none = element("option", { value: "" }, role.optional ? "none" : "choose");
    const select = element(
      "select",
      { id, "data-place": role.name, onchange },
      ...(role.optional || !chosen.length ? [none] : []),
      ...names.map((name) => element("option", { value: name }, name)),
    );
    select.value = chosen[0] ?? "";
    const label = element("label", { for: id }, role.label);
    return element("span", { class: "mb-option", "data-role": role.name }, label, select);
  }

  /**
   * @param {Role} role
   * @param {string[]} names
   * @param {string[]} chosen
   */
  function manyColumns(role, names, chosen) {
    const id = newId();
    const chosenNow = () => boxes.filter((box) => box.checked).map((box) => box.value);
    const boxes = names.map((value, i) => {
      const box = element("input", {
        type: "checkbox",
        id: `${id}-${i}`,
        value,
        "data-place": `${role.name} ${value}`,
        onchange: () => choose(role, chosenNow()),
      });
      box.checked = chosen.includes(value);
      return box;
    });
    const count = `${role.label}: ${chosen.length} of ${names.length} columns`;
    const details = element(
      "details",
      {
        "data-role": role.name,
        open: opened.has(role.name),
        ontoggle: () => opened[details.open ? "add" : "delete"](role.name),
      },
      element("summary", { "data-place": `${role.name} summary` }, count),
      ...boxes.map((box) => {
        const label = element("label", { for: box.id }, box.value);
        return element("span", { class: "mb-option" }, box, label);
      }),
    );
    return details;
  }

  /** @param {Found | null} found */
  function offer(found) {
    const names = found?.columns ?? [];
    node.hidden = !names.length || !roles.length;
    if (!found || node.hidden) {
      node.replaceChildren();
      return;
    }
    // Made anew at every answer, the lists must not lose the keyboard's place.
    const active = document.activeElement;
    const within = active instanceof HTMLElement && node.contains(active);
    const place = within ? active.dataset.place : null;
    node.replaceChildren(
      ...roles.map((role) => {
        const chosen = found.roles[role.name] ?? [];
        return (role.many ? manyColumns : oneColumn)(role, names, chosen);
      }),
    );
    if (!place) return;
    /** @type {NodeListOf<HTMLElement>} */
    const places = node.querySelectorAll("[data-place]");
    [...places].find((at) => at.dataset.place === place)?.focus({ preventScroll: true });
  }

  return { node, offer };
}
