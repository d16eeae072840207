"use strict";
// The choice of the figure's measure, sorting of every table of figures, and the list of queries. No library, no network; the page is complete without it but
// for that list.
(() => {
  const byId = (id) => document.getElementById(id);
  const element = (name, text, attributes = {}) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const compare = (a, b) => {
    // What has no value stands last, whichever way the others are sorted.
    if (a === null || b === null) return (a === null) - (b === null);
    return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  };
  const ordered = (items, key, falling) => {
    const keyed = items.map((item, place) => ({ item, place, value: key(item) }));
    keyed.sort((a, b) => {
      const missing = (a.value === null) - (b.value === null);
      return missing || (falling ? compare(b.value, a.value) : compare(a.value, b.value)) || a.place - b.place;
    });
    return keyed.map(({ item }) => item);
  };
  const sortButton = (head, text, sort) => {
    const button = element("button", text, { type: "button" });
    button.addEventListener("click", sort);
    head.replaceChildren(button);
  };
  const mark = (heads, chosen, falling) => heads.forEach((head) => {
    if (head === chosen) head.setAttribute("aria-sort", falling ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  });

  document.querySelectorAll("table.sortable").forEach((table) => {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      if (head.classList.contains("fixed")) return;
      sortButton(head, head.textContent, () => {
        const figures = head.classList.contains("n");
        const now = head.getAttribute("aria-sort");
        const falling = now ? now === "ascending" : figures;
        const key = (row) => {
          const cell = row.cells[column];
          if (!figures) return cell.textContent;
          return cell.dataset.v === undefined || cell.dataset.v === "" ? null : Number(cell.dataset.v);
        };
        table.tBodies[0].append(...ordered([...table.tBodies[0].rows], key, falling));
        mark(heads, head, falling);
      });
    });
  });

  // Whom the letters of a score table mean, for a pointer that rests on them.
  document.querySelectorAll("#scores table").forEach((table) => {
    const names = new Map([...table.tBodies[0].rows].map((row) => [row.cells[0].textContent, row.cells[1].textContent]));
    table.querySelectorAll("sup").forEach((sup) => {
      sup.title = `significantly better than ${sup.textContent.split(" ").map((letter) => names.get(letter)).join(", ")}`;
    });
  });

  // One figure, or all side by side. Without scripts the first one shows.
  const figureMeasure = byId("figure-measure");
  if (figureMeasure) {
    const figures = [...document.querySelectorAll(".measure")];
    figureMeasure.closest("label").hidden = figures.length < 2;
    figureMeasure.addEventListener("change", () => {
      const all = figureMeasure.selectedIndex === figures.length;
      figures.forEach((figure, place) => { figure.hidden = !all && place !== figureMeasure.selectedIndex; });
      byId("differences").classList.toggle("all", all);
    });
  }

  // An address that names a part of the page opens what it is folded into.
  const openTo = (hash) => {
    for (let part = hash && byId(hash.slice(1)); part; part = part.parentElement) {
      if (part.tagName === "DETAILS") part.open = true;
    }
  };
  document.querySelectorAll("a[href^='#']").forEach((link) => link.addEventListener("click", () => openTo(link.hash)));
  window.addEventListener("hashchange", () => openTo(location.hash));
  openTo(location.hash);

  document.querySelectorAll("button.copy").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const text = byId(button.dataset.copy).textContent;
      const label = button.textContent;
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
      } catch {
        // No clipboard from a file: show and select the text, so that it can be copied by hand.
        byId(button.dataset.copy).hidden = false;
        window.getSelection().selectAllChildren(byId(button.dataset.copy));
        button.textContent = "Selected: copy it now";
      }
      setTimeout(() => { button.textContent = label; }, 2000);
    });
  });

  const report = JSON.parse(byId("report-data").textContent);
  if (!report.datasets.length) return;
  const PAGE = 200;
  const [dataSelect, measureSelect, classSelect] = ["drill-data", "drill-measure", "drill-class"].map(byId);
  const [find, least, count, more, table] = ["drill-find", "drill-least", "drill-count", "drill-more", "drill-table"].map(byId);
  let shown = PAGE;
  let sort = { column: -1, falling: false };
  const options = (select, labels) => select.replaceChildren(...labels.map((label, i) => element("option", label, { value: i })));
  const data = () => report.datasets[Number(dataSelect.value)];
  const measure = () => data().measures[Number(measureSelect.value)];
  const classOf = (q) => data().class_sets[measure().classes[q]];
  const number = (value) => (value === null ? "undefined" : (value / report.scale).toFixed(4));

  // Columns of the list: a head, what a query has there, and how it is written.
  const columns = () => {
    const { queries, methods, classes } = data();
    const { values, expected } = measure();
    const list = [["query", (q) => queries.id[q], false]];
    for (const fact of ["fold", "documents", "relevant"]) {
      if (queries[fact].length) list.push([fact, (q) => queries[fact][q], true]);
    }
    if (measure().classes.length) list.push(["class", (q) => classOf(q).map((c) => classes[c]).join(" and ") || "none", false]);
    if (expected) list.push(["expected", (q) => expected[q], true, number]);
    return list.concat(methods.map((name, m) => [name, (q) => values[m][q], true, number]));
  };
  const chosen = () => {
    const { queries } = data();
    const part = find.value.trim().toLowerCase();
    const wanted = Number(classSelect.value) - 1;
    const fewest = Number(least.value) || 0;
    const keep = (q) => queries.id[q].toLowerCase().includes(part) && (queries.relevant[q] ?? fewest) >= fewest
      && (wanted < 0 || !measure().classes.length || (wanted < data().classes.length ? classOf(q).includes(wanted) : !classOf(q).length));
    return queries.id.map((_, q) => q).filter(keep);
  };
  const draw = () => {
    const list = columns();
    let found = chosen();
    if (list[sort.column]) found = ordered(found, list[sort.column][1], sort.falling);
    const heads = list.map(([text, , figures], column) => {
      const head = element("th", undefined, { scope: "col" });
      if (figures) head.classList.add("n");
      sortButton(head, text, () => {
        sort = { column, falling: sort.column === column ? !sort.falling : figures };
        draw();
        table.tHead.rows[0].cells[column].querySelector("button").focus();
      });
      return head;
    });
    mark(heads, heads[sort.column], sort.falling);
    const line = element("tr");
    line.append(...heads);
    table.tHead.replaceChildren(line);
    const first = list.length - data().methods.length;
    table.tBodies[0].replaceChildren(...found.slice(0, shown).map((q) => {
      const row = element("tr");
      const best = Math.max(...list.slice(first).map(([, value]) => value(q) ?? -Infinity));
      list.forEach(([, value, figures, write], column) => {
        const cell = element(column ? "td" : "th", write ? write(value(q)) : value(q), column ? {} : { scope: "row" });
        if (figures) cell.classList.add("n");
        if (column >= first && value(q) === best) cell.classList.add("best");
        row.append(cell);
      });
      return row;
    }));
    const means = element("tr");
    const all = found.length === data().queries.id.length;
    const rounded = !all && report.digits < 4 ? `; of rounded values, so to ${report.digits} digits` : "";
    const head = `mean of defined values${rounded}`;
    list.forEach(([, value, , write], column) => {
      const defined = write ? found.map(value).filter((v) => v !== null) : [];
      const mean = defined.reduce((a, b) => a + b, 0) / defined.length / report.scale;
      const own = defined.length ? mean.toFixed(report.digits) : "";
      // Of all queries the mean is known in full, however the values are rounded.
      const whole = all ? measure().means[column - first] : undefined;
      const text = typeof whole === "number" ? whole.toFixed(4) : own;
      means.append(element(column ? "td" : "th", column ? text : head, column ? { class: "n" } : { scope: "row" }));
    });
    table.tFoot.replaceChildren(means);
    const { queries, of } = data();
    const sample = queries.id.length < of ? `, an even sample of ${of}` : "";
    count.textContent = `${found.length} of ${queries.id.length} ${queries.id.length === 1 ? "query" : "queries"}${sample}; ${Math.min(shown, found.length)} shown`;
    more.hidden = found.length <= shown;
  };
  const again = () => { shown = PAGE; draw(); };
  const choose = () => {
    const { measures, classes, queries } = data();
    options(measureSelect, measures.map(({ name }) => name));
    options(classSelect, ["all", ...classes, "none"]);
    classSelect.parentElement.hidden = !classes.length;
    least.parentElement.hidden = !queries.relevant.length;
    sort = { column: -1, falling: false };
    again();
  };
  dataSelect.addEventListener("change", choose);
  measureSelect.addEventListener("change", again);
  classSelect.addEventListener("change", again);
  find.addEventListener("input", again);
  least.addEventListener("input", again);
  more.addEventListener("click", () => { shown += PAGE; draw(); });
  byId("drill").addEventListener("submit", (event) => event.preventDefault());
  options(dataSelect, report.datasets.map(({ name }) => name));
  choose();
})();
