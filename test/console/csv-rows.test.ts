import { expect, test } from 'vitest';
import { decoded, readCsv } from '../../clients/console/src/pages/tables/csv-rows.ts';

const bytes = (...parts: readonly (string | number)[]): ArrayBuffer =>
  new Uint8Array(parts.flatMap((part) => (typeof part === 'number' ? [part] : [...new TextEncoder().encode(part)])))
    .buffer;

test('cells keep their text, and rows the line that they begin at', async () => {
  expect(await readCsv(decoded(bytes('\ufeffcode,note\n007,"two\nlines"\n008,=1+1\n')))).toEqual({
    names: ['code', 'note'],
    rows: [
      { line: 2, cells: ['007', 'two\nlines'] },
      { line: 4, cells: ['008', '=1+1'] },
    ],
  });
  expect((await readCsv('one\n1\n2')).rows).toHaveLength(2);
});

test('a file that is not UTF-8 is refused, and no sign is replaced', () => {
  expect(() => decoded(bytes('name\nJos', 0xe9, '\n'))).toThrow('not in UTF-8');
});

test.each([
  ['a quote that is not closed', 'a,b\n1,2\n3,"open\n4,5\n6,7\n', 3],
  ['text behind a closing quote', 'a,b\n1,"two"x\n3,4\n', 2],
])('%s is refused with its line', async (_case, text, line) => {
  await expect(readCsv(text)).rejects.toThrow(`line ${line} `);
});
