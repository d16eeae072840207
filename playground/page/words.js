// Words and numbers, and how they become elements.

const VERSIONS = [['original', 'value'], ['v1', 'V1'], ['v2', 'V2']];
const MEASURES = { ndcg: 'nDCG', ap: 'AP', err: 'ERR', rbp: 'RBP', p: 'P', rr: 'RR' };
const TIES = {
  average: 'the mean over all orders of documents with equal scores',
  input: 'the order of the file, which is the order on this page',
  pessimistic: 'the lowest grade first',
  optimistic: 'the highest grade first',
  docid: 'the id, from Z to A',
  shuffle: 'a random order that only ids and a seed decide',
};
const IN_A_MEAN = { zero: 'a mean counts it as 0', one: 'a mean counts it as 1', skip: 'a mean leaves the query out' };

// `ndcg@5` or `ndcg.v2@5` as people write it.
function labelOf(spec) {
  const [name, cutoff] = spec.split('@');
  const [measure, version] = name.split('.');
  return MEASURES[measure] + (cutoff ? `@${cutoff}` : '') + (version ? ` ${version.toUpperCase()}` : '');
}

// Four decimals; a number that is not 0 is never printed as 0.
function numberText(value) {
  if (value === 0) return '0.0000';
  const digits = Math.abs(value) < 0.00005 ? value.toExponential(1) : value.toFixed(4);
  return digits.replace('-', '−');
}

function listText(items) {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key in made && key !== 'list') made[key] = value; else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

// A cell of a number. `data-value` has all its digits.
function numberCell(value) {
  if (value === null) return element('td', { className: 'undefined', 'data-value': 'undefined' }, 'undefined');
  const digits = Object.is(value, -0) ? '-0' : String(value);
  const cell = element('td', { className: 'number', 'data-value': digits, title: digits }, numberText(value));
  if (value < 0) cell.classList.add('negative');
  return cell;
}

function headCell(...children) {
  return element('th', { scope: 'row' }, ...children);
}

function fill(id, rows) {
  document.querySelector(`#${id} tbody`).replaceChildren(...rows.map((cells) => element('tr', {}, ...cells)));
}

