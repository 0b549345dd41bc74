import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FailureReport, fingerprintOf } from '../../../engines/fingerprints/fingerprint.ts';

const report = (over: Partial<FailureReport> = {}): FailureReport => ({
  function: 'checkout',
  kind: 'uncaught',
  name: 'TypeError',
  message: 'no price for plan 7',
  stack: 'at quotePlan (a.js:1:1)',
  ...over,
});

const idOf = (over: Partial<FailureReport> = {}) => fingerprintOf(report(over)).fingerprintId;

test('an identity is made of the kind, the name, the template and the frames, and of nothing else', () => {
  expect(idOf()).toBe(`fp_${knownDigest}`);
  for (const same of [{ function: 'cron' }, { message: 'no price for plan 99' }, { stack: 'at quotePlan (b.js:7:9)' }])
    expect(idOf(same)).toBe(idOf());
  const others = [
    { kind: 'boot_crash' as const },
    { name: 'Error' },
    { message: 'no plan' },
    { stack: 'at other (a.js:1:1)' },
  ];
  expect(new Set([idOf(), ...others.map(idOf)]).size).toBe(5);
});

// Stored rows are found by it: what changes it makes every failure there is a new one.
const knownDigest = '092415517dc72243';

test('where nothing is known, the function is the identity', () => {
  const bare = { name: undefined, message: undefined, stack: undefined };
  expect(fingerprintOf(report(bare))).toMatchObject({ quality: 'coarse', errorName: 'CustomError', stableFrames: [] });
  expect(idOf({ ...bare, function: 'cron' })).not.toBe(idOf(bare));
  expect(idOf({ ...bare, kind: 'boot_crash' })).not.toBe(idOf(bare));
});

test.each([
  ['TypeError', 'uncaught', 'TypeError'],
  ['PaymentError', 'uncaught', 'CustomError'],
  ['Pt', 'uncaught', 'CustomError'],
  ['FunctionTimeout', 'invoke_failed', 'FunctionTimeout'],
  ['Bad name!', 'invoke_failed', 'CustomError'],
  [undefined, 'uncaught', 'RangeError'],
  ['', 'uncaught', 'CustomError'],
] as const)('the name %s of %s is told as %s', (name, kind, told) => {
  const stack = 'RangeError: no price for plan 7\n    at quotePlan (a.js:1:1)';
  expect(fingerprintOf(report({ name, kind, stack })).errorName).toBe(told);
});

test('a message that looks like a stack is none', () => {
  const message = 'failed\n    at somewhere (a.js:1:1)';
  const { stableFrames } = fingerprintOf(report({ message, stack: `Error: ${message}\n    at real (b.js:1:1)` }));
  expect(stableFrames).toEqual(['real']);
});

test.each([
  ['{"code":"NO_STOCK","id":1}', '<n> NO_STOCK', 'message_only'],
  ['{"error":"no stock"}', '<n> no stock', 'message_only'],
  ['{"message":"item 12 is gone"}', '<n> item <n> is gone', 'message_only'],
  ['{"items":[]}', '', 'coarse'],
  ['<html>', '', 'coarse'],
  ['null', '', 'coarse'],
])('an answer of %s is known as %j', (body, template, quality) => {
  const answer = {
    name: undefined,
    message: undefined,
    stack: undefined,
    kind: 'handled_5xx' as const,
    status: 503,
    body,
  };
  expect(fingerprintOf(report(answer))).toMatchObject({ messageTemplate: template, quality });
});

const hostile = [
  ['one word', 'a'],
  ['an unfinished address', 'a@'],
  ['quotes', '"'],
  ['apostrophes', `'a`],
  ['opening braces', '{'],
  ['nested lists', '['],
  ['colons', 'a:'],
  ['dots', '.'],
  ['digits', '1'],
  ['hyphens', '-1'],
  ['schemes', 'a://'],
  ['bytes', '0a '],
  ['frames without an end', '\nat a ('],
  ['places', '\n@a'],
  ['backslashes', '\\'],
  ['JSON that is almost one', '{"a":'],
  ['a token of JSON', `Unexpected token 'a', "`],
] as const;

test.each(hostile)(
  'a megabyte of %s is read as far as its bounds, by a number of steps that they set',
  (_case, part) => {
    const text = part.repeat(Math.ceil(1_048_576 / part.length));
    const whole = fingerprintOf(report({ message: text, stack: text }));
    // What lies beyond the bounds is not looked at.
    const beginning = fingerprintOf(report({ message: text.slice(0, 300_000), stack: text.slice(0, 300_000) }));
    expect(whole).toEqual(beginning);
  },
);

test.each([
  ['a NUL that JSON spells', 'failed: {"code":"\\u0000x"}'],
  ['half a character that JSON spells', 'failed: {"code":"\\ud83d"}'],
  ['a character that the bound cuts in two', `'${'a b'.repeat(1_364)}' \u{1f600}`],
])('what is shown of %s can be stored', (_case, message) => {
  const { messageTemplate } = fingerprintOf(report({ message, stack: `Error\n    at ${'x'.repeat(1_000)}\u{1f600}` }));
  expect(messageTemplate).not.toContain('\0');
  expect(messageTemplate.isWellFormed()).toBe(true);
});

test('errors inside errors are followed for a few levels, however deep they go', () => {
  const deep = `${'{"error":'.repeat(10_000)}{"code":"in"}${'}'.repeat(10_000)}`;
  const response = { kind: 'handled_5xx', status: 500, body: deep, message: undefined, stack: undefined } as const;
  expect(fingerprintOf(report(response)).messageTemplate).not.toContain('in');
  const near = '{"error":{"error":{"code":"in"}}}';
  expect(fingerprintOf(report({ ...response, body: near })).messageTemplate).toBe('<n> in');
});

test('any report has an identity, the same each time, and what it shows can be stored', () => {
  const text = fc.option(fc.string({ unit: 'binary', maxLength: 300 }), { nil: undefined });
  fc.assert(
    fc.property(text, text, text, (name, message, stack) => {
      const found = fingerprintOf(report({ name, message, stack }));
      expect(found).toEqual(fingerprintOf(report({ name, message, stack })));
      expect(found.fingerprintId).toMatch(/^fp_[0-9a-f]{16}$/);
      for (const shown of [found.errorName, found.messageTemplate, ...found.stableFrames]) {
        expect(shown.includes('\0')).toBe(false);
        expect(shown.isWellFormed()).toBe(true);
      }
      expect(found.stableFrames.length).toBeLessThanOrEqual(3);
    }),
  );
});
