"use strict";
// The page is whole without this script: sections stand below each other, everything is shown. It adds tabs, filters
// and sorting.
(() => {
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  document.documentElement.classList.add("script");

  const list = document.getElementById("tabs");
  const tabs = all("[data-tab]", list);
  const panelOf = (tab) => document.getElementById(tab.getAttribute("href").slice(1));
  list.setAttribute("role", "tablist");
  tabs.forEach((tab) => {
    const panel = panelOf(tab);
    tab.id = "tab-" + panel.id;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", panel.id);
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    panel.tabIndex = 0;
  });

  const choose = (chosen) => {
    tabs.forEach((tab) => {
      const on = tab === chosen;
      tab.setAttribute("aria-selected", String(on));
      tab.tabIndex = on ? 0 : -1;
      panelOf(tab).hidden = !on;
    });
  };

  // An address may name a panel, or a card inside one that is not shown, by tab or by filter.
  const follow = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target && target.tagName === "DETAILS") target.open = true;
    const tab = target && tabs.find((one) => panelOf(one).contains(target));
    if (!tab) return;
    choose(tab);
    if (target.hidden) {
      const everything = target.closest("[data-filtered]");
      everything.querySelector("[data-find]").value = "";
      everything.querySelector("[data-show='']").click();
    }
    if (target !== panelOf(tab)) target.focus({ preventScroll: true });
    target.scrollIntoView({ block: target === panelOf(tab) ? "nearest" : "start" });
  };

  tabs.forEach((tab, place) => {
    tab.addEventListener("click", (event) => {
      event.preventDefault();
      history.replaceState(null, "", tab.getAttribute("href"));
      choose(tab);
    });
    tab.addEventListener("keydown", (event) => {
      const last = tabs.length - 1;
      const next = { ArrowRight: place === last ? 0 : place + 1, ArrowLeft: place === 0 ? last : place - 1, Home: 0, End: last };
      if (event.key === " " || event.key in next) {
        event.preventDefault();
        const other = event.key === " " ? tab : tabs[next[event.key]];
        other.click();
        other.focus();
      }
    });
  });
  if (tabs.length) choose(tabs[0]);
  addEventListener("hashchange", follow);
  if (location.hash) follow();

  all("[data-filtered]").forEach((area) => {
    const things = all(area.dataset.filtered, area).filter((thing) => thing.dataset.verdict);
    const words = things.map((thing) => thing.textContent.toLowerCase().replace(/\s+/g, " "));
    const buttons = all("[data-show]", area);
    const find = area.querySelector("[data-find]");
    const status = area.querySelector("[data-status]");
    let verdict = "";
    const show = () => {
      const wanted = find.value.toLowerCase().replace(/\s+/g, " ").trim();
      // Of "row 1", whole words: not row 10 to 19.
      const fits = (text) => !wanted || (` ${text} `.includes(` ${wanted} `) || (!/\d$/.test(wanted) && text.includes(wanted)));
      let count = 0;
      things.forEach((thing, place) => {
        thing.hidden = (verdict && thing.dataset.verdict !== verdict) || !fits(words[place]);
        count += thing.hidden ? 0 : 1;
      });
      status.textContent = `${count} of ${things.length} shown`;
    };
    buttons.forEach((button) => button.addEventListener("click", () => {
      verdict = button.dataset.show;
      buttons.forEach((one) => one.setAttribute("aria-pressed", String(one === button)));
      show();
    }));
    find.addEventListener("input", show);
    show();
  });

  all("table.sortable").forEach((table) => {
    const body = table.tBodies[0];
    const key = (row, place) => {
      const cell = row.cells[place];
      return cell.dataset.key === undefined ? cell.textContent.trim() : cell.dataset.key;
    };
    const compare = (one, other) => {
      if (one === "" || other === "") return (one === "") - (other === "");
      const gap = Number(one) - Number(other);
      return Number.isNaN(gap) ? one.localeCompare(other, "en", { numeric: true }) : gap;
    };
    all("thead th", table).forEach((head, place) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        all("thead th", table).forEach((one) => one.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...body.rows].map((row, order) => [key(row, place), order, row]);
        // What has no value stays last either way.
        rows.sort((one, other) => {
          const order = compare(one[0], other[0]);
          return (down && one[0] !== "" && other[0] !== "" ? -order : order) || one[1] - other[1];
        });
        body.append(...rows.map((entry) => entry[2]));
      });
    });
  });
})();
