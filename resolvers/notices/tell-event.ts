import type { NextAction } from '../../core/error-codes.ts';
import { sql } from '../../db/drizzle.ts';
import { events } from '../../db/partitioned/events.ts';
import { notices } from '../../db/schema/notices.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { projects } from '../../db/schema/projects.ts';
import { computed, pick, type RowOf, statement, typed } from '../../db/sql.ts';
import { unitOfWork } from '../../kernel/durability/unit-of-work.ts';
import { eventTypes, urgencyOf } from '../../kernel/feeds/event-types.ts';
import type { Task } from '../../kernel/run/task.ts';
import { eventMail } from './event-mail.ts';
import { recipientsOfOrg } from './recipients.ts';
import { matchingChats } from './rules/matching-chats.ts';
import { eventText } from './shared/event-text.ts';
import { type Fact, tell, tellChats } from './tell.ts';

/** Tells people of an event, once: exactly when it was appended. */
export const tellEvent: Task = async ({ ctx }, payload) => {
  const { orgId, position } = payload as { readonly orgId: string; readonly position: string };
  const fact = `${orgId}:${position}`;
  await unitOfWork(ctx, async (work) => {
    // It was told before whoever told it could say so.
    if ((await work.rows(toldStatement.with({ fact }))).length > 0) return;
    const [event] = await work.rows(eventStatement.with({ orgId, position: BigInt(position) }));
    if (event === undefined) return;
    const told: Fact = { ...event, fact, kind: 'lifecycle_event', nextActions: actionsOf(event) };
    const type = event.source === 'platform' ? eventTypes.get(event.type) : undefined;
    const urgency = type === undefined ? undefined : urgencyOf(type);
    if (urgency !== undefined)
      await tell(work, told, await work.rows(recipientsOfOrg.with({ orgId })), {
        urgency,
        mailFor: (reader) => eventMail(event, told.nextActions, work.services.settings, reader),
      });
    await tellChats(work, told, await work.rows(matchingChats.with(event)), (reader) =>
      eventText(event, told.nextActions, reader).join('\n'),
    );
  });
};

const actionsOf = (event: ToldEvent): readonly NextAction[] => eventTypes.get(event.type)?.nextActions?.(event) ?? [];

const eventRow = {
  ...pick(events, 'orgId', 'projectId', 'type', 'class', 'source', 'payload', 'occurredAt'),
  orgName: computed<string | null>('text', sql`${orgs.displayName}`),
  projectName: computed<string | null>('text', sql`${projects.name}`),
};

/** An event with what people call what it is about. */
export type ToldEvent = RowOf<typeof eventRow>;

const eventStatement = statement(
  'notices.event',
  { params: { orgId: typed<string>('uuid'), position: typed<bigint>('bigint') }, row: eventRow },
  ({ orgId, position }, row) => sql`select ${row} from ${events}
    join ${orgs} on ${orgs.id} = ${events.orgId}
    left join ${projects} on ${projects.orgId} = ${events.orgId} and ${projects.id} = ${events.projectId}
    where ${events.orgId} = ${orgId} and ${events.position} = ${position}`,
);

const toldStatement = statement(
  'notices.told',
  { params: pick(notices, 'fact'), row: pick(notices, 'id') },
  ({ fact }, row) => sql`select ${row} from ${notices} where ${notices.fact} = ${fact} limit 1`,
);
