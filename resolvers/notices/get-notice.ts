import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { notices } from '../../db/schema/notices.ts';
import { pick, statement } from '../../db/sql.ts';
import { signedIn } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import { answeredFor, answering, lookedFor } from '../sessions/shared/sessions.ts';
import { type Notice, NoticeWire, noticeColumns, noticeToWire } from './notice.ts';

/** `GET /agent/v1/notifications/:id`. Contract 02, section 5.2. One of somebody else is like none. */
export const getNotice = query({
  name: 'notices.get',
  tool: 'get_notification',
  command: 'deliveries get',
  summary: 'A notice that the caller’s operator was sent.',
  access: signedIn('wallet', 'control_plane', 'operator'),
  input: z.object({ notification: z.string().min(1).max(256).describe('The notice, `ntf_…`.') }),
  async handler(ctx, { notification: id }): Promise<Notice> {
    const [found] = await ctx.services.db.rows(findStatement.with({ ...lookedFor(ctx.principal), id }));
    if (found === undefined)
      throw new ServiceError('RESOURCE_NOT_FOUND', { details: { resource: 'notification', notification_id: id } });
    return found;
  },
  wire: NoticeWire,
  toWire: noticeToWire,
});

const findStatement = statement(
  'notices.get',
  { params: { ...answering, ...pick(notices, 'id') }, row: noticeColumns },
  ({ principal, email, id }, row) => sql`select ${row} from ${notices}
    where ${notices.id} = ${id} and (${notices.principalId} || '') in (${answeredFor({ principal, email })})`,
);
