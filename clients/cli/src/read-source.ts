/** A source as far as a scan without a parser understands it. Places are counted in characters. */
export interface ReadSource {
  /** The text with comments and the insides of strings blanked out; every place is where it was. */
  readonly code: string;
  readonly lineAt: (at: number) => number;
  /** What is imported by name from the module. */
  readonly imports: readonly { readonly name: string; readonly local: string; readonly at: number }[];
  /** Members of a name that are used, but for members of members. */
  readonly membersOf: (local: string) => readonly { readonly name: string; readonly at: number }[];
  /** Exported functions of a name. */
  readonly handlers: (name: string) => readonly { readonly from: number; readonly body: string }[];
}

/** @param module whose imports are wanted */
export function readSource(text: string, module: string): ReadSource {
  const code = blanked(text);
  return {
    code,
    lineAt: (at) => text.slice(0, at).split('\n').length,
    imports: importsOf(text, code, module),
    membersOf: (local) =>
      [
        ...code.matchAll(
          new RegExp(String.raw`(?<![\w$.])${local.replaceAll('$', '\\$')}\s*\??\.\s*([A-Za-z_$][\w$]*)`, 'g'),
        ),
      ].map(({ 1: name, index }) => ({ name: name!, at: index })),
    handlers: (name) =>
      [
        ...code.matchAll(
          new RegExp(String.raw`\bexport\s+(?:async\s+)?(?:function\s+${name}\b|const\s+${name}\b)`, 'g'),
        ),
      ]
        // A module exports one; more are other ways to call it.
        .slice(0, 10)
        .map(({ index, 0: head }) => bodyAfter(code, index + head.length)),
  };
}

/** Strings, templates and comments of JavaScript, each as a whole; also what is opened and never closed. */
const quiet =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:\\[\s\S]|[^'\\\n])*'?|"(?:\\[\s\S]|[^"\\\n])*"?|`(?:\\[\s\S]|[^`\\])*`?/g;

const isClosed = (part: string): boolean =>
  part.startsWith('//') || (part.startsWith('/*') ? part.endsWith('*/') : /^(.)[\s\S]*\1$/.test(part));

/** How often what stands behind an opening that nothing closes is read anew. A text could be made of nothing else. */
const openingsMax = 20;

const blanked = (text: string, openings = 0): string =>
  text.replace(quiet, (part) => {
    // An apostrophe between words, perhaps: what is behind it counts for itself.
    if (!isClosed(part)) return openings === openingsMax ? part : part.charAt(0) + blanked(part.slice(1), openings + 1);
    const inside = part.slice(1, -1).replace(/[^\n]/g, ' ');
    return part.startsWith('/') ? part.replace(/[^\n]/g, ' ') : part.charAt(0) + inside + part.charAt(0);
  });

function importsOf(text: string, code: string, module: string): ReadSource['imports'] {
  return [...code.matchAll(/\bimport\s+(?!type\b)(?:[\w$]+\s*,\s*)?\{([^{}]*)\}\s*from\s*(['"])/g)].flatMap((found) => {
    const behind = found.index + found[0].length;
    // The text between the quotes is blank in the code.
    if (text.slice(behind, behind + module.length + 1) !== module + found[2]) return [];
    const list = found.index + found[0].indexOf('{') + 1;
    return [...found[1]!.matchAll(/(?:^|,)\s*(?!type\s)([A-Za-z_$][\w$]*)(?:\s+as\s+([A-Za-z_$][\w$]*))?/g)].map(
      ({ 0: whole, 1: name, 2: local, index }) => ({
        name: name!,
        local: local ?? name!,
        at: list + index + whole.indexOf(name!),
      }),
    );
  });
}

/** The text in the braces behind a function's parameters. */
function bodyAfter(code: string, from: number): { from: number; body: string } {
  const parameters = code.indexOf('(', from);
  const behind = parameters === -1 ? from : closing(code, parameters, '(', ')');
  const open = code.indexOf('{', behind);
  return open === -1
    ? { from: behind, body: '' }
    : { from: open, body: code.slice(open, closing(code, open, '{', '}')) };
}

/** Where what opens at a place closes; the end, where it does not. */
function closing(code: string, at: number, opens: string, closes: string): number {
  let depth = 0;
  for (let place = at; place < code.length; place += 1) {
    if (code[place] === opens) depth += 1;
    if (code[place] === closes && (depth -= 1) === 0) return place;
  }
  return code.length;
}
