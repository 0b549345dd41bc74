import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { type MailMessage, mailOutbox } from '../../db/schema/platform.ts';
import { allOf, pick, statement } from '../../db/sql.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { queueMail } from '../../kernel/durability/outbox.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { MailWire, mailToWire } from './wire.ts';

/** `POST /mail/v1/admin/test`: shows whether the mail settings work. */
export const sendTestMail = mutation({
  name: 'mail.sendTest',
  tool: 'admin_send_test_mail',
  command: 'admin test-mail',
  effects: ['openWorld'],
  summary: 'Put a test mail into the outbox, to see whether mail goes out.',
  path: 'POST /mail/v1/admin/test 201',
  access: platformAdmin(),
  input: z.object({ to: z.email().max(254).describe('Address that gets the mail.') }),
  async handler(work, { to }): Promise<MailMessage> {
    const text = 'This mail was sent by the platform admin to try out the mail settings. Nothing needs to be done.';
    const id = await queueMail(work, { orgId: null, to, subject: 'A test mail', text });
    const [mail] = await work.rows(mailStatement.with({ id }));
    return mail!;
  },
  audit: ({ id }) => ({ action: 'mail.test_sent', object: { kind: 'mail', id } }),
  wire: MailWire,
  toWire: mailToWire,
});

const mailStatement = statement(
  'mail.get',
  { params: pick(mailOutbox, 'id'), row: allOf(mailOutbox) },
  ({ id }, row) => sql`select ${row} from ${mailOutbox} where ${mailOutbox.id} = ${id}`,
);
