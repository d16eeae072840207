// The answer of the library, as tables and sentences.

function showAnswer(answer) {
  showValues(answer);
  showSteps(answer);
  showTies(answer);
  showDialects(answer);
}

function showValues({ measures, conventions }) {
  fill('values', measures.map((row) => [headCell(labelOf(row.measure)), ...row.values.map(({ value }) => numberCell(value)),
    numberCell(row.a), numberCell(row.e), numberCell(row.u)]));
  // Each reason stands once, with all that it holds for.
  const reasons = new Map();
  for (const { measure, values } of measures) {
    values.forEach(({ remarks }, version) => remarks.filter((text) => /^(undefined|0 by convention)/.test(text)).forEach((text) => {
      const of = reasons.get(text) ?? new Map();
      of.set(measure, [...(of.get(measure) ?? []), VERSIONS[version][1]]);
      reasons.set(text, of);
    }));
  }
  const told = [...reasons].map(([text, of]) => {
    const who = [...of].map(([measure, versions]) => `${labelOf(measure)} (${listText(versions)})`);
    return element('li', {}, element('strong', {}, `${listText(who)}: `), text);
  });
  document.getElementById('reasons').replaceChildren(...told);
  document.getElementById('conventions').replaceChildren(`The dialect ${state.dialect}: ${conventions}.`);
}

function showSteps({ chosen, measures, explained, random }) {
  const label = labelOf(chosen);
  const own = measures.find((row) => row.measure.split('@')[0] === state.measure);
  document.getElementById('formula').replaceChildren(element('strong', {}, `${labelOf(own.measure)}: ${own.summary}. `), `Formula: ${own.formula}.`);
  const mean = random.mean === null
    ? `${labelOf(own.measure)} has no value in any order of these documents, so random orders have no mean.`
    : `The mean of ${labelOf(own.measure)} is ${numberText(random.mean)} over ${random.orders} random orders of these documents (standard error ${numberText(random.standard_error)}), and ${numberText(random.exact)} over all orders.`;
  document.getElementById('random').textContent = mean;
  fill('steps', explained.steps.map((step) => [headCell(step.what.length === 1 ? step.what : label),
    element('td', {}, step.formula), element('td', {}, step.numbers.replaceAll('-', '−')), numberCell(step.value)]));
  document.getElementById('remarks').replaceChildren(...explained.remarks.map((text) => element('li', {}, text)));
  const heads = ['rank', 'document', 'grade', ...(explained.factors ?? []), 'contribution', 'sum'];
  document.querySelector('#positions thead').replaceChildren(
    element('tr', {}, ...heads.map((text, column) => element('th', { scope: 'col', className: column > 2 ? 'n' : '' }, text))));
  const number = (value) => (value === null || value === undefined ? element('td', { className: 'beyond' }, 'beyond the cutoff') : numberCell(value));
  fill('positions', explained.ranking.map((place) => {
    const { id, grade } = state.docs[place.row];
    const cells = [headCell(String(place.rank)), element('td', {}, place.tied > 1 ? `${id} (ties)` : id), element('td', {}, grade === null ? 'unjudged' : String(grade))];
    if (place.contribution === null) {
      cells.push(element('td', { className: 'beyond', colSpan: heads.length - 3 }, 'beyond the cutoff'));
      return cells;
    }
    return [...cells, ...(explained.factors ? place.factors.map(number) : []), number(place.contribution), number(place.sum)];
  }));
}

function showTies({ chosen, ties }) {
  const groups = ties.find(({ ties: word }) => word === 'average').order.filter((rows) => rows.length > 1);
  const ids = (rows) => rows.map((row) => state.docs[row].id);
  const told = groups.length
    ? `${groups.map((rows) => `Documents ${listText(ids(rows))} have equal scores.`).join(' ')} A program must break the tie, or take the mean over all orders.`
    : 'No two documents have equal scores here, so each rule gives the same ranking. Give two documents one score to see the rules differ.';
  document.getElementById('ties-told').textContent = told;
  fill('ties', ties.map((rule) => {
    const name = rule.in_force ? [element('strong', {}, rule.ties), ` (${state.dialect})`] : [rule.ties];
    const order = rule.order.map((rows) => (rows.length > 1 ? `(${ids(rows).join(' ')})` : ids(rows)[0])).join(' ');
    return [headCell(...name, element('small', {}, TIES[rule.ties])), element('td', { className: 'order' }, order), numberCell(rule.value)];
  }));
  document.querySelector('#ties thead th:last-child').textContent = labelOf(chosen);
}

function showDialects({ chosen, dialects }) {
  document.querySelector('#dialects thead th:nth-child(2)').textContent = labelOf(chosen);
  document.getElementById('differs').textContent = `rule that differs from ${state.dialect}`;
  fill('dialects', dialects.map((row) => {
    const rules = row.rules.map(({ rule, ours, theirs }) => `${rule}: ${theirs}, not ${ours}`);
    const told = row.name === state.dialect ? ['the dialect of this page'] : rules.length ? [rules.join('; ')] : ['none that alters this value'];
    if (row.value === null) told.push(IN_A_MEAN[row.undefined]);
    const name = element('span', { title: row.summary }, row.name);
    return [headCell(row.name === state.dialect ? element('strong', {}, name) : name), numberCell(row.value), element('td', { className: 'rules' }, told.join('; '))];
  }));
}

