import { type Attack, attacks } from './attack.ts';

/** Sends a message as the runtime would, with any head and lengths. */
const forge = `
  const send = (id, head, { body = Buffer.alloc(0), length, headLength } = {}) => {
    const text = Buffer.from(typeof head === 'string' ? head : JSON.stringify(head)); const start = Buffer.alloc(12);
    start.writeUInt32LE(length ?? 8 + text.length + body.length, 0); start.writeUInt32LE(id, 4); start.writeUInt32LE(headLength ?? text.length, 8);
    require('fs').writeSync(3, Buffer.concat([start, text, body]));
  };
  const forever = () => new Promise((resolve) => setTimeout(resolve, 60_000));`;

const forged = (rows: Readonly<Record<string, string>>): Attack[] =>
  attacks(
    /^failure crashed It broke the rules of its box\./,
    Object.fromEntries(Object.entries(rows).map(([name, code]) => [name, `${forge} ${code}; await forever();`])),
  );

/** Attacks that end a process, or its call: each has a process of its own. */
export const fatalAttacks: readonly Attack[] = [
  ...forged({
    'forge a message of random bytes': `require('fs').writeSync(3, Buffer.alloc(64, 0xff))`,
    'forge a message that is shorter than its head': `send(1, '{}', { length: 4, headLength: 100 })`,
    'forge a head without end': `send(1, '{}', { length: 2 ** 31, headLength: 2 ** 30 })`,
    'forge a body without end': `send(1, { type: 'piece' }, { length: 2 ** 31 })`,
    'forge a head that is no JSON': `send(1, 'hello')`,
    'forge a head that is no object': `send(1, '[1]')`,
    'forge a deeply nested head': `send(1, '['.repeat(30_000) + ']'.repeat(30_000))`,
    'forge a message of an unknown kind': `send(1, { type: 'shutdown' })`,
    'forge a message with a prototype': `send(1, '{"__proto__":{"type":"end"}}')`,
    'forge an answer to a call of another': `send(77, { type: 'end' })`,
    'forge an end without a beginning': `send(1, { type: 'end' })`,
    'forge an answer to no call': `send(0, { type: 'head', status: 200, headers: [] })`,
    'forge that it is ready again': `send(0, { type: 'ready' })`,
    'forge an impossible status': `send(1, { type: 'head', status: 999, headers: [] })`,
    'forge a header with a line end': `send(1, { type: 'head', status: 200, headers: [['a', 'b\\r\\nc: d']] })`,
    'forge a thousand headers': `send(1, { type: 'head', status: 200, headers: Array(1000).fill(['a', 'b']) })`,
    'forge two beginnings': `const head = { type: 'head', status: 200, headers: [] }; send(1, head); send(1, head)`,
  }),
  ...attacks(/^failure crashed /, {
    'end its process': 'process.exit(0);',
    'end its process at once': 'process.reallyExit(0);',
    'abort its process': 'process.abort();',
    'throw where nothing catches': `setTimeout(() => { throw { get message() { throw 1; }, toString() { throw 2; } }; }); await new Promise((r) => setTimeout(r, 60_000));`,
    'leave a rejection alone': `Promise.reject(null); await new Promise((r) => setTimeout(r, 60_000));`,
  }),
  ...attacks(/^failure out_of_memory$/, {
    'fill its heap': 'const all = []; for (;;) all.push({ a: [at => at] });',
    'fill its heap past a bound it lifts itself': `require('v8').setFlagsFromString('--max-old-space-size=8192'); const all = []; for (;;) all.push(new Array(1000).fill(0));`,
  }),
  ...attacks(/^failure timeout$/, {
    'block the event loop': 'for (;;);',
    'block the event loop by microtasks':
      'const again = () => Promise.resolve().then(again); again(); await new Promise(() => {});',
    'block the event loop by ticks':
      'const again = () => process.nextTick(again); again(); await new Promise(() => {});',
    'block the event loop by an expression': `return /^(a+)+$/.test('a'.repeat(60) + 'b');`,
    'sleep for ever': 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);',
    'answer never': 'await new Promise(() => {});',
    'answer without an end': 'return new Response(new ReadableStream({}));',
    'ignore every signal and error': `process.on('uncaughtException', () => {}); process.on('SIGTERM', () => {}); for (;;);`,
  }),
  ...attacks(/^failure (crashed|timeout)/, {
    'close its channel': `require('fs').closeSync(3); await new Promise(() => {});`,
  }),
  ...attacks(/^failure too_large$/, {
    'answer with headers of 10 MiB': `return new Response('x', { headers: { a: 'b'.repeat(10 << 20) } });`,
    'answer with a thousand headers': `const headers = new Headers(); for (let at = 0; at < 1000; at++) headers.append('x-' + at, 'y'); return new Response('x', { headers });`,
    'answer with more than it may': `return new Response(Buffer.alloc((6 << 20) + 1));`,
    'answer with pieces without end': `return new Response(new ReadableStream({ pull(c) { c.enqueue(Buffer.alloc(1 << 18)); } }));`,
  }),
  ...attacks(/^failure threw$/, {
    'answer with what is no answer': 'return Object.create(Response.prototype);',
    'answer with a body of other things': 'return new Response(new ReadableStream({ start(c) { c.enqueue({}); } }));',
    'answer with a switch of protocols': 'return new Response(null, { status: 101 });',
    'answer with a body that fails': `return new Response(new ReadableStream({ pull() { throw new Error('broken'); } }));`,
  }),
  ...attacks(/^(value |failure (crashed|threw|timeout|too_large))/, {
    'print without a line end': `process.stdout.write('x'.repeat(20 << 20)); return new Response('printed');`,
    'print without an end': `const line = 'x'.repeat(1000); for (let at = 0; at < 20_000; at++) console.log(line); return new Response('printed');`,
    'print in the name of another call': `require('fs').writeSync(1, '\\u001e99\\u001fforged\\n'); return new Response('printed');`,
    'print below the runtime': `const fs = require('fs'); for (let at = 0; at < 2_000; at++) try { fs.writeSync(1, 'x'.repeat(10_000)); } catch {} return new Response('printed');`,
    'take its output away': `require('fs').closeSync(1); require('fs').closeSync(2); console.log('x'); return new Response('x');`,
    'change the prototype of all objects': `Object.prototype.type = 'end'; Object.prototype.status = 700; Object.prototype.then = (f) => f(1); return new Response('x');`,
    'change the prototype of all lists': `Array.prototype.push = () => { throw 1; }; Array.prototype[Symbol.iterator] = function* () { yield ['a\\r\\n', 'b']; }; return new Response('x');`,
    'change how JSON is written': `JSON.stringify = () => '{"type":"head","status":1}'; return new Response('x');`,
    'change how promises go on': `Promise.prototype.then = () => { throw 1; }; return new Response('x');`,
    'change what an answer is': `Object.defineProperty(Response.prototype, 'status', { get: () => 'evil' }); return new Response('x');`,
    'take the process away': `globalThis.process = undefined; globalThis.Buffer = undefined; globalThis.setImmediate = undefined; return new Response('x');`,
  }),
];
