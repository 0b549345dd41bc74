import { afterAll, expect, test } from 'vitest';
import { moment } from '../helpers/documented.ts';
import { type Service, startService } from '../helpers/service.ts';
import { startSmtp } from '../helpers/smtp-server.ts';
import { until } from '../helpers/until.ts';
import { escalationsOf } from './own-org.ts';

/** Addresses whose mail the server puts off, until they are taken from here. */
const putOff = new Set<string>();
const smtp = await startSmtp({
  onRcptTo: ({ address }, _session, done) =>
    done(putOff.has(address) ? Object.assign(new Error('later'), { responseCode: 450 }) : null),
});
const posting = await startService({
  env: { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'svc <no-reply@example.com>' },
});
const keeping = await startService();
afterAll(async () => {
  await Promise.all([posting.stop(), keeping.stop()]);
  await smtp.stop();
});

/** Raises in a new organization with one contact. */
async function paged(service: Service, email: string) {
  const { contact, get, raise } = escalationsOf(service);
  const { wallet, orgId } = await service.owner();
  await contact(wallet, orgId, { email });
  const { escalation_id: id } = (await raise(wallet, orgId)).body;
  const attempts = async () => (await get(wallet, orgId, id, '?include=delivery')).body.delivery_attempts;
  return { wallet, orgId, id, attempts };
}

const attempt = (email: string, status: string, error: unknown = null) => ({
  email,
  channel: 'email',
  status,
  error,
  at: moment,
});

test('a page reaches the mail server under the name of its mail, and the attempt is noted by whoever sent it', async () => {
  const email = 'ada@example.com';
  const { id, wallet, orgId, attempts } = await paged(posting, email);
  await until(async () => expect(await attempts()).toStrictEqual([attempt(email, 'delivered')]));
  const { mail_id } = (await escalationsOf(posting).pages(id))[0]!;
  const mails = smtp.taken.filter(({ to }) => to[0] === email);
  expect(mails).toHaveLength(1);
  expect(mails[0]!.raw).toContain(`\r\nMessage-ID: <${mail_id}@example.com>\r\n`);
  const graph = await posting.graphql(
    wallet,
    `query ($org: ID!, $id: ID!) { escalation(org: $org, escalation: $id) {
      deliveryAttempts { edges { node { email channel status error at } } } } }`,
    { org: orgId, id },
  );
  expect(graph.data.escalation.deliveryAttempts.edges).toEqual([
    { node: { ...attempt(email, 'DELIVERED'), channel: 'EMAIL' } },
  ]);
  // What acknowledges is the contact's alone once it is sent.
  const [kept] = await posting.control.sql<{ body_text: string }>('select body_text from mail_outbox where id = $1', [
    mail_id,
  ]);
  expect(kept!.body_text).toContain('/escalations/v1/ack?token=***\n');
});

test('a page that is put off is tried again, and each try is noted', async () => {
  const email = 'bob@example.com';
  putOff.add(email);
  const { attempts } = await paged(posting, email);
  const refused = attempt(email, 'failed_transient', 'The mail server refused the sender or the recipient (450).');
  await until(async () => expect(await attempts()).toStrictEqual([refused]));
  putOff.delete(email);
  await until(async () => expect((await attempts()).at(-1)).toStrictEqual(attempt(email, 'delivered')));
});

test('a page that is given up says so, and the ladder goes on', async () => {
  const email = 'eve@example.com';
  putOff.add(email);
  const { id, attempts } = await paged(posting, email);
  await until(async () => expect(await attempts()).not.toEqual([]));
  await posting.control.sql('update mail_outbox set attempts = 9 where recipient = $1', [email]);
  await until(async () =>
    expect((await attempts()).at(-1)).toMatchObject({
      status: 'failed_permanent',
      error: expect.stringContaining('450'),
    }),
  );
  putOff.delete(email);
  await escalationsOf(posting).lapse(id);
  await until(async () => expect((await attempts()).at(-1)).toMatchObject({ status: 'delivered' }));
  expect(await escalationsOf(posting).pages(id)).toHaveLength(2);
});

test('without a mail server the page is kept in the outbox, and noted as not tried', async () => {
  const email = 'kim@example.com';
  const { attempts } = await paged(keeping, email);
  await until(async () =>
    expect(await attempts()).toStrictEqual([attempt(email, 'skipped_disabled', 'No mail server is configured.')]),
  );
  expect(await keeping.control.sql('select state from mail_outbox where recipient = $1', [email])).toEqual([
    { state: 'queued' },
  ]);
});
