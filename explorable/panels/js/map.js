// The map of the book: where its picture is shown, the list that says the same is folded.

/** Fold the list beside the picture; without a script, and on a phone, it stays open. */
export function mountMap() {
  const picture = document.querySelector("svg.mb-map");
  const list = document.querySelector("details.mb-map-told");
  if (picture && list && getComputedStyle(picture).display !== "none") list.removeAttribute("open");
}
