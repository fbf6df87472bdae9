// From a file no other page may be asked for its words.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
// A formula is said once, as it is read: without its source.
document.addEventListener("DOMContentLoaded", () => {
  const { htmlToText } = Search;
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    page.querySelectorAll(".katex-mathml").forEach((each) => each.remove());
    return htmlToText(page.documentElement.outerHTML, anchor);
  };
});
const NAMED = NAMED_PLACES;
var Scorer = {
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
  score: (found) => {
    const [docname, , anchor, , score] = found;
    const query = new URLSearchParams(location.search).get("q") ?? "";
    const asked = ` ${query.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim()} `;
    const named = NAMED.find(([words, page]) => docname === page && asked.includes(` ${words} `));
    if (named && !anchor && named[2]) found[2] = `#${named[2]}`;
    if (named) return score + (anchor ? 90 : 100);
    return score - (docname.includes("/api/") ? 30 : /-record$|\/(apps|teach)\//.test(docname) ? 10 : 0);
  },
};
