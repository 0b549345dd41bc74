import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as cli from '../../clients/cli/src/exact-json.ts';
import * as sdk from '../../clients/sdk/src/exact-json.ts';
import * as core from '../../core/exact-json.ts';

const digits = (most: number) => fc.stringMatching(new RegExp(`^\\d{1,${most}}$`));
/** Numbers as JSON may write them. */
const number = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9]\d{0,24}$/)),
    fraction: fc.option(digits(24)),
    exponent: fc.option(fc.record({ e: fc.constantFrom('e', 'E', 'e+', 'e-'), power: digits(3) })),
  })
  .map(
    ({ sign, whole, fraction, exponent }) =>
      `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : exponent.e + exponent.power}`,
  );

/** A decimal number as a fraction of whole numbers, by another way than the readers'. */
function decimal(text: string): readonly [bigint, number] {
  const [mantissa = '', power = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  let [value, exponent] = [BigInt(whole.replace('-', '') + fraction), Number(power) - fraction.length];
  // `1e-0` would give minus zero.
  exponent ||= 0;
  if (value === 0n) return [0n, 0];
  while (value % 10n === 0n) [value, exponent] = [value / 10n, exponent + 1];
  return [text.startsWith('-') ? -value : value, exponent];
}

test('a number is read as what is written, wherever it is, and no reader rounds', () => {
  fc.assert(
    fc.property(number, fc.string(), (written, text) => {
      const json = `{"a":[${written},{"b": ${written}}],"c":${JSON.stringify(`${text},${written}`)}}`;
      for (const { parseExactJson } of [core, cli]) {
        const read = parseExactJson(json);
        const again = /^\{"a":\[([^,]*),\{"b":([^}]*)\}\],/.exec(JSON.stringify(read))!;
        for (const one of again.slice(1)) expect(decimal(one)).toEqual(decimal(written));
        expect(read).toMatchObject({ c: `${text},${written}` });
      }
      const { a, c } = sdk.parseExactJson(json) as { a: [string | number]; c: string };
      expect(decimal(String(a[0]))).toEqual(decimal(written));
      expect(typeof a[0] === 'number').toBe(sdk.isExact(written));
      expect(c).toBe(`${text},${written}`);
    }),
  );
});

test('what a double holds is a number, and minus zero keeps its sign', () => {
  for (const exact of [
    '0',
    '1.10',
    '1e3',
    '9007199254740992',
    '0.30000000000000004',
    '1e21',
    '5e-324',
    '1.7976931348623157e308',
  ])
    expect([core.parseExactJson(exact), sdk.parseExactJson(exact)]).toEqual([Number(exact), Number(exact)]);
  for (const zero of ['-0', '[-0]', '{"a":-0.0}', '[-0,1]'])
    expect(JSON.stringify(core.parseExactJson(zero))).toBe(zero);
});

test('a number of a megabyte is read at once', () => {
  for (const { parseExactJson } of [core, sdk])
    expect(JSON.stringify(parseExactJson(`[1${'0'.repeat(1_000_000)}1]`)).length).toBeGreaterThan(1_000_000);
});

test('the SDK writes a bigint as a number of its digits', () => {
  expect(sdk.writeJson({ a: [9007199254740993n, '9007199254740993n'], b: -1n })).toBe(
    '{"a":[9007199254740993,"9007199254740993n"],"b":-1}',
  );
});
