import { z } from 'zod';
import { sql } from '../../../db/drizzle.ts';
import { noticeRules } from '../../../db/schema/notices.ts';
import { pick, statement } from '../../../db/sql.ts';
import { signedIn } from '../../../kernel/access/access.ts';
import { query } from '../../../kernel/run/operation.ts';
import { type NoticeRule, NoticeRuleWire, ruleColumns, ruleToWire } from './rule.ts';

/** `GET /agent/v1/notifications/rules`. Contract 02, section 5.6. */
export const listNoticeRules = query({
  name: 'notices.listRules',
  tool: 'list_notification_rules',
  command: 'subscriptions list',
  summary: 'Which events are told in chats of the caller’s operator, newest first.',
  access: signedIn('wallet', 'control_plane', 'operator'),
  input: z.object({}),
  handler: (ctx): Promise<readonly NoticeRule[]> =>
    ctx.services.db.rows(listStatement.with({ principalId: ctx.principal.principal.id })),
  wire: z.object({ rules: z.array(NoticeRuleWire) }),
  toWire: (rules) => ({ rules: rules.map(ruleToWire) }),
});

const listStatement = statement(
  'notices.rules',
  { params: pick(noticeRules, 'principalId'), row: ruleColumns },
  ({ principalId }, row) => sql`select ${row} from ${noticeRules}
    where ${noticeRules.principalId} = ${principalId} order by ${noticeRules.createdAt} desc, ${noticeRules.id}`,
);
