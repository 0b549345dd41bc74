import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { hostileWorld } from './hostile.ts';

const service = await startService();
afterAll(() => service.stop());
const { hostile, neighbourIsWell } = await hostileWorld(service);

/** How much of the time that something takes nobody else has a turn, at a stretch: from 0 to 1. */
async function heldUpBy(work: () => Promise<unknown>): Promise<number> {
  let over = false;
  let longest = 0;
  const began = performance.now();
  const looking = (async () => {
    for (let last = began; !over; last = performance.now()) {
      await pause(1);
      longest = Math.max(longest, performance.now() - last);
    }
  })();
  await work();
  over = true;
  await looking;
  return longest / (performance.now() - began);
}

const policies = 'create policy p on @ using (true);'.repeat(400);

test.each([
  [
    'long',
    `select jsonb_build_object('version', '1', 'tables', jsonb_agg(jsonb_build_object('name', 't' || n, 'expose', true,
       'policy', 'custom', 'custom_sql', replace('${policies}', '@', 't' || n)))) from generate_series(1, 90) n`,
    'applied',
  ],
  ['full of entries', `select ('{"version":"1","tables":[' || repeat('{},', 400000) || '{}]}')::jsonb`, 'introspected'],
  ['too long', "select jsonb_build_object('version', '1', 'more', repeat('x', 3000000))", 'introspected'],
])('a stored manifest that is %s holds up nobody but who reads it', async (_what, manifest, source) => {
  await hostile.sql(`insert into _svc.manifest (manifest) ${manifest}
    on conflict (one) do update set manifest = excluded.manifest`);
  // What blocks does so each time; a busy machine may take the turn away from one short read, and not from all.
  const held: number[] = [];
  for (let round = 0; round < 5; round++)
    held.push(await heldUpBy(async () => expect((await hostile.exposed()).body.source).toBe(source)));
  expect(Math.min(...held)).toBeLessThan(0.5);
  await neighbourIsWell();
});
