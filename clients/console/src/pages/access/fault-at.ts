import type { EditorFault } from '../../design/editor-props.ts';

/**
 * Where in the text of a manifest a finding lies.
 *
 * @param path as findings give it, for example `manifest.tables[2].owner_column`
 * @returns offsets of the entry or member; the beginning where the text has no such place
 */
export function faultAt(text: string, path: string, message: string): EditorFault {
  const steps = [...path.replace(/^manifest/, '').matchAll(/\.(\w+)|\[(\d+)\]/g)].map(
    ([, name, index]) => name ?? Number(index),
  );
  let at = skipBlanks(text, 0);
  for (const step of steps) {
    const next = typeof step === 'number' ? elementAt(text, at, step) : memberAt(text, at, step);
    if (next === undefined) break;
    at = next;
  }
  return { from: at, to: Math.min(endOf(text, at), lineEnd(text, at)), message };
}

const lineEnd = (text: string, at: number) => {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
};

function skipBlanks(text: string, at: number): number {
  while (/[\s,:]/.test(text[at] ?? '')) at += 1;
  return at;
}

/** The end of the value that begins at an offset. */
function endOf(text: string, at: number): number {
  if (text[at] === '"') {
    let end = at + 1;
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    return Math.min(end + 1, text.length);
  }
  if (text[at] !== '{' && text[at] !== '[') return at + (/^[^\s,\]}]+/.exec(text.slice(at))?.[0].length ?? 0);
  let end = skipBlanks(text, at + 1);
  while (end < text.length && text[end] !== '}' && text[end] !== ']') {
    const next = skipBlanks(text, endOf(text, end));
    if (next <= end) return text.length;
    end = next;
  }
  return Math.min(end + 1, text.length);
}

function elementAt(text: string, list: number, index: number): number | undefined {
  if (text[list] !== '[') return undefined;
  let at = skipBlanks(text, list + 1);
  for (let left = index; left > 0; left -= 1) {
    if (at >= text.length || text[at] === ']') return undefined;
    at = skipBlanks(text, endOf(text, at));
  }
  return text[at] === ']' ? undefined : at;
}

function memberAt(text: string, object: number, name: string): number | undefined {
  if (text[object] !== '{') return undefined;
  let at = skipBlanks(text, object + 1);
  while (at < text.length && text[at] === '"') {
    const end = endOf(text, at);
    const value = skipBlanks(text, end);
    if (text.slice(at, end) === JSON.stringify(name)) return value;
    at = skipBlanks(text, endOf(text, value));
  }
  return undefined;
}
