// The page: its choices, its examples, and the address that holds its state.

let state = FIRST;
let randomOrders = 0;

const PRESETS = [
  ['Perfect order', 'The highest grades come first.', (docs) => ranked(ideal(docs))],
  ['Reversed', 'The lowest grades come first.', (docs) => ranked(ideal(docs).toReversed())],
  ['Random order', 'A random order.', (docs) => ranked(ask({ order: { documents: docs.length, number: ++randomOrders } }).map((row) => docs[row]))],
  ['Ties', 'Pairs of documents have equal scores.', (docs) => docs.map((own, rank) => ({ ...own, score: rounded(Math.ceil((docs.length - rank) / 2) / 10) }))],
  ['All irrelevant', 'All grades are 0.', (docs) => docs.map((own) => ({ ...own, grade: 0 }))],
  ['First list', 'The list that the page began with.', () => FIRST.docs],
];

// Says it to those who look, and to those who listen.
function tell(text, problem = true) {
  const shown = document.getElementById('problem');
  shown.hidden = !problem;
  shown.textContent = problem ? text : '';
  document.getElementById('status').textContent = problem ? '' : text;
}

// Shows a state. An error leaves the page as it was.
function show(next) {
  const { docs: documents, k: cutoff, dialect, measure, version } = next;
  const answer = ask({ values: { documents, dialect, measure, version, cutoff } });
  state = next;
  showDocuments(state.docs);
  showAnswer(answer);
  for (const id of ['dialect', 'measure', 'version']) document.getElementById(id).value = state[id];
  const cutoffs = document.getElementById('cutoff');
  const own = [...new Set([...state.docs.keys()].map((rank) => rank + 1).concat(10, 20, state.k ?? 1))].sort((one, other) => one - other);
  cutoffs.replaceChildren(...[...own, null].map((k) => element('option', { value: k ?? 'all', selected: k === state.k }, k === null ? 'whole list' : String(k))));
  document.getElementById('link').href = fragmentOf(state);
  return answer;
}

// A change by the user: a new entry of the history.
function change(part, told) {
  const answer = show({ ...state, ...part });
  const { measure, values } = answer.measures.find((row) => row.measure.split('@')[0] === state.measure);
  const { value } = values[VERSIONS.findIndex(([word]) => word === state.version)];
  tell(`${told} ${labelOf(answer.chosen || measure)} is ${value === null ? 'undefined' : numberText(value)}.`, false);
  location.hash = fragmentOf(state);
}

// The state that the address holds.
function showAddress() {
  if (fragmentOf(state) === location.hash && !document.getElementById('page').hidden) return;
  try {
    show(stateOf(location.hash));
    tell('', false);
  } catch (error) {
    show(FIRST);
    tell(`The link cannot be read: ${error.message}. The page shows its first list instead.`);
  }
}

function listenToChoices() {
  const options = (id, entries) => document.getElementById(id).append(...entries.map(([value, text]) => element('option', { value }, text)));
  options('dialect', choices.dialects.map((name) => [name, name]));
  options('measure', choices.measures.map((name) => [name, MEASURES[name]]));
  options('version', VERSIONS);
  for (const id of ['dialect', 'measure', 'version']) {
    document.getElementById(id).addEventListener('change', (event) => change({ [id]: event.target.value }, `The ${id} is ${event.target.selectedOptions[0].text}.`));
  }
  document.getElementById('cutoff').addEventListener('change', (event) => {
    const k = event.target.value === 'all' ? null : Number(event.target.value);
    change({ k }, k === null ? 'The whole list counts.' : `The cutoff is ${k}.`);
  });
  document.getElementById('add').addEventListener('click', () => {
    const docs = withOneMore(state.docs);
    const id = docs.find(({ id: own }) => state.docs.every((other) => other.id !== own)).id;
    change({ docs }, `Document ${id} added.`);
  });
  document.getElementById('presets').append(...PRESETS.map(([name, told, made]) => {
    const button = element('button', { type: 'button', title: told }, name);
    button.addEventListener('click', () => change({ docs: made(state.docs) }, told));
    return button;
  }));
}

(async () => {
  try {
    await loadLibrary();
    choices = ask({ choices: null });
    listenToChoices();
    listenToDocuments();
    showAddress();
    document.getElementById('page').hidden = false;
    addEventListener('hashchange', showAddress);
    // For scripts of teachers and tests: shows the state of a fragment, as a link does, without an entry of the history.
    window.playground = { show: (fragment) => { show(stateOf(fragment)); } };
    document.documentElement.dataset.ready = 'true';
  } catch (error) {
    tell(`This browser cannot run the page: ${error.message}. A browser of 2023 or later can.`);
  }
})();
