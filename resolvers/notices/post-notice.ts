import { createHmac } from 'node:crypto';
import { postWebhook, refusalOf } from '../../core/post-webhook.ts';
import { sql } from '../../db/drizzle.ts';
import { noticePreferences } from '../../db/schema/notices.ts';
import { operatorContacts } from '../../db/schema/operator-contacts.ts';
import { memberships } from '../../db/schema/orgs.ts';
import { computed, pick, setOf, statement, typed } from '../../db/sql.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../kernel/feeds/append-event.ts';
import type { Context } from '../../kernel/run/context.ts';
import { noticeEvents } from './event-types.ts';
import type { HeldNotice, Outcome } from './held-notice.ts';

/** After so many notices that were given up one after the other, nothing is posted any more. */
const failuresMax = 5;

/** Posts a notice to the webhook of its reader, signed anew with each attempt: receivers refuse signatures that are old. */
export async function postNotice({ services, signal }: Context, notice: HeldNotice): Promise<Outcome> {
  const [webhook] = await services.db.rows(webhookStatement.with({ principalId: notice.principalId }));
  if (webhook === undefined)
    return { error: 'There is no webhook, or nothing is posted to it any more.', isFinal: true };
  const secret = services.keys.open('notice-secrets', webhook.secret, notice.principalId);
  const body = JSON.stringify({ id: notice.id, ...notice.payload });
  const at = Math.floor(services.now().getTime() / 1_000);
  const digest = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  const headers = { 'svc-webhook-id': notice.id, 'svc-signature': `t=${at},v1=${digest}` };
  const error = refusalOf(await postWebhook(services.webhookFetch, webhook.url, { headers, body, signal }));
  return error === undefined ? {} : { error };
}

/** One that takes nothing any more is left alone, and whoever answers is told so by mail. */
export async function countPosted(work: Work, { principalId, isTest }: HeldNotice, failed: boolean): Promise<void> {
  if (isTest && failed) return;
  const [counted] = await work.rows(countStatement.with({ principalId, failed, failuresMax }));
  if (counted?.isDisabledNow !== true) return;
  for (const { orgId } of await work.rows(ownedStatement.with({ principalId })))
    work.append(
      appendEvent({
        orgId,
        projectId: null,
        type: noticeEvents.webhook_disabled,
        payload: { target: 'operator_webhook', consecutive_failures: counted.failures },
      }),
    );
}

const webhookStatement = statement(
  'notices.webhook',
  {
    params: pick(noticePreferences, 'principalId'),
    row: {
      url: computed<string>('text', sql`${operatorContacts.webhook}`),
      secret: computed<Buffer>('bytea', sql`${noticePreferences.webhookSecret}`),
    },
  },
  ({ principalId }, row) => sql`select ${row} from ${noticePreferences}
    join ${operatorContacts} on ${operatorContacts.principalId} = ${noticePreferences.principalId}
    where ${noticePreferences.principalId} = ${principalId} and ${noticePreferences.webhookDisabledAt} is null
      and ${noticePreferences.webhookSecret} is not null and ${operatorContacts.webhook} is not null`,
);

/** As precise as the column. */
const now = sql`date_trunc('milliseconds', now())`;

const countStatement = statement(
  'notices.count-failure',
  {
    params: {
      ...pick(noticePreferences, 'principalId'),
      failed: typed<boolean>('boolean'),
      failuresMax: typed<number>('integer'),
    },
    row: {
      failures: computed<number>('integer', sql`${noticePreferences.webhookFailures}`),
      isDisabledNow: computed<boolean>(
        'boolean',
        sql`coalesce(${noticePreferences.webhookDisabledAt} = ${now}, false)`,
      ),
    },
  },
  ({ principalId, failed, failuresMax: most }, row) => {
    const counted = sql`case when ${failed}::boolean then ${noticePreferences.webhookFailures} + 1 else 0 end`;
    return sql`update ${noticePreferences} ${setOf(noticePreferences, {
      webhookFailures: counted,
      webhookDisabledAt: sql`case when ${counted} >= ${most}::int
        then coalesce(${noticePreferences.webhookDisabledAt}, ${now}) end`,
    })} where ${noticePreferences.principalId} = ${principalId} returning ${row}`;
  },
);

const ownedStatement = statement(
  'notices.owned-orgs',
  { params: pick(memberships, 'principalId'), row: pick(memberships, 'orgId') },
  ({ principalId }, row) => sql`select ${row} from ${memberships} where ${memberships.principalId} = ${principalId}
    and ${memberships.status} = 'active' and ${memberships.role} = 'owner' order by ${memberships.orgId}`,
);
