import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { scanRows } from '../../engines/rows/request/scan-rows.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { rowsProject } from './rows-project.ts';

const service = await sharedService();
const project = await rowsProject(
  service,
  `create table typed (nth int, small smallint, whole int, big bigint, flag boolean, ref uuid, at timestamptz, pad text);
   create table rounded (at timestamptz(2), size numeric(6, 1), word varchar(3), pad text);`,
);
afterAll(async () => {
  await project.end();
  await service.stop();
});
const { admin } = project;

/** So that a few rows are as large as what is scanned. */
const pad = 'x'.repeat(2_000);
const rowsOfABody = 12;

const two = (number: number) => String(number).padStart(2, '0');
const digits = (most: number) => fc.stringMatching(new RegExp(`^-?[0-9]{1,${most}}$`));
const moment = fc
  .tuple(
    fc.oneof(fc.integer({ min: 1795, max: 2205 }), fc.constantFrom(1, 1900, 2000, 2024, 9999)),
    fc.integer({ min: 0, max: 13 }),
    fc.integer({ min: 0, max: 32 }),
    fc.tuple(fc.integer({ min: 0, max: 25 }), fc.integer({ min: 0, max: 61 }), fc.integer({ min: 0, max: 61 })),
    fc.constantFrom('T', ' ', 't', ''),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\.[0-9]{0,7}$/)),
    fc.constantFrom('Z', '+00:00', '-00:00', '+00', '', '+02:00', 'z', ' Z'),
  )
  .map(([year, month, day, time, between, fraction, zone]) => {
    const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
    return `${date}${between}${time.map(two).join(':')}${fraction}${zone}`;
  });

/** What may stand for each type: mostly what is taken, and often what nearly is. */
const values = {
  small: fc.oneof(fc.integer({ min: -0x8000, max: 0x7fff }), fc.constantFrom(-0x8001, 0x8000, '-0', '007'), digits(5)),
  whole: fc.oneof(
    fc.integer(),
    fc.constantFrom(2 ** 31, -(2 ** 31) - 1, '0x1f', '+5', ' 5', '5 ', '', '-', '1_0', 1.5),
  ),
  big: fc.oneof(fc.maxSafeInteger(), digits(20), fc.constantFrom('9223372036854775807', '-9223372036854775808', true)),
  flag: fc.oneof(fc.boolean(), fc.constantFrom('true', 'false', 't', 'f', 'TRUE', 'tru', 'yes', '', 1, 0, 'falsey')),
  ref: fc.oneof(
    fc.uuid(),
    fc.uuid().map((one) => one.toUpperCase()),
    fc.uuid().map((one) => one.replaceAll('-', '')),
    fc.uuid().map((one) => `{${one}}`),
    fc.uuid().map((one) => `${one.slice(0, -1)}g`),
    fc.uuid().map((one) => `${one.slice(1)}\u0661`),
  ),
  at: fc.oneof(
    fc
      .date({ min: new Date('1801-01-01'), max: new Date('2199-12-31T23:59:59.999Z'), noInvalidDate: true })
      .map((date) => date.toISOString()),
    moment,
    fc.constantFrom('infinity', 'epoch', '2026-01-01', '2024-02-29T23:59:60Z', '1900-02-29T00:00:00Z', '', 'Z'),
  ),
};
type Column = keyof typeof values;
const columns = Object.keys(values) as Column[];

const body = (column: Column) =>
  fc.array(fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 8, arbitrary: values[column] }), {
    minLength: 1,
    maxLength: rowsOfABody,
  });

/** Read as lists; the same by who reads JSON in the database, as for every body that nobody looks into. */
async function bothWays(table: string, names: readonly string[], rows: readonly object[]) {
  const ways: unknown[] = [];
  for (const path of [table, `${table}?columns=${names.join(',')}`]) {
    await project.sql(`truncate ${table}`);
    const { status, body: answer } = await admin('POST', path, { body: rows });
    const stored = await project.sql(`select ${names.map((name) => `${name}::text`).join(', ')} from ${table}`);
    ways.push({ status, answer, stored });
  }
  return ways as [{ status: number }, unknown];
}

test.each(columns)(
  'what is written in a body is the same %s, or refused in the same words, as few rows are',
  async (column) => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(body(column), async (given) => {
        const rows = given.map((value, nth) => ({ nth, [column]: value, pad: nth === 0 ? pad.repeat(9) : pad }));
        const [asLists, asJson] = await bothWays('typed', ['nth', column, 'pad'], rows);
        statuses.add(asLists.status);
        expect(asLists).toEqual(asJson);
      }),
      { numRuns: 40 },
    );
    expect([...statuses].sort()).toEqual([201, 400]);
  },
);

test('what a column makes of values that are read already is what it makes of their text', async () => {
  const rows = Array.from({ length: 30 }, (_, nth) => ({
    at: `2026-01-01T00:00:00.${String(nth).padStart(3, '0')}5Z`,
    size: nth + 0.25,
    word: 'abc',
    pad,
  }));
  const [asLists, asJson] = await bothWays('rounded', ['at', 'size', 'word', 'pad'], rows);
  expect(asLists).toEqual(asJson);
  expect(asLists.status).toBe(201);
});

const typeOf: Readonly<Record<Column, string>> = {
  small: 'smallint',
  whole: 'integer',
  big: 'bigint',
  flag: 'boolean',
  ref: 'uuid',
  at: 'timestamp with time zone',
};

test('values as clients write them are not left to the database to be read', () => {
  const usual: Readonly<Record<Column, readonly unknown[]>> = {
    small: [-32768, 32767, null],
    whole: [-(2 ** 31), 2 ** 31 - 1, 0],
    big: [Number.MIN_SAFE_INTEGER / 10, 999_999_999_999_999, -1].map(Math.trunc),
    flag: [true, false, null],
    ref: ['00000000-0000-4000-8000-00000000000a', 'FFFFFFFF-ffff-4000-8000-00000000000a'],
    at: [new Date(0).toISOString(), '2024-02-29T23:59:59.123456+00:00', '2199-12-31 00:00:00Z', null],
  };
  for (const column of columns) {
    const scanned = scanRows(Buffer.from(JSON.stringify(usual[column].map((value) => ({ value })))));
    expect(scanned?.listOf('value', typeOf[column]).isTyped, column).toBe(true);
    // One that is not written so leaves all of them to the database.
    const odd = scanRows(Buffer.from(JSON.stringify([...usual[column], 'odd'].map((value) => ({ value })))));
    expect(odd?.listOf('value', typeOf[column]).isTyped, column).toBe(false);
  }
});
