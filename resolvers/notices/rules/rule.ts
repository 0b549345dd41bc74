import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { chatBindings, noticeRules } from '../../../db/schema/notices.ts';
import { operatorContacts } from '../../../db/schema/operator-contacts.ts';
import { memberships } from '../../../db/schema/orgs.ts';
import { projects } from '../../../db/schema/projects.ts';
import { computed, pick, type RowOf, statement, typed } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { keptDays } from '../../../kernel/feeds/event-types.ts';

export const ruleColumns = {
  ...pick(
    noticeRules,
    'id',
    'bindingId',
    'projectId',
    'source',
    'eventTypes',
    'classes',
    'enabled',
    'createdAt',
    'updatedAt',
  ),
  recipientEmail: computed<string | null>(
    'text',
    sql`(select ${operatorContacts.email} from ${operatorContacts}
      where ${operatorContacts.principalId} = ${noticeRules.principalId} and ${operatorContacts.emailVerifiedAt} is not null)`,
  ),
};

/** What is told in a chat. */
export type NoticeRule = RowOf<typeof ruleColumns>;

/** Contract 02, section 5.6. */
export const NoticeRuleWire = z
  .object({
    id: z.uuid(),
    recipient_email: z.string().nullable(),
    project_id: z.string().nullable(),
    source: z.enum(['app', 'platform']).nullable(),
    event_types: z.array(z.string()).nullable(),
    classes: z.array(z.string()).nullable(),
    channel: z.literal('chat'),
    chat_binding_id: z.uuid(),
    enabled: z.boolean(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'NotificationRule' });

export const ruleToWire = (rule: NoticeRule): z.output<typeof NoticeRuleWire> => ({
  id: rule.id,
  recipient_email: rule.recipientEmail,
  project_id: rule.projectId,
  source: rule.source,
  event_types: rule.eventTypes === null ? null : [...rule.eventTypes],
  classes: rule.classes === null ? null : [...rule.classes],
  channel: 'chat',
  chat_binding_id: rule.bindingId,
  enabled: rule.enabled,
  created_at: rule.createdAt.toISOString(),
  updated_at: rule.updatedAt.toISOString(),
});

const ofEach = <Item extends z.ZodType<string>>(item: Item) =>
  z
    .array(item)
    .max(100, 'at most 100')
    .transform((items) => [...new Set(items)]);

/** What a rule asks of events. */
export const ruleInput = {
  project_id: z.string().min(1).max(256).nullish().describe('Only events of this project; null is of any.'),
  source: z.enum(['app', 'platform']).nullish().describe('Only what applications tell, or what the platform does.'),
  event_types: ofEach(z.string().min(1).max(64)).nullish().describe('Only these types. An empty list is none.'),
  classes: ofEach(z.enum(Object.keys(keptDays)))
    .nullish()
    .describe('Only these classes of events. An empty list is none.'),
};

export const ruleId = z.uuid('must be the id of a rule (a UUID)').describe('The rule, a UUID.');

export const chatBindingId = z
  .uuid('must be the id of a chat (a UUID)')
  .describe('The chat that it is told in, a UUID.');

/** @throws RULE_REF_NOT_FOUND for a chat that the principal does not have, and for a project that it does not belong to */
export async function requireRefs(
  work: Work,
  principalId: string,
  { bindingId, projectId }: Pick<NoticeRule, 'bindingId' | 'projectId'>,
): Promise<void> {
  const [found] = await work.rows(refsStatement.with({ principalId, bindingId, projectId }));
  if (found!.hasChat && found!.hasProject) return;
  const field = found!.hasChat ? 'project_id' : 'chat_binding_id';
  throw new ServiceError('RULE_REF_NOT_FOUND', { details: { field } });
}

// One of somebody else is like none.
const refsStatement = statement(
  'notices.rule-refs',
  {
    params: {
      ...pick(chatBindings, 'principalId'),
      bindingId: noticeRules.bindingId,
      projectId: typed<string | null>('text'),
    },
    row: {
      hasChat: computed<boolean>('boolean', sql`refs.chat`),
      hasProject: computed<boolean>('boolean', sql`refs.project`),
    },
  },
  ({ principalId, bindingId, projectId }, row) => sql`select ${row} from (select
    exists (select from ${chatBindings} where ${chatBindings.id} = ${bindingId}
      and ${chatBindings.principalId} = ${principalId} and ${chatBindings.status} = 'active'
      and ${chatBindings.disabledAt} is null) as chat,
    ${projectId}::text is null or exists (select from ${projects} join ${memberships}
      on ${memberships.orgId} = ${projects.orgId} and ${memberships.principalId} = ${principalId}
        and ${memberships.status} = 'active'
      where ${projects.id} = ${projectId} and ${projects.deletedAt} is null) as project) refs`,
);
