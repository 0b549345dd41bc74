import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { startSmtp } from '../helpers/smtp-server.ts';
import { until } from '../helpers/until.ts';
import { mailDoor } from '../mailboxes/mail-door.ts';
import { newEmail } from './auth-project.ts';

const smtp = await startSmtp();
const service = await startService({ nodes: 2, env: { SMTP_URL: `smtp://127.0.0.1:${smtp.port}` } });
afterAll(async () => {
  await service.stop();
  await smtp.stop();
});

test('of two nodes one sends each mail of sign-in, from the mailbox, whichever was asked', async () => {
  const { serviceKey, anonKey } = await service.project();
  const door = mailDoor(service, serviceKey);
  const { mailbox_id, address } = (await door.create('hello-there')).body;
  await door.defaults({ auth_sender_mailbox_id: mailbox_id });
  const emails = Array.from({ length: 20 }, newEmail);
  const actor = service.actors.apikey(anonKey);
  const asked = await Promise.all(
    emails.map((email) => service.call(actor, 'POST', '/auth/v1/magic-link', { body: { email, delivery: 'code' } })),
  );
  expect(asked.map(({ status }) => status)).toEqual(emails.map(() => 200));
  await until(async () => {
    const sent = await service.control.sql(`select from mail_outbox where recipient = any($1) and state = 'sent'`, [
      emails,
    ]);
    expect(sent).toHaveLength(20);
  });
  expect(smtp.taken.flatMap(({ to }) => to).sort()).toEqual(emails.toSorted());
  // Without a server for mail that comes in, what comes back goes to the mailbox.
  expect(new Set(smtp.taken.map(({ from }) => from))).toEqual(new Set([address]));
});
