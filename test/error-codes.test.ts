import { glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { commonErrors } from '../core/common-errors.ts';
import { defineErrors, row } from '../core/error-codes.ts';
import { ServiceError } from '../core/errors.ts';
import { errorRows } from '../resolvers/index.ts';

const root = new URL('..', import.meta.url).pathname;

test('every table of codes is in the manifest of its domain', async () => {
  let tables = 0;
  for await (const path of glob('resolvers/*/error-codes.ts', { cwd: root })) {
    tables += 1;
    const exported: Readonly<Record<string, object>> = await import(`${root}${path}`);
    for (const table of Object.values(exported)) expect(errorRows, path).toMatchObject(table);
  }
  expect(tables).toBeGreaterThan(10);
});

test('a folder below the domains names no code of a domain', async () => {
  const ofDomains = Object.keys(errorRows).filter((code) => !(code in commonErrors));
  const named: string[] = [];
  for await (const path of glob('{core,db,engines,kernel}/**/*.ts', { cwd: root })) {
    const text = await readFile(`${root}${path}`, 'utf8');
    named.push(...ofDomains.filter((code) => text.includes(`'${code}'`)).map((code) => `${path}: ${code}`));
  }
  expect(named).toEqual([]);
});

test('a code has one row', () => {
  const again = () => defineErrors({ LAST_OWNER: row(409, 'conflict', 'Another row.') });
  expect(again).toThrow('There are two errors called LAST_OWNER.');
});

test('a code that no table declares does not compile', () => {
  // @ts-expect-error There is no such code.
  expect(() => new ServiceError('NO_SUCH_CODE')).toThrow('NO_SUCH_CODE is not loaded');
});
