import { sql } from '../../../db/drizzle.ts';
import { chatBindings, noticePreferences, noticeRules } from '../../../db/schema/notices.ts';
import { memberships } from '../../../db/schema/orgs.ts';
import { computed, type RowOf, statement, typed } from '../../../db/sql.ts';

const chatRow = {
  bindingId: computed<string>('text', sql`chats.binding::text`),
  principalId: computed<string>('text', sql`chats.principal`),
  label: computed<string | null>('text', sql`chats.label`),
  locale: computed<string>('text', sql`coalesce(${noticePreferences.locale}, 'en-US')`),
  timezone: computed<string>('text', sql`coalesce(${noticePreferences.timezone}, 'UTC')`),
};

/** A chat in which an event is told. */
export type MatchingChat = RowOf<typeof chatRow>;

/** Chats of members of an organization in which an event is told: each once, however many rules say so. */
export const matchingChats = statement(
  'notices.matching-chats',
  {
    params: {
      orgId: typed<string>('uuid'),
      projectId: typed<string | null>('text'),
      source: typed<string>('text'),
      type: typed<string>('text'),
      class: typed<string>('text'),
    },
    row: chatRow,
  },
  ({ orgId, projectId, source, type, class: eventClass }, row) => sql`select ${row} from (
      select distinct ${chatBindings.id} as binding, ${chatBindings.principalId} as principal, ${chatBindings.label} as label
      from ${memberships}
      join ${noticeRules} on ${noticeRules.principalId} = ${memberships.principalId} and ${noticeRules.enabled}
      join ${chatBindings} on ${chatBindings.id} = ${noticeRules.bindingId} and ${chatBindings.status} = 'active'
        and ${chatBindings.disabledAt} is null
      where ${memberships.orgId} = ${orgId} and ${memberships.status} = 'active'
        and coalesce(${noticeRules.projectId} = ${projectId}::text, ${noticeRules.projectId} is null)
        and coalesce(${noticeRules.source} = ${source}, true)
        and coalesce(${type} = any(${noticeRules.eventTypes}), true)
        and coalesce(${eventClass} = any(${noticeRules.classes}), true)
    ) chats left join ${noticePreferences} on ${noticePreferences.principalId} = chats.principal
    order by chats.binding`,
);

/** Chats of one principal in which a test of a source is told. */
export const chatsToTest = statement(
  'notices.chats-to-test',
  {
    params: { principalId: typed<string>('text'), source: typed<string>('text'), type: typed<string>('text') },
    row: chatRow,
  },
  ({ principalId, source, type }, row) => sql`select ${row} from (
      select distinct ${chatBindings.id} as binding, ${chatBindings.principalId} as principal, ${chatBindings.label} as label
      from ${noticeRules}
      join ${chatBindings} on ${chatBindings.id} = ${noticeRules.bindingId} and ${chatBindings.status} = 'active'
        and ${chatBindings.disabledAt} is null
      where ${noticeRules.principalId} = ${principalId} and ${noticeRules.enabled}
        and coalesce(${noticeRules.source} = ${source}, true)
        and coalesce(${type} = any(${noticeRules.eventTypes}), true)
    ) chats left join ${noticePreferences} on ${noticePreferences.principalId} = chats.principal
    order by chats.binding`,
);
