import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { notices } from '../../db/schema/notices.ts';
import { statement, typed } from '../../db/sql.ts';
import { signedIn } from '../../kernel/access/access.ts';
import { moment } from '../../kernel/input/fields.ts';
import { bothWays, type ListPage, listWindow, newestFirst, pageToWire } from '../../kernel/input/list-page.ts';
import { query } from '../../kernel/run/operation.ts';
import { answeredFor, answering, lookedFor } from '../sessions/shared/sessions.ts';
import { type Notice, NoticeWire, noticeColumns, noticeToWire } from './notice.ts';

/** `GET /agent/v1/notifications`. Contract 02, section 5.2. */
export const listNotices = query({
  name: 'notices.list',
  tool: 'list_notifications',
  command: 'deliveries list',
  summary:
    'What the caller’s operator was told in the last 90 days, by which channel, and how that went; newest first.',
  access: signedIn('wallet', 'control_plane', 'operator'),
  input: z.object({
    type: z.string().min(1).max(64).optional().describe('Only of this event type, for example `deploy_activated`.'),
    since: moment.optional().describe('Only what came after this moment.'),
    ...listWindow,
  }),
  async handler(ctx, { type = null, since = null, ...window }): Promise<ListPage<Notice>> {
    const { db, keys } = ctx.services;
    const asked = lookedFor(ctx.principal);
    const list = newestFirst(keys, `notices:${asked.principal}:${asked.email ?? ''}`);
    const given = { ...asked, type, since: since === null ? null : new Date(since), ...list.positionOf(window) };
    const found = await db.rows(list.statementOf(window, listStatements).with({ ...given, limit: window.limit + 1 }));
    return list.pageOf(found, window);
  },
  wire: z.object({ notifications: z.array(NoticeWire), has_more: z.boolean(), next_cursor: z.string().nullable() }),
  toWire: (page) => ({ notifications: page.rows.map(({ row }) => noticeToWire(row)), ...pageToWire(page) }),
});

const listStatements = bothWays(notices, (way) =>
  statement(
    `notices.list-${way.name}`,
    {
      params: {
        ...answering,
        type: typed<string | null>('text'),
        since: typed<Date | null>('timestamp with time zone'),
        ...way.params,
        limit: typed<number>('bigint'),
      },
      row: noticeColumns,
    },
    ({ principal, email, type, since, limit, ...given }, row) => sql`select ${row} from ${notices}
      where ${notices.principalId} in (${answeredFor({ principal, email })}) and ${way.beyond(given)}
        and coalesce(${notices.eventType} = ${type}::text, ${type}::text is null)
        and coalesce(${notices.createdAt} > ${since}::timestamptz, true) ${way.order} limit ${limit}`,
  ),
);
