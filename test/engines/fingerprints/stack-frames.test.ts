import fc from 'fast-check';
import { expect, test } from 'vitest';
import { frameNames, stableFrames } from '../../../engines/fingerprints/stack-frames.ts';

test.each([
  // V8
  ['at chargeCard (file:///srv/a.js:10:5)', ['chargeCard']],
  ['at async Cart.load (/srv/a.js:10:5)', ['Cart.load']],
  ['at new Widget (/srv/a.js:1:1)', ['Widget']],
  ['at Plan.get price [as price] (/srv/a.js:1:1)', ['Plan.price']],
  ['at Importer.emit [as feed] (/srv/a.js:1:1)', ['Importer.emit']],
  ['at Object.readAll (/srv/a.js:1:1)', ['readAll']],
  ['at Object.<anonymous> (/srv/a.js:1:1)', []],
  ['at /srv/a.js:1:1', []],
  ['at async file:///srv/a.js:1:1', []],
  ['at Array.map (<anonymous>)', []],
  ['at JSON.parse (<anonymous>)', []],
  ['at async Promise.all (index 3)', []],
  ['at process.processTicksAndRejections (node:internal/process/task_queues:95:5)', []],
  ['at readFileSync (node:fs:441:20)', []],
  ['at run (/opt/svc-runtime/run.mjs:3:1)', []],
  ['at rule (eval at compile (/srv/a.js:1:1), <anonymous>:1:8)', ['rule']],
  ['at eval (eval at compile (/srv/a.js:1:1), <anonymous>:1:8)', []],
  ['at t.handleClick (https://x.example/a.js:1:2)', ['handleClick']],
  ['at t.ab (https://x.example/a.js:1:2)', []],
  ['at e (https://x.example/a.js:1:2)', []],
  ['at _0x3fa2b1 (https://x.example/a.js:1:2)', []],
  ['at handler$1 (webpack-internal:///./src/a.js:1:2)', ['handler']],
  ['at __webpack_require__ (webpack:///bootstrap:19:1)', []],
  ['at decode (wasm://wasm/0a1b2c:wasm-function[3]:0x12)', ['decode']],
  ['at wasm://wasm/0a1b2c:wasm-function[3]:0x12', []],
  // SpiderMonkey and JavaScriptCore
  ['chargeCard@https://x.example/a.js:10:5', ['chargeCard']],
  ['async*loadCart@https://x.example/a.js:10:5', ['loadCart']],
  ['promise callback*loadCart@https://x.example/a.js:10:5', ['loadCart']],
  ['openShop/onClick@https://x.example/a.js:10:5', ['onClick']],
  ['openShop/<@https://x.example/a.js:10:5', []],
  ['@https://x.example/a.js:10:5', []],
  ['global code@https://x.example/a.js:1:1', []],
  ['parse@[native code]', []],
  ['load@https://x.example/@scope/a.js:1:1', ['load']],
  // Neither
  ['chargeCard', ['chargeCard']],
  ['TypeError: x is not a function', []],
  ['', []],
  ['at', []],
])('%j shows %j', (line, names) => {
  expect(frameNames(line)).toEqual(names);
});

test('a recursion is one frame, however deep it went', () => {
  const deep = (depth: number) => `at start (a.js:1:1)\n${'at walk (a.js:2:2)\n'.repeat(depth)}at main (a.js:3:3)`;
  expect(frameNames(deep(1))).toEqual(frameNames(deep(40)));
});

test('where the stack was used up, the functions that call each other are told, whichever was the last', () => {
  expect(stableFrames(['leaf', 'branch', 'leaf', 'branch', 'descend'], true)).toEqual(['branch', 'leaf']);
  expect(stableFrames(['helper', 'branch', 'leaf', 'branch', 'leaf'], true)).toEqual(['branch', 'leaf']);
  expect(stableFrames(['a1', 'b1', 'c1', 'd1'], false)).toEqual(['a1', 'b1', 'c1']);
});

const name = fc
  .stringMatching(/^[a-z][A-Za-z]{3,12}$/)
  .filter((one) => frameNames(`at ${one} (a.js:1:1)`).length === 1);

test('lines, columns and places are no part of what a stack shows', () => {
  const place = fc.tuple(
    fc.constantFrom('/srv/', 'https://x.example/', 'file:///app/', 'C:\\app\\'),
    fc.nat(),
    fc.nat(),
  );
  fc.assert(
    fc.property(fc.array(name, { maxLength: 8 }), place, place, (names, one, other) => {
      const stack = ([folder, line, column]: [string, number, number]) =>
        names.map((each) => `    at ${each} (${folder}a.js:${line}:${column})`).join('\n');
      expect(frameNames(stack(one))).toEqual(frameNames(stack(other)));
    }),
  );
});

test('any text is a stack, and what it shows is short', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 80 }), { maxLength: 30 }), (lines) => {
      for (const shown of frameNames(lines.join('\n'))) expect(shown.length).toBeLessThanOrEqual(120);
    }),
  );
});
