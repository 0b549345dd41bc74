import { afterAll, expect, test } from 'vitest';
import type { TaskContext } from '../../kernel/run/task.ts';
import { sweepEscalations } from '../../resolvers/escalations/sweep.ts';
import { sendQueuedMail } from '../../resolvers/mail/send-queued-mail.ts';
import { jobContext } from '../../server/workers.ts';
import { startService } from '../helpers/service.ts';
import { escalationsOf } from './own-org.ts';

// No worker of the service's own: which job is whose, and how long, is what these tests say.
const service = await startService({ jobs: false });
afterAll(() => service.stop());
const { contact, raise } = escalationsOf(service);
const { sql } = service.control;

const sent: string[] = [];
const job = () =>
  ({
    ctx: jobContext(service.app.services, new AbortController().signal),
    mailer: { configured: true, send: async ({ id }: { id: string }) => void sent.push(id) },
    addJob: async () => {},
  }) as unknown as TaskContext;
const sweep = () => sweepEscalations(job(), {});
const send = (mailId: string) => sendQueuedMail(job(), { mailId });

/** Mail of a page whose job a node took so long ago and has not ended. */
async function heldPage(minutes: number): Promise<string> {
  const { wallet, orgId } = await service.owner();
  await contact(wallet, orgId, { email: 'low@example.com', level: 1 });
  expect((await raise(wallet, orgId)).status).toBe(201);
  const [page] = await sql<{ mail_id: string }>('select mail_id from escalation_pages where org_id = $1', [orgId]);
  await sql(
    `update graphile_worker._private_jobs set locked_by = 'gone', locked_at = now() - make_interval(mins => $2), attempts = 1
     where key = $1`,
    [page!.mail_id, minutes],
  );
  return page!.mail_id;
}

/** Jobs of a mail that somebody may take. */
const free = async (mailId: string) =>
  sql(`select 1 from graphile_worker._private_jobs where key = $1 and locked_at is null`, [mailId]);

test('a page whose node vanished goes with the next sweep, once, however many nodes sweep and send', async () => {
  const mailId = await heldPage(2);
  expect(await free(mailId)).toEqual([]);
  await Promise.all(Array.from({ length: 8 }, sweep));
  expect(await free(mailId)).toHaveLength(1);
  await Promise.all(Array.from({ length: 20 }, () => send(mailId)));
  expect(sent.filter((id) => id === mailId)).toHaveLength(1);
  await sql('delete from graphile_worker._private_jobs where key = $1', [mailId]);
  await sweep();
  expect(await free(mailId)).toEqual([]);
});

test('one that a node has just taken, and one under a lease, are left to their node', async () => {
  const young = await heldPage(0);
  const leased = await heldPage(2);
  await sql(`update mail_outbox set lease_until = now() + interval '1 minute' where id = $1`, [leased]);
  await sweep();
  expect([await free(young), await free(leased)]).toEqual([[], []]);
  // Its node did not come back.
  await sql(`update mail_outbox set lease_until = now() - interval '1 second' where id = $1`, [leased]);
  await sweep();
  expect(await free(leased)).toHaveLength(1);
});

test('other mail waits for housekeeping, and a page that was sent is not sent again', async () => {
  const [told, other] = [await heldPage(2), await heldPage(2)];
  await sql(`update mail_outbox set state = 'sent' where id = $1`, [told]);
  await sql('delete from escalation_pages where mail_id = $1', [other]);
  await sweep();
  expect([await free(told), await free(other)]).toEqual([[], []]);
});
