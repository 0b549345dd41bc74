import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { digestCadences, lifecycleModes, noticePreferences, thresholdModes } from '../../db/schema/notices.ts';
import { operatorContacts } from '../../db/schema/operator-contacts.ts';
import { computed, pick, type RowOf, statement, typed } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';

const own = noticePreferences;

/** How somebody's notices are written. Whoever has said nothing has no row: here are the defaults, as in the table. */
export const writtenFor = {
  locale: computed<string>('text', sql`coalesce(${own.locale}, 'en-US')`),
  timezone: computed<string>('text', sql`coalesce(${own.timezone}, 'UTC')`),
};

/** What somebody wants to be told of, and by what. */
export const wantedColumns = {
  email: computed<boolean>('boolean', sql`coalesce(${own.email}, true)`),
  webhook: computed<boolean>('boolean', sql`coalesce(${own.webhook}, true)`),
  lifecycleEvents: computed<(typeof lifecycleModes)[number]>('text', sql`coalesce(${own.lifecycleEvents}, 'all')`),
  thresholdAlerts: computed<(typeof thresholdModes)[number]>(
    'text',
    sql`coalesce(${own.thresholdAlerts}, 'immediate')`,
  ),
  ...writtenFor,
};

/** What a principal wants. Its webhook is that of its operator contact. */
const preferenceColumns = {
  ...wantedColumns,
  webhookUrl: computed<string | null>('text', sql`${operatorContacts.webhook}`),
  isSigned: computed<boolean>('boolean', sql`${own.webhookSecret} is not null`),
  webhookDisabledAt: computed<Date | null>('timestamp with time zone', sql`${own.webhookDisabledAt}`),
  digestCadence: computed<(typeof digestCadences)[number]>('text', sql`coalesce(${own.digestCadence}, 'weekly')`),
  digestDay: computed<number>('integer', sql`coalesce(${own.digestDay}, 1)`),
  digestHour: computed<number>('integer', sql`coalesce(${own.digestHour}, 9)`),
};

export type Preferences = RowOf<typeof preferenceColumns>;

export async function findPreferences(rows: Rows, principalId: string): Promise<Preferences> {
  const [found] = await rows(findStatement.with({ principalId }));
  return found!;
}

const findStatement = statement(
  'notices.preferences',
  { params: { principalId: typed<string>('text') }, row: preferenceColumns },
  ({ principalId }, row) => sql`select ${row} from (select ${principalId}::text as id) asked
    left join ${own} on ${own.principalId} = asked.id
    left join ${operatorContacts} on ${operatorContacts.principalId} = asked.id`,
);

/** Sees to it that a principal has a row, so that it can be changed. */
export const keepPreferences = statement(
  'notices.keep-preferences',
  { params: pick(own, 'principalId') },
  ({ principalId }) => sql`insert into ${own} (principal_id) values (${principalId}) on conflict do nothing`,
);

/** Contract 02, section 5.4. */
export const PreferencesWire = z
  .object({
    channels: z.object({ email: z.boolean(), webhook: z.boolean() }),
    webhook_url: z.string().nullable(),
    webhook_signing_secret_configured: z.boolean(),
    webhook_disabled_at: z.iso.datetime().nullable(),
    digest_cadence: z.enum(digestCadences),
    digest_day_of_week: z.int(),
    digest_hour_utc: z.int(),
    threshold_alerts: z.enum(thresholdModes),
    lifecycle_events: z.enum(lifecycleModes),
    security_events: z.literal('always'),
    locale: z.string(),
    timezone: z.string(),
  })
  .meta({ id: 'NotificationPreferences' });

export const preferencesToWire = (wanted: Preferences): z.output<typeof PreferencesWire> => ({
  channels: { email: wanted.email, webhook: wanted.webhook },
  webhook_url: wanted.webhookUrl,
  webhook_signing_secret_configured: wanted.isSigned,
  webhook_disabled_at: wanted.webhookDisabledAt?.toISOString() ?? null,
  digest_cadence: wanted.digestCadence,
  digest_day_of_week: wanted.digestDay,
  digest_hour_utc: wanted.digestHour,
  threshold_alerts: wanted.thresholdAlerts,
  lifecycle_events: wanted.lifecycleEvents,
  security_events: 'always',
  locale: wanted.locale,
  timezone: wanted.timezone,
});
