// The library of measures: WebAssembly, packed in the page.

let library;

async function loadLibrary() {
  const packed = Uint8Array.from(atob(document.getElementById('library').textContent.trim()), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  const bytes = await new Response(unpacked).arrayBuffer();
  library = (await WebAssembly.instantiate(bytes)).instance.exports;
}

// The answer of the library to a question; both are JSON. Calls may move the memory, so it is looked up after each.
function ask(question) {
  const bytes = new TextEncoder().encode(JSON.stringify(question));
  const at = library.reserve(bytes.length);
  new Uint8Array(library.memory.buffer, at, bytes.length).set(bytes);
  const length = library.answer();
  const answer = JSON.parse(new TextDecoder().decode(new Uint8Array(library.memory.buffer, library.address(), length)));
  if (answer.error) throw new Error(answer.error);
  return answer;
}

