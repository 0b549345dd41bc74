import { type SQL, sql } from '../../../db/drizzle.ts';
import { chatBindings, noticePreferences, noticeRules } from '../../../db/schema/notices.ts';
import { memberships } from '../../../db/schema/orgs.ts';
import { computed, type RowOf, statement, typed } from '../../../db/sql.ts';
import { writtenFor } from '../preferences.ts';

const chatRow = {
  bindingId: computed<string>('text', sql`chats.binding::text`),
  principalId: computed<string>('text', sql`chats.principal`),
  ...writtenFor,
};

/** A chat in which an event is told. */
export type MatchingChat = RowOf<typeof chatRow>;

/** What is looked for besides by everybody. */
const asked = { source: typed<string>('text'), type: typed<string>('text') };

/** Chats in which something may be told, each once, however many rules say so. @param where on rules of whom, and what else they say */
const chatsOf = ({ source, type }: { readonly [Name in keyof typeof asked]: SQL }, where: SQL, row: SQL): SQL =>
  sql`select ${row} from (
      select distinct ${chatBindings.id} as binding, ${chatBindings.principalId} as principal
      from ${noticeRules}
      join ${chatBindings} on ${chatBindings.id} = ${noticeRules.bindingId} and ${chatBindings.status} = 'active'
        and ${chatBindings.disabledAt} is null
      where ${noticeRules.enabled} and ${where}
        and coalesce(${noticeRules.source} = ${source}, true) and coalesce(${type} = any(${noticeRules.eventTypes}), true)
    ) chats left join ${noticePreferences} on ${noticePreferences.principalId} = chats.principal
    order by chats.binding`;

/** Chats of members of an organization in which an event is told. */
export const matchingChats = statement(
  'notices.matching-chats',
  {
    params: {
      ...asked,
      orgId: typed<string>('uuid'),
      projectId: typed<string | null>('text'),
      class: typed<string>('text'),
    },
    row: chatRow,
  },
  ({ orgId, projectId, class: eventClass, ...event }, row) =>
    chatsOf(
      event,
      sql`${noticeRules.principalId} in (select ${memberships.principalId} from ${memberships}
          where ${memberships.orgId} = ${orgId} and ${memberships.status} = 'active')
        and coalesce(${noticeRules.projectId} = ${projectId}::text, ${noticeRules.projectId} is null)
        and coalesce(${eventClass} = any(${noticeRules.classes}), true)`,
      row,
    ),
);

/** Chats of one principal in which a test of a source is told. */
export const chatsToTest = statement(
  'notices.chats-to-test',
  { params: { ...asked, principalId: typed<string>('text') }, row: chatRow },
  ({ principalId, ...event }, row) => chatsOf(event, sql`${noticeRules.principalId} = ${principalId}`, row),
);
