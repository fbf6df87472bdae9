(() => {
  const told = document.getElementById("mb-lite-told");
  const items = LITE_WORDS.map((text) => {
    const item = document.createElement("li");
    item.textContent = text;
    return item;
  });
  if (told && items.length) told.replaceChildren(...items);
  const there = LITE_IS_WHOLE && location.protocol.startsWith("http");
  document.documentElement.classList.toggle("mb-lite", there);
})();
