import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { noticeRules } from '../../../db/schema/notices.ts';
import { computed, insertInto, pick, setOf, statement } from '../../../db/sql.ts';
import { signedIn } from '../../../kernel/access/access.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { noticeRulesMax } from '../../../kernel/limits/limits.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { requirePasskey } from '../../operator-contact/shared/require-passkey.ts';
import {
  chatBindingId,
  type NoticeRule,
  NoticeRuleWire,
  requireRefs,
  ruleColumns,
  ruleId,
  ruleInput,
  ruleToWire,
} from './rule.ts';

const access = signedIn('wallet', 'control_plane');

const audited = (action: string, { id, bindingId }: NoticeRule) => ({
  action,
  object: { kind: 'notice_rule', id },
  details: { chat_binding_id: bindingId },
});

/** `POST /agent/v1/notifications/rules`. Contract 02, section 5.6. */
export const createNoticeRule = mutation({
  name: 'notices.createRule',
  tool: 'create_notification_rule',
  command: 'subscriptions add',
  summary: 'Have events told in a chat. What is left out may be anything.',
  access,
  stepUp: 'operator.contact',
  input: z.object({ chat_binding_id: chatBindingId, ...ruleInput }),
  async handler(work, { chat_binding_id: bindingId, project_id, source, event_types, classes }): Promise<NoticeRule> {
    const { principalId } = await requirePasskey(work);
    const wanted = {
      bindingId,
      projectId: project_id ?? null,
      source: source ?? null,
      eventTypes: event_types ?? null,
      classes: classes ?? null,
    };
    await requireRefs(work, principalId, wanted);
    const [held] = await work.rows(countStatement.with({ principalId }));
    if (held!.count >= noticeRulesMax)
      throw new ServiceError('NOTIFICATION_RULE_LIMIT_REACHED', {
        details: { limit: noticeRulesMax, used: held!.count },
      });
    const [made] = await work.rows(insertStatement.with({ id: randomUUID(), principalId, ...wanted }));
    return made!;
  },
  audit: (rule) => audited('notices.rule_created', rule),
  wire: NoticeRuleWire.extend({
    next_actions: z.array(z.object({ type: z.string(), method: z.string(), path: z.string() })),
  }),
  toWire: (rule) => ({
    ...ruleToWire(rule),
    next_actions: [{ type: 'test_notification', method: 'POST', path: '/agent/v1/notifications/test' }],
  }),
});

/** `PATCH /agent/v1/notifications/rules/:id`. Contract 02, section 5.6. */
export const updateNoticeRule = mutation({
  name: 'notices.updateRule',
  tool: 'update_notification_rule',
  command: 'subscriptions update',
  effects: ['destructive', 'idempotent'],
  summary: 'Change what is told in a chat. What is left out stays; null may be anything.',
  access,
  stepUp: 'operator.contact',
  input: z.object({
    rule: ruleId,
    chat_binding_id: chatBindingId.optional(),
    ...ruleInput,
    enabled: z.boolean().optional().describe('Whether it is told at all.'),
  }),
  async handler(work, { rule: id, ...input }): Promise<NoticeRule> {
    const { principalId } = await requirePasskey(work);
    const before = await ownRule(work, principalId, id);
    const wanted = {
      bindingId: input.chat_binding_id ?? before.bindingId,
      projectId: input.project_id === undefined ? before.projectId : input.project_id,
      source: input.source === undefined ? before.source : input.source,
      eventTypes: input.event_types === undefined ? before.eventTypes : input.event_types,
      classes: input.classes === undefined ? before.classes : input.classes,
      enabled: input.enabled ?? before.enabled,
    };
    await requireRefs(work, principalId, wanted);
    const [changed] = await work.rows(updateStatement.with({ id, ...wanted }));
    return changed!;
  },
  audit: (rule) => audited('notices.rule_updated', rule),
  wire: NoticeRuleWire,
  toWire: ruleToWire,
});

/** `DELETE /agent/v1/notifications/rules/:id`. Contract 02, section 5.6. */
export const deleteNoticeRule = mutation({
  name: 'notices.deleteRule',
  tool: 'delete_notification_rule',
  command: 'subscriptions rm',
  effects: ['destructive', 'idempotent'],
  summary: 'Have events told in a chat no more.',
  access,
  stepUp: 'operator.contact',
  input: z.object({ rule: ruleId }),
  async handler(work, { rule: id }): Promise<NoticeRule> {
    const rule = await ownRule(work, (await requirePasskey(work)).principalId, id);
    await work.rows(deleteStatement.with({ id }));
    return rule;
  },
  audit: (rule) => audited('notices.rule_deleted', rule),
  wire: z.object({ deleted: z.literal(true), rule_id: z.uuid() }),
  toWire: ({ id }) => ({ deleted: true as const, rule_id: id }),
});

async function ownRule(work: Work, principalId: string, id: string): Promise<NoticeRule> {
  const [rule] = await work.rows(findStatement.with({ id, principalId }));
  if (rule === undefined)
    throw new ServiceError('RESOURCE_NOT_FOUND', { details: { resource: 'notification_rule', rule_id: id } });
  return rule;
}

const findStatement = statement(
  'notices.rule',
  { params: pick(noticeRules, 'id', 'principalId'), row: ruleColumns },
  ({ id, principalId }, row) => sql`select ${row} from ${noticeRules}
    where ${noticeRules.id} = ${id} and ${noticeRules.principalId} = ${principalId}`,
);

const countStatement = statement(
  'notices.count-rules',
  { params: pick(noticeRules, 'principalId'), row: { count: computed<number>('integer', sql`count(*)::int`) } },
  ({ principalId }, row) => sql`select ${row} from ${noticeRules} where ${noticeRules.principalId} = ${principalId}`,
);

const insertStatement = statement(
  'notices.insert-rule',
  {
    params: pick(noticeRules, 'id', 'principalId', 'bindingId', 'projectId', 'source', 'eventTypes', 'classes'),
    row: ruleColumns,
  },
  (given, row) => sql`${insertInto(noticeRules, given)} returning ${row}`,
);

const updateStatement = statement(
  'notices.update-rule',
  {
    params: pick(noticeRules, 'id', 'bindingId', 'projectId', 'source', 'eventTypes', 'classes', 'enabled'),
    row: ruleColumns,
  },
  ({ id, ...wanted }, row) => sql`update ${noticeRules}
    ${setOf(noticeRules, { ...wanted, updatedAt: sql`now()` })} where ${noticeRules.id} = ${id} returning ${row}`,
);

const deleteStatement = statement(
  'notices.delete-rule',
  { params: pick(noticeRules, 'id') },
  ({ id }) => sql`delete from ${noticeRules} where ${noticeRules.id} = ${id}`,
);
