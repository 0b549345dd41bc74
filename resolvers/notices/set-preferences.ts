import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { digestCadences, lifecycleModes, noticePreferences, thresholdModes } from '../../db/schema/notices.ts';
import { operatorContacts } from '../../db/schema/operator-contacts.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { signedIn } from '../../kernel/access/access.ts';
import { webhookUrl } from '../../kernel/input/webhook-url.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockContact } from '../operator-contact/shared/contact.ts';
import { requirePasskey } from '../operator-contact/shared/require-passkey.ts';
import { nextDigest } from './digest-time.ts';
import {
  findPreferences,
  keepPreferences,
  type Preferences,
  PreferencesWire,
  preferencesToWire,
} from './preferences.ts';

const isLocale = (text: string): boolean => {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
};

const isTimezone = (text: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
};

/** `PATCH /agent/v1/notifications/preferences`. Contract 02, section 5.4. */
export const setNoticePreferences = mutation({
  name: 'notices.setPreferences',
  tool: 'set_notification_preferences',
  command: 'contacts preferences set',
  effects: ['destructive', 'idempotent', 'openWorld'],
  summary: 'Change what the caller wants to be told of, and how. What is left out stays.',
  access: signedIn('wallet', 'control_plane'),
  stepUp: 'operator.contact',
  input: z.object({
    channels: z
      .strictObject({
        email: z.boolean().optional().describe('Whether notices go by mail.'),
        webhook: z.boolean().optional().describe('Whether notices go to the webhook.'),
      })
      .optional()
      .describe(
        'Whether notices go by `email`, and to the `webhook`. Those of security and of billing always go by mail.',
      ),
    webhook_url: webhookUrl
      .nullish()
      .describe('Where notices are posted, signed; null takes it away. Needs an operator with a passkey.'),
    digest_cadence: z.enum(digestCadences).optional().describe('How often a summary is mailed.'),
    digest_day_of_week: z.int().min(1).max(7).optional().describe('The day of weekly summaries; 1 is Monday.'),
    digest_hour_utc: z.int().min(0).max(23).optional().describe('The hour of summaries, in UTC.'),
    threshold_alerts: z
      .enum(thresholdModes)
      .optional()
      .describe('Whether it is told at once that a limit comes near, or in the summary alone.'),
    lifecycle_events: z.enum(lifecycleModes).optional().describe('Of which events it is told at once.'),
    security_events: z.literal('always', 'must be `always`').optional().describe('Cannot be turned off.'),
    locale: z.string().max(64).refine(isLocale, 'must be a language tag').optional().describe('For example `de-CH`.'),
    timezone: z
      .string()
      .max(64)
      .refine(isTimezone, 'must be a time zone')
      .optional()
      .describe('In which times are written, for example `Europe/Zurich`.'),
  }),
  async handler(work, input): Promise<Preferences> {
    const principalId = work.principal.principal.id;
    if (input.webhook_url === undefined) await lockContact(work, principalId);
    else {
      await requirePasskey(work);
      await work.rows(webhookStatement.with({ principalId, webhook: input.webhook_url }));
    }
    await work.rows(keepPreferences.with({ principalId }));
    const before = await findPreferences(work.rows, principalId);
    const wanted = {
      email: input.channels?.email ?? before.email,
      webhook: input.channels?.webhook ?? before.webhook,
      digestCadence: input.digest_cadence ?? before.digestCadence,
      digestDay: input.digest_day_of_week ?? before.digestDay,
      digestHour: input.digest_hour_utc ?? before.digestHour,
      thresholdAlerts: input.threshold_alerts ?? before.thresholdAlerts,
      lifecycleEvents: input.lifecycle_events ?? before.lifecycleEvents,
      locale: input.locale ?? before.locale,
      timezone: input.timezone ?? before.timezone,
    };
    const digestDueAt = nextDigest(wanted, work.services.now());
    await work.rows(updateStatement.with({ principalId, ...wanted, digestDueAt }));
    return findPreferences(work.rows, principalId);
  },
  audit: (_wanted, input, { principal }) => ({
    action: 'notices.preferences_set',
    object: { kind: 'principal', id: principal.principal.id },
    details: { changed: Object.keys(input) },
  }),
  wire: PreferencesWire,
  toWire: preferencesToWire,
});

// What was given up before says nothing of another address.
const webhookStatement = statement(
  'notices.set-webhook',
  { params: pick(operatorContacts, 'principalId', 'webhook') },
  ({ principalId, webhook }) => sql`with moved as (
      update ${operatorContacts} ${setOf(operatorContacts, { webhook, updatedAt: sql`clock_timestamp()` })}
      where ${operatorContacts.principalId} = ${principalId}
    )
    update ${noticePreferences} ${setOf(noticePreferences, {
      webhookFailures: sql`0`,
      webhookDisabledAt: sql`null`,
    })} where ${noticePreferences.principalId} = ${principalId}`,
);

const updateStatement = statement(
  'notices.set-preferences',
  {
    params: pick(
      noticePreferences,
      'principalId',
      'email',
      'webhook',
      'digestCadence',
      'digestDay',
      'digestHour',
      'thresholdAlerts',
      'lifecycleEvents',
      'locale',
      'timezone',
      'digestDueAt',
    ),
  },
  ({ principalId, ...wanted }) => sql`update ${noticePreferences}
    ${setOf(noticePreferences, { ...wanted, updatedAt: sql`now()` })}
    where ${noticePreferences.principalId} = ${principalId}`,
);
