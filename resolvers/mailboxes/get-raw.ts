import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { mailboxMessages } from '../../db/schema/mailboxes.ts';
import { pick, statement } from '../../db/sql.ts';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import type { Services } from '../../kernel/run/context.ts';
import { query } from '../../kernel/run/operation.ts';
import { storing } from '../content/shared/storing.ts';
import { mailboxToRead } from './find-mailbox.ts';
import { findMessage } from './find-message.ts';
import { mailboxName } from './mailbox.ts';
import { mailboxActions } from './shared/actions.ts';

/** Bytes that are answered inside of JSON at most; the path answers all of them. */
const inJsonMax = 256 * 1024;

/** The bytes of a mail that came in. */
export interface RawMail {
  readonly messageId: string;
  readonly projectId: string;
  readonly sha256: string;
  readonly size: number;
}

/** `GET /mailboxes/v1/:mailbox_id/messages/:message_id/raw`. Contract 02, section 6.4. */
export const getRawMail = query({
  name: 'email.getRaw',
  tool: 'get_email_raw',
  command: 'email get-raw',
  summary: 'A mail that came in, byte for byte as it came.',
  access: onNamedOrOwnProject(mailboxActions['project:mail:read']),
  input: z.object({
    project: itsProject,
    mailbox: mailboxName.optional().describe('The mailbox, `mbx_…` or its slug; the only one unless named.'),
    message: z.string().min(1).max(256).describe('The message, `msg_…`.'),
  }),
  async handler(ctx, { mailbox, message }): Promise<RawMail> {
    const { rows } = ctx.services.db;
    const { id, projectId } = await mailboxToRead(rows, ctx, mailbox);
    const { id: messageId } = await findMessage(rows, id, message);
    const [raw] = await rows(rawStatement.with({ id: messageId }));
    const sha256 = raw?.rawSha256 ?? null;
    const { objects } = ctx.services;
    if (sha256 === null || (await storing(ctx.services, () => objects.size(sha256))) === undefined)
      throw new ServiceError('RAW_MESSAGE_NOT_FOUND', { details: { message_id: messageId } });
    return { messageId, projectId, sha256, size: raw!.rawSize! };
  },
  wire: z
    .object({
      message_id: z.string(),
      sha256: z.string(),
      size_bytes: z.int(),
      content_base64: z
        .string()
        .nullable()
        .describe('The bytes, in base64; null for more than 256 KiB, which the path of REST answers.'),
    })
    .meta({ id: 'RawMail' }),
  toWire: async ({ messageId, sha256, size }, { services }) => ({
    message_id: messageId,
    sha256,
    size_bytes: size,
    content_base64: size > inJsonMax ? null : (await bytesOf(services, sha256)).toString('base64'),
  }),
});

const bytesOf = (services: Services, sha256: string): Promise<Buffer> =>
  storing(services, async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of await services.objects.read(sha256)) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  });

const rawStatement = statement(
  'mailboxes.raw',
  { params: pick(mailboxMessages, 'id'), row: pick(mailboxMessages, 'rawSha256', 'rawSize') },
  ({ id }, row) => sql`select ${row} from ${mailboxMessages} where ${mailboxMessages.id} = ${id}`,
);
