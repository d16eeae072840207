// The list of documents: moved by pointer or keyboard, with grades and scores to change.

function documentRow(docs, at) {
  const { id, grade, score } = docs[at];
  const [first, last] = ranksOf(docs, at);
  const ranks = first === last ? `${first}` : `${first}–${last}`;
  const button = (part, label, text, disabled) =>
    element('button', { type: 'button', className: part, 'data-part': part, 'aria-label': label, title: label, disabled }, text);
  const grades = [['', 'unjudged'], ...Array.from({ length: choices.highest_grade + 1 }, (_, own) => [String(own), String(own)])];
  const select = element('select', { 'data-part': 'grade', 'aria-label': `Grade of ${id}` },
    ...grades.map(([value, text]) => element('option', { value, selected: value === String(grade ?? '') }, text)));
  const input = element('input', { type: 'text', inputMode: 'decimal', 'data-part': 'score', 'aria-label': `Score of ${id}`, value: String(score) });
  input.autocomplete = 'off';
  const row = element('li', { className: 'row', 'data-id': id },
    button('grip', `Move ${id}, now at rank ${ranks}: drag, or press the up or down arrow`, '⠿'),
    element('span', { className: 'rank' }, element('span', { className: 'hidden' }, 'rank '), ranks),
    element('span', { className: 'id' }, element('span', { className: 'hidden' }, 'document '), id),
    select, input,
    element('span', { className: 'ends' },
      button('up', `Move ${id} up`, '↑', at === 0), button('down', `Move ${id} down`, '↓', at === docs.length - 1),
      button('remove', `Remove ${id}`, '✕', docs.length === 1)));
  if (first !== last) row.classList.add('tied');
  if (first === last || last === at + 1) row.classList.add('end');
  row.dataset.grade = grade ?? 'unjudged';
  return row;
}

// Shows the list. The focus stays on the same part of the same document, if both are still there.
function showDocuments(docs) {
  const list = document.getElementById('documents');
  const [id, part] = [list.querySelector('li:focus-within')?.dataset.id, document.activeElement?.dataset?.part];
  list.replaceChildren(...docs.map((_, at) => documentRow(docs, at)));
  document.getElementById('add').disabled = docs.length === LETTERS.length;
  if (id) focusOn(id, part);
}

function focusOn(id, part) {
  const own = document.querySelector(`#documents li[data-id="${id}"]`);
  const wanted = own?.querySelector(`[data-part="${part}"]`);
  (wanted?.disabled ? own.querySelector('.grip') : wanted)?.focus();
}

function moveTo(id, to) {
  const from = state.docs.findIndex((own) => own.id === id);
  if (from === to || to < 0 || to >= state.docs.length) return;
  change({ docs: moved(state.docs, from, to) }, `Document ${id} moved to rank ${to + 1}.`);
}

function listenToDocuments() {
  const list = document.getElementById('documents');
  const at = (event) => {
    const id = event.target.closest('li')?.dataset.id;
    return [id, state.docs.findIndex((own) => own.id === id), event.target.closest('[data-part]')?.dataset.part];
  };
  list.addEventListener('click', (event) => {
    const [id, rank, part] = at(event);
    if (part === 'up') moveTo(id, rank - 1);
    if (part === 'down') moveTo(id, rank + 1);
    if (part === 'remove') {
      change({ docs: state.docs.toSpliced(rank, 1) }, `Document ${id} removed.`);
      focusOn(state.docs[Math.min(rank, state.docs.length - 1)].id, 'remove');
    }
  });
  list.addEventListener('keydown', (event) => {
    const [id, rank, part] = at(event);
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!id || !step || !(event.altKey || part === 'grip')) return;
    event.preventDefault();
    moveTo(id, rank + step);
  });
  list.addEventListener('change', (event) => {
    const [id, rank, part] = at(event);
    const own = state.docs[rank];
    if (part === 'grade') {
      const grade = event.target.value === '' ? null : Number(event.target.value);
      change({ docs: state.docs.with(rank, { ...own, grade }) }, `Document ${id} is ${grade === null ? 'unjudged' : `of grade ${grade}`}.`);
    }
    if (part === 'score') {
      const score = numberOf(event.target.value);
      if (score === null) {
        tell(`“${event.target.value}” is not a number, so the score of ${id} is still ${own.score}.`);
        event.target.value = String(own.score);
      } else {
        change({ docs: sorted(state.docs.with(rank, { ...own, score })) }, `Document ${id} has the score ${score}.`);
      }
    }
  });
  listenToPointer(list);
}

// A row follows the pointer that took its handle. Escape, or a lost pointer, leaves the list as it was.
function listenToPointer(list) {
  let dragged = null;
  const drop = (keep) => {
    if (!dragged) return;
    const { row } = dragged;
    const [id, to] = [row.dataset.id, [...list.children].indexOf(row)];
    dragged = null;
    row.classList.remove('dragged');
    if (keep) moveTo(id, to);
    showDocuments(state.docs);
  };
  list.addEventListener('pointerdown', (event) => {
    const grip = event.target.closest('.grip');
    if (!grip || event.button !== 0) return;
    grip.setPointerCapture(event.pointerId);
    dragged = { row: grip.closest('li'), grip };
    dragged.row.classList.add('dragged');
  });
  list.addEventListener('pointermove', (event) => {
    if (!dragged) return;
    const { row, grip } = dragged;
    const others = [...list.children].filter((other) => other !== row);
    const middle = (other) => (other.getBoundingClientRect().top + other.getBoundingClientRect().bottom) / 2;
    const before = others.find((other) => event.clientY < middle(other)) ?? null;
    if (row.nextElementSibling === before) return;
    list.insertBefore(row, before);
    if (!grip.hasPointerCapture(event.pointerId)) grip.setPointerCapture(event.pointerId);
  });
  list.addEventListener('pointerup', () => drop(true));
  list.addEventListener('pointercancel', () => drop(false));
  document.addEventListener('keydown', (event) => { if (event.key === 'Escape') drop(false); });
}

