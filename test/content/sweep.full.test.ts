import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import type { Services } from '../../kernel/run/context.ts';
import type { TaskContext } from '../../kernel/run/task.ts';
import { groupsAt } from '../../resolvers/content/sweep-store.ts';
import { keepHouse } from '../../server/housekeeping.ts';
import { jobContext } from '../../server/workers.ts';
import { sendTo, stagedIn, upload } from '../engines/objects/guarantees.ts';
import { environmentOf, startS3Server } from '../helpers/s3-server.ts';
import { startService } from '../helpers/service.ts';
import { keyHolder, send, sha256Of, uploading } from './upload.ts';

const minutes = 60_000;
const hours = 60 * minutes;

test('within a day every group of objects has its turn', () => {
  const begin = new Date('2026-11-26T12:34:00Z').getTime();
  const seen = new Set(
    Array.from({ length: 144 }, (_none, at) => groupsAt(new Date(begin + at * 10 * minutes))).flat(),
  );
  expect(seen.size).toBe(256);
});

describe.each(['files', 'S3'])('what a stopped node left in the store (%s)', async (kind) => {
  const s3 = kind === 'S3' ? await startS3Server() : undefined;
  const service = await startService({ jobs: false, env: s3 === undefined ? {} : environmentOf(s3) });
  afterAll(async () => {
    await service.stop();
    await s3?.stop();
  });
  const home = await service.project();
  const mine = uploading(service, keyHolder(home.serviceKey));
  const { services } = service.app;
  const { objects, log } = services;

  /** Housekeeping of a later time, once for each group. */
  async function sweep(hoursLater: number, groups: readonly string[]) {
    const from = Date.now() + hoursLater * hours;
    for (let turn = 0; turn < 128; turn++) {
      const at = new Date(from + turn * 10 * minutes);
      if (!groupsAt(at).some((group) => groups.includes(group))) continue;
      const later: Services = { ...services, now: () => at };
      const ctx = jobContext(later, new AbortController().signal);
      await keepHouse({ ctx, log, mailer: { configured: false } } as unknown as TaskContext, {});
    }
  }

  /** An object that no project knows of: its node stopped before the transaction. */
  async function orphan() {
    const bytes = randomBytes(64);
    const sha256 = sha256Of(bytes);
    const id = `upl_orphan${randomBytes(4).toString('hex')}`;
    const { arrived } = await sendTo(objects, id, [bytes]);
    await objects.finish(upload(id, 64), { sha256, size: 64 }, arrived);
    return sha256;
  }

  test('goes when it is old, and what is held, on its way or young stays', async () => {
    const left = await orphan();
    const stray = `upl_stray${randomBytes(4).toString('hex')}`;
    await sendTo(objects, stray, [randomBytes(10)]);
    const held = randomBytes(80);
    const content = { sha256: sha256Of(held), size: held.length };
    const first = await mine.plan([content]);
    await send(first.body.missing[0].parts[0].url, held);
    await mine.commit(first.body.plan_id);
    const coming = randomBytes(90);
    const next = await mine.plan([{ sha256: sha256Of(coming), size: coming.length }]);
    await send(next.body.missing[0].parts[0].url, coming);
    const under = next.body.missing[0].upload_id;
    const groups = ['00', ...[left, content.sha256, sha256Of(coming)].map((sha256) => sha256.slice(0, 2))];

    await sweep(0, ['00', left.slice(0, 2)]);
    expect(await stagedIn(objects)).toEqual(expect.arrayContaining([stray, under]));
    await sweep(47, groups);
    expect(await objects.size(left)).toBeUndefined();
    expect(await objects.size(content.sha256)).toBe(held.length);
    const staged = await stagedIn(objects);
    expect(staged).not.toContain(stray);
    expect(staged).toContain(under);
    expect((await mine.commit(next.body.plan_id)).body).toMatchObject({ committed: true });
  });

  test('stays where somebody plans the same bytes before it is removed', async () => {
    const left = await orphan();
    const planned = await mine.plan([{ sha256: left, size: 64 }]);
    await sweep(47, [left.slice(0, 2)]);
    expect(await objects.size(left)).toBe(64);
    // To be there is not to be held: the bytes have to come all the same.
    expect((await mine.commit(planned.body.plan_id)).body).toMatchObject({ code: 'INVALID_STATE' });
  });
});
