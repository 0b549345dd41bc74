import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { feedback } from '../../db/schema/feedback.ts';
import { allOf, type RowOf, statement, typed } from '../../db/sql.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { bothWays, type ListPage, listWindow, newestFirst, pageToWire } from '../../kernel/input/list-page.ts';
import { query } from '../../kernel/run/operation.ts';

const columns = allOf(feedback);

/** What somebody wrote. */
export type Feedback = RowOf<typeof columns>;

const FeedbackWire = z
  .object({
    feedback_id: z.string(),
    org_id: z.uuid(),
    principal_id: z.string(),
    project_id: z.string().nullable(),
    message: z.string(),
    handle: z.string().nullable(),
    return_address: z.string().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Feedback' });

/** `GET /admin/v1/feedback`: an addition, for whoever runs the platform. */
export const listFeedback = query({
  name: 'feedback.list',
  tool: 'admin_list_feedback',
  command: 'admin feedback',
  summary: 'What users wrote to whoever runs the platform, newest first.',
  access: platformAdmin(),
  input: z.object({ ...listWindow }),
  async handler({ services }, window): Promise<ListPage<Feedback>> {
    const list = newestFirst(services.keys, 'feedback');
    const given = { ...list.positionOf(window), limit: window.limit + 1 };
    return list.pageOf(await services.db.rows(list.statementOf(window, statements).with(given)), window);
  },
  wire: z.object({ feedback: z.array(FeedbackWire), has_more: z.boolean(), next_cursor: z.string().nullable() }),
  toWire: (page) => ({
    feedback: page.rows.map(({ row }) => ({
      feedback_id: row.id,
      org_id: row.orgId,
      principal_id: row.principalId,
      project_id: row.projectId,
      message: row.message,
      handle: row.handle,
      return_address: row.returnAddress,
      created_at: row.createdAt.toISOString(),
    })),
    ...pageToWire(page),
  }),
});

const statements = bothWays(feedback, (way) =>
  statement(
    `feedback.list-${way.name}`,
    { params: { ...way.params, limit: typed<number>('bigint') }, row: columns },
    ({ limit, ...given }, row) =>
      sql`select ${row} from ${feedback} where ${way.beyond(given)} ${way.order} limit ${limit}`,
  ),
);
