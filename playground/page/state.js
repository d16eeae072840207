// The state of the page: documents in ranked order, and the choices. It is a value that is never changed, and the fragment of
// the address holds it: #k=5&dialect=paper&measure=ndcg&version=original&docs=A,3,0.9;B,-,0.8

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const HIGHEST_CUTOFF = 1000;
let choices;

const FIRST = {
  k: 5, dialect: 'paper', measure: 'ndcg', version: 'original',
  docs: [['A', 3, 0.9], ['B', 0, 0.8], ['C', 2, 0.7], ['D', null, 0.6], ['E', 1, 0.5], ['F', 0, 0.4], ['G', 2, 0.3], ['H', 0, 0.2]]
    .map(([id, grade, score]) => ({ id, grade, score })),
};

function fragmentOf(state) {
  const docs = state.docs.map(({ id, grade, score }) => `${id},${grade ?? '-'},${score}`).join(';');
  return `#k=${state.k ?? 'all'}&dialect=${state.dialect}&measure=${state.measure}&version=${state.version}&docs=${docs}`;
}

// The state of a fragment; throws an error that says which part cannot be read.
function stateOf(fragment) {
  const state = { ...FIRST };
  const oneOf = (what, word, words) => {
    if (!words.includes(word)) throw new Error(`${what} is “${word}”, and must be one of ${words.join(', ')}`);
    return word;
  };
  for (const part of decodeURIComponent(fragment.replace(/^#/, '')).split('&').filter(Boolean)) {
    const [key, value = ''] = part.split('=');
    if (key === 'k') state.k = value === 'all' ? null : wholeOf(value);
    else if (key === 'dialect') state.dialect = oneOf('dialect', value, choices.dialects);
    else if (key === 'measure') state.measure = oneOf('measure', value, choices.measures);
    else if (key === 'version') state.version = oneOf('version', value, VERSIONS.map(([word]) => word));
    else if (key === 'docs') state.docs = sorted(value.split(';').map(documentOf));
    else throw new Error(`“${key}” is no part of a link of this page`);
  }
  const ids = state.docs.map(({ id }) => id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice) throw new Error(`two documents have the id ${twice}`);
  return state;
}

function wholeOf(text) {
  const k = Number(text);
  if (!/^\d+$/.test(text) || k < 1 || k > HIGHEST_CUTOFF) throw new Error(`the cutoff k is “${text}”, and must be all or a whole number from 1 to ${HIGHEST_CUTOFF}`);
  return k;
}

function documentOf(text) {
  const [id, grade, score, ...more] = text.split(',');
  if (!/^[A-Z]$/.test(id) || score === undefined || more.length) throw new Error(`“${text}” is no document; write a letter, a grade and a score, as in A,3,0.9`);
  const grades = [...Array(choices.highest_grade + 1).keys()].map(String);
  if (grade !== '-' && !grades.includes(grade)) throw new Error(`the grade of ${id} is “${grade}”, and must be ${grades.join(', ')} or - for unjudged`);
  const number = numberOf(score);
  if (number === null) throw new Error(`the score of ${id} is “${score}”, and must be a number`);
  return { id, grade: grade === '-' ? null : Number(grade), score: number };
}

// A finite number; null if the text is none. A decimal comma is read too, and -0 is 0.
function numberOf(text) {
  const number = Number(text.trim().replace('−', '-').replace(/^(-?\d*),(\d+)$/, '$1.$2'));
  return text.trim() === '' || !Number.isFinite(number) ? null : number + 0;
}

// Documents of equal score keep their order.
function sorted(docs) {
  return docs.toSorted((one, other) => other.score - one.score);
}

// The scores stay with the ranks.
function moved(docs, from, to) {
  const scores = docs.map(({ score }) => score);
  const order = docs.toSpliced(from, 1).toSpliced(to, 0, docs[from]);
  return order.map((own, rank) => ({ ...own, score: scores[rank] }));
}

// The documents from the highest grade down; unjudged documents come last.
function ideal(docs) {
  return docs.toSorted((one, other) => (other.grade ?? -1) - (one.grade ?? -1));
}

// The documents in another order, with scores that fall without ties.
function ranked(docs) {
  return docs.map((own, rank) => ({ ...own, score: rounded((docs.length - rank) / 10) }));
}

function rounded(score) {
  return Math.round(score * 1e6) / 1e6;
}

function withOneMore(docs) {
  const id = [...LETTERS].find((letter) => docs.every((own) => own.id !== letter));
  return sorted([...docs, { id, grade: 0, score: rounded(docs.at(-1).score - 0.1) }]);
}

// The ranks that a document has, counted from 1: more than one if its score is not its alone.
function ranksOf(docs, at) {
  const equal = docs.map((own, rank) => (own.score === docs[at].score ? rank + 1 : 0)).filter(Boolean);
  return [equal[0], equal.at(-1)];
}

