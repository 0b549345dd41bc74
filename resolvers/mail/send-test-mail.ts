import { z } from 'zod';
import { columnsOf } from '../../db/columns-of.ts';
import type { Statement } from '../../db/pool.ts';
import { type MailMessage, mailOutbox } from '../../db/schema/platform.ts';
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
  access: platformAdmin(),
  input: z.object({ to: z.email().max(254).describe('Address that gets the mail.') }),
  async handler(work, { to }): Promise<MailMessage> {
    const text = 'This mail was sent by the platform admin to try out the mail settings. Nothing needs to be done.';
    const id = await queueMail(work, { orgId: null, to, subject: 'A test mail', text });
    const [mail] = await work.rows<MailMessage>(mailStatement, [id]);
    return mail!;
  },
  audit: ({ id }) => ({ action: 'mail.test_sent', object: { kind: 'mail', id } }),
  wire: MailWire,
  toWire: mailToWire,
});

const mailStatement: Statement = {
  name: 'mail.get',
  text: `select ${columnsOf(mailOutbox, 'm')} from mail_outbox m where id = $1`,
};
