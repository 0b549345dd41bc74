import { readFile } from 'node:fs/promises';
import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../../helpers/shared-service.ts';
import { rowsProject } from '../rows-project.ts';
import { type Case, rows, schema } from './case.ts';
import { changes } from './changes.ts';
import { embedding } from './embedding.ts';
import { filters } from './filters.ts';
import { reads } from './reads.ts';

// The dialect as PostgREST documents it, case by case, as data: each is a request that any client may send, and all
// take the same road.

const service = await sharedService();
const project = await rowsProject(service, schema);
await project.sql(rows);
afterAll(async () => {
  await project.end();
  await service.stop();
});

const areas = { ...filters, ...reads, ...embedding, ...changes };

/** How many cases of each area are passed: one that is lost, or left out, is seen here. */
const counts: Readonly<Record<string, number>> = {
  filters: 43,
  columns: 12,
  embedding: 24,
  pages: 23,
  functions: 10,
  inserts: 20,
  upserts: 11,
  updates: 12,
  deletes: 5,
  calls: 8,
};

/** What is wrong with the answer to a case; undefined when nothing is. */
async function faultOf({ ask, headers, send, status, body, code, range, location, applied }: Case): Promise<unknown> {
  const [method, ...path] = ask.split(' ');
  const changing = method !== 'GET';
  if (changing) await project.sql(rows);
  const answer = await project.admin<{ code?: string }>(method!, path.join(' '), {
    ...(headers === undefined ? {} : { headers }),
    ...(send === undefined ? {} : { body: send }),
  });
  const said = answer.text === '' ? undefined : (answer.body ?? answer.text);
  const seen = {
    status: answer.status,
    ...(answer.status >= 400 ? { code: answer.body?.code } : { body: said }),
    ...(range === undefined ? {} : { range: answer.headers.get('content-range') }),
    ...(location === undefined ? {} : { location: answer.headers.get('location') }),
    ...(applied === undefined ? {} : { applied: answer.headers.get('preference-applied') }),
  };
  try {
    expect(seen).toEqual({ status, ...(status >= 400 ? { code } : { body }), range, location, applied });
    return undefined;
  } catch {
    return { ask, seen };
  }
}

test.each(Object.keys(areas))('the dialect is answered as it is documented: %s', async (area) => {
  const missed: unknown[] = [];
  for (const one of areas[area]!) {
    const fault = await faultOf(one);
    if (fault !== undefined) missed.push(fault);
  }
  expect(missed).toEqual([]);
  expect(areas[area]!.length - missed.length).toBe(counts[area]);
});

test('the page on compatibility tells how many cases that are', async () => {
  const page = await readFile(new URL('../../../docs/compatibility.md', import.meta.url), 'utf8');
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  expect(page).toContain(`${total} cases of the dialect`);
});
