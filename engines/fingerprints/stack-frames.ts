/** Characters of a stack that are looked at, and lines: what is further down is not among the first frames. */
const stackMax = 65_536;
const lineMax = 1_024;
const linesMax = 200;

/** How many frames tell causes apart. Contract 02, section 4.1. */
export const framesKept = 3;

/**
 * Names of the functions that a stack shows, the innermost first: those that a developer has named and that are not the
 * runtime's. No line or column, path or build is left in them. Reads what V8, SpiderMonkey and JavaScriptCore write,
 * and bare names.
 *
 * @param stack of any length, one frame per line
 */
export function frameNames(stack: string): readonly string[] {
  const names: string[] = [];
  const text = stack.length > stackMax ? stack.slice(0, stackMax) : stack;
  let lines = 0;
  for (let at = 0; at < text.length && lines < linesMax; lines++) {
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    // Cut lines may end in half a character.
    const name = frameName(
      text
        .slice(at, Math.min(end, at + lineMax))
        .toWellFormed()
        .trim(),
    );
    // How deep a recursion went is no part of the cause.
    if (name !== undefined && name !== names.at(-1)) names.push(name);
    at = end + 1;
  }
  return names;
}

/**
 * The frames that tell a cause: the first ones. Where the stack itself was used up, which function was the last is
 * chance: there it is those that call each other.
 */
export function stableFrames(names: readonly string[], exhausted: boolean): readonly string[] {
  if (!exhausted) return names.slice(0, framesKept);
  const top = names.slice(0, 12);
  const repeated = top.filter((name, at) => top.indexOf(name) !== at);
  const cycle = new Set(repeated.length > 0 ? repeated : top.slice(0, 1));
  return [...cycle].sort().slice(0, framesKept);
}

function frameName(line: string): string | undefined {
  if (line === '') return undefined;
  const frame = /^at\s/.test(line) ? ofV8(line.slice(3).trim()) : ofOthers(line);
  return frame === undefined || isRuntimes(frame.location) ? undefined : cleaned(frame.name);
}

interface Frame {
  readonly name: string;
  readonly location: string;
}

/** `async Foo.bar [as baz] (file:1:2)`, `new Foo (…)`, `file:1:2`. */
function ofV8(text: string): Frame | undefined {
  const rest = text.startsWith('async ') ? text.slice(6) : text;
  const open = rest.indexOf(' (');
  if (open === -1)
    return /[:/\\]/.test(rest) && /:\d+|^(?:file|node|https?|wasm|webpack)/.test(rest)
      ? undefined
      : { name: rest, location: '' };
  return { name: rest.slice(0, open), location: rest.slice(open + 2).replace(/\)$/, '') };
}

/** `foo@file:1:2`, `async*foo@…`, `outer/inner@…`; or a name alone. */
function ofOthers(line: string): Frame | undefined {
  const at = line.lastIndexOf('@', line.indexOf('://') === -1 ? line.length : line.indexOf('://'));
  if (at === -1) {
    // A header such as `TypeError: …` is no frame; a name alone is one.
    return /^[\p{L}_$#][\p{L}\p{N}_$#.<>]{0,160}$/u.test(line) ? { name: line, location: '' } : undefined;
  }
  const name = line.slice(0, at);
  if (
    /\s/.test(
      name.replace(/^(?:promise callback|setTimeout handler|setInterval handler|EventListener\.handleEvent)\*/, ''),
    ) &&
    !/^(?:global|eval|module) code$/.test(name)
  )
    return undefined;
  return { name, location: line.slice(at + 1) };
}

const isRuntimes = (location: string) =>
  /^(?:node:|internal\/|native$|<anonymous>$|\[native code\]|ext:|deno:|bun:|chrome-extension:|moz-extension:)|\/svc-runtime\//.test(
    location,
  );

/** Made by compilers and bundlers, or the runtime's own: in every stack, whatever the cause. */
const wrappers = new Set([
  '__awaiter',
  '__async',
  '__generator',
  '__webpack_require__',
  '__webpack_exec__',
  '__require',
  '__esm',
  '__commonJS',
  '__toESM',
  '_asyncToGenerator',
  'asyncGeneratorStep',
  '_next',
  '_throw',
  'step',
  'fulfilled',
  'rejected',
  'tryCatch',
  'invoke',
  'Generator.next',
  'Generator.throw',
  'Promise.all',
  'Promise.any',
  'Promise.allSettled',
  'Promise.race',
  'Promise.then',
  'Promise',
  'eval',
  'global code',
  'module code',
  'eval code',
  'processTicksAndRejections',
  'process.processTicksAndRejections',
  'runMicrotasks',
  'anonymous',
  'Module._compile',
  'require',
]);

/** What a module or a global object lends to the names of its functions. */
const receivers =
  /^(?:(?:Object|Module|exports|module\.exports|global|globalThis|window|self|Function|Timeout|Immediate|undefined|null)\.)+/;

function cleaned(given: string): string | undefined {
  let name = given
    .replace(/ \[as [^\]]{0,200}\]$/, '')
    .replace(
      /^(?:async\*|promise callback\*|setTimeout handler\*|setInterval handler\*|EventListener\.handleEvent\*)+/,
      '',
    );
  name = name.replace(/^(?:new|async|get|set|static) /, '');
  // SpiderMonkey names the functions around it, too.
  if (name.includes('/')) name = name.slice(name.lastIndexOf('/') + 1);
  if (name.endsWith('<') || wrappers.has(name) || name.startsWith('__svc')) return undefined;
  name = name
    .replace(receivers, '')
    .replace(/\$\d+$/, '')
    .replace(/\.(?:get|set) /, '.');
  const parts = name.split('.');
  const own = parts.at(-1)!;
  if (own === '' || own.includes('<anonymous>') || isMinified(own) || wrappers.has(name)) return undefined;
  // A minified object lends its methods nothing that lasts.
  while (parts.length > 1 && (isMinified(parts[0]!) || parts[0] === '<anonymous>')) parts.shift();
  const kept = parts.join('.');
  return kept.length > 120 || /\s/.test(kept) ? undefined : kept;
}

/** One or two letters, or what obfuscators write. */
const isMinified = (name: string) => /^(?:[#_$]?[A-Za-z0-9$_]{1,2}|_0x[0-9a-f]+)$/.test(name);
