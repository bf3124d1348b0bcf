// Tabs as screen readers and keyboards know them: one is reached by Tab, the arrow keys choose another one.
export function render({ model }) {
  const list = document.createElement("div");
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", model.label);
  const tabs = model.options.map((name) => {
    const tab = document.createElement("button");
    tab.setAttribute("role", "tab");
    tab.textContent = name;
    tab.addEventListener("click", () => { model.value = name; });
    return tab;
  });
  const show = () => tabs.forEach((tab) => {
    const is_chosen = tab.textContent === model.value;
    tab.setAttribute("aria-selected", is_chosen);
    tab.tabIndex = is_chosen ? 0 : -1;
  });
  list.addEventListener("keydown", (event) => {
    const last = tabs.length - 1, at = model.options.indexOf(model.value);
    const to = { ArrowRight: at < last ? at + 1 : 0, ArrowLeft: at > 0 ? at - 1 : last, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    model.value = model.options[to];
    tabs[to].focus();
  });
  model.on("value", show);
  show();
  list.append(...tabs);
  return list;
}
