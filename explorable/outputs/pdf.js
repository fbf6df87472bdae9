// What is done to a page that is printed; the one thing that is asked for.
(asked) => ({
  /** The panels that have no picture. */
  undrawn() {
    const panels = [...document.querySelectorAll("section.mb-explorable")];
    return panels.filter((panel) => !panel.querySelector(".mb-plot .main-svg")).map((p) => p.id);
  },
  /** A link to another page would lead into the folders of this machine. */
  unlink() {
    for (const link of document.querySelectorAll("a[href]")) {
      if (link.protocol !== "file:" || link.pathname === location.pathname) continue;
      link.dataset.href = link.getAttribute("href");
      link.removeAttribute("href");
    }
  },
  link() {
    for (const link of document.querySelectorAll("a[data-href]")) {
      link.setAttribute("href", link.dataset.href);
      link.removeAttribute("data-href");
    }
  },
})[asked]()
