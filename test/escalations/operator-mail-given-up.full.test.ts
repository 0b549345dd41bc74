import { afterAll, expect, test } from 'vitest';
import type { Actor } from '../helpers/actors.ts';
import { documentedCalls, moment } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { startSmtp } from '../helpers/smtp-server.ts';
import { until } from '../helpers/until.ts';

/** Addresses whose mail the server refuses for now. */
const putOff = new Set<string>();
const smtp = await startSmtp({
  onRcptTo: ({ address }, _session, done) =>
    done(putOff.has(address) ? Object.assign(new Error('later'), { responseCode: 450 }) : null),
});
const service = await startService({
  env: { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'svc <no-reply@example.com>' },
});
afterAll(async () => {
  await service.stop();
  await smtp.stop();
});
const call = documentedCalls(service);
const { control } = service;

const failuresOf = async (actor: Actor, orgId: string) =>
  (await call(actor, 'GET', `/orgs/v1/${orgId}/events?event_type=verification_failed`)).body.events;

/** Has the server refuse mail to an address until it is given up. */
async function giveUp(email: string, meanwhile: () => Promise<unknown> = async () => {}): Promise<void> {
  const [first] = await control.sql<{ id: string }>('select id from mail_outbox where recipient = $1', [email]);
  const mail = async () =>
    (
      await control.sql<{ last_error: string; state: string }>('select * from mail_outbox where id = $1', [first!.id])
    )[0]!;
  // Only once its try is over: the number of the attempt says whose the mail is.
  await until(async () => expect((await mail()).last_error).toContain('450'));
  await meanwhile();
  await control.sql('update mail_outbox set attempts = 9 where id = $1', [first!.id]);
  await until(async () => expect((await mail()).state).toBe('failed'));
}

test('the organizations of an operator whose address cannot be reached are told so, and others are not', async () => {
  const [{ wallet, orgId }, other] = [await service.owner(), await service.owner()];
  const email = `operator.${orgId}@example.com`;
  putOff.add(email);
  await call(wallet, 'POST', '/agent/v1/contact', { body: { name: 'Ada', email } });
  expect(await failuresOf(wallet, orgId)).toEqual([]);
  await giveUp(email);
  expect(await failuresOf(wallet, orgId)).toEqual([
    {
      id: expect.stringMatching(/^evc_/),
      project_id: null,
      event_type: 'verification_failed',
      class: 'verification',
      source: 'platform',
      occurred_at: moment,
      payload: { subject: 'contact_email', reason: 'undeliverable', attempt_count: 1, remaining_attempts: 4 },
      next_actions: [{ type: 'retry', why: expect.any(String) }],
    },
  ]);
  const { data } = await service.graphql(
    wallet,
    `query ($id: ID!) { organization(id: $id) { events { edges { node { type class payload } } } } }`,
    { id: orgId },
  );
  expect(data.organization.events.edges).toMatchObject([
    { node: { type: 'verification_failed', class: 'verification', payload: { reason: 'undeliverable' } } },
  ]);
  expect(await failuresOf(other.wallet, other.orgId)).toEqual([]);
});

test('of a mail to an address that the operator has given up, and of any other mail, nothing is told', async () => {
  const { wallet, orgId } = await service.owner();
  const [email, page] = [`before.${orgId}@example.com`, `contact.${orgId}@example.com`];
  for (const one of [email, page]) putOff.add(one);
  await call(wallet, 'POST', '/agent/v1/contact', { body: { name: 'Ada', email } });
  await giveUp(email, () => call(wallet, 'POST', '/agent/v1/contact', { body: { name: 'Ada', email: null } }));
  await call(wallet, 'POST', `/orgs/v1/${orgId}/escalation-contacts`, { body: { email: page } });
  await call(wallet, 'POST', `/orgs/v1/${orgId}/escalations`, { body: { reason: 'look' } });
  await giveUp(page);
  expect(await failuresOf(wallet, orgId)).toEqual([]);
});
