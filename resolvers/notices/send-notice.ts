import { createHmac } from 'node:crypto';
import { GuardedFetchError } from '../../core/guarded-fetch.ts';
import { sql } from '../../db/drizzle.ts';
import { type NoticeState, noticePreferences, notices } from '../../db/schema/notices.ts';
import { operatorContacts } from '../../db/schema/operator-contacts.ts';
import { memberships } from '../../db/schema/orgs.ts';
import { computed, pick, type RowOf, setOf, statement, typed } from '../../db/sql.ts';
import type { LeasedItem } from '../../kernel/durability/leased-statements.ts';
import { unitOfWork, type Work } from '../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../kernel/feeds/append-event.ts';
import type { Context } from '../../kernel/run/context.ts';
import { noticeEvents } from './event-types.ts';
import { wakeNotices } from './wake.ts';

/** Pauses after attempts that failed, in seconds; after the last attempt a notice is given up. */
const pauses = [10, 60, 300, 1_800];
/** After so many notices that were given up one after the other, nothing is posted any more. */
const failuresMax = 5;
/** Characters of what is kept of a failure. */
const errorMax = 500;

/**
 * Posts a notice that this node holds, and writes how it went under its lease: a node that has lost it writes nothing, and
 * whoever has it now posts it again. Receivers tell repetitions by its id.
 */
export async function sendNotice(ctx: Context, { id, lease }: LeasedItem): Promise<void> {
  const [held] = await ctx.services.db.rows(heldStatement.with({ id, lease }));
  if (held === undefined) return;
  const error = held.url === null || held.secret === null ? gone : await post(ctx, held, held.url, held.secret);
  // Whoever stops this node is no fault of the receiver's: it is sent again, and this attempt does not count.
  if (ctx.signal.aborted && error !== undefined) {
    await ctx.services.db.rows(putBackStatement.with({ id, lease }));
    return;
  }
  const attempts = held.attempts + 1;
  const pause = error === undefined || error === gone ? undefined : pauses[attempts - 1];
  const state: NoticeState =
    error === undefined ? 'delivered' : pause === undefined ? 'failed_permanent' : 'failed_transient';
  await unitOfWork(ctx, async (work) => {
    const said = error?.slice(0, errorMax).toWellFormed() ?? null;
    const [written] = await work.rows(
      settleStatement.with({ id, lease, attempts, state, error: said, seconds: pause ?? null }),
    );
    if (written === undefined) return;
    if (written.dueAt !== null) await wakeNotices(work, id, written.dueAt);
    else if (error !== gone) await countFailure(work, held, error !== undefined);
  });
}

const gone = 'There is no webhook, or nothing is posted to it any more.';

/** @returns what went wrong; undefined once the receiver has it */
async function post(ctx: Context, held: Held, url: string, sealed: Buffer): Promise<string | undefined> {
  const { services, signal } = ctx;
  const secret = services.keys.open('notice-secrets', sealed, held.principalId);
  const body = JSON.stringify({ id: held.id, ...held.payload });
  const at = Math.floor(services.now().getTime() / 1_000);
  const digest = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  try {
    const { status, headers } = await services.webhookFetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'svc-webhooks/1',
        'svc-webhook-id': held.id,
        'svc-signature': `t=${at},v1=${digest}`,
      },
      body,
      signal,
    });
    if (status >= 200 && status < 300) return undefined;
    const location = headers.get('location');
    return `The answer was ${status}${location === null ? '' : ` and leads to ${location}`}.`;
  } catch (error) {
    if (!(error instanceof GuardedFetchError)) throw error;
    return error.message;
  }
}

/** One that takes nothing any more is left alone, and whoever answers is told so by mail. */
async function countFailure(work: Work, { principalId, isTest }: Held, failed: boolean): Promise<void> {
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

const heldRow = {
  ...pick(notices, 'id', 'principalId', 'attempts', 'payload', 'isTest'),
  url: computed<string | null>('text', sql`${operatorContacts.webhook}`),
  secret: computed<Buffer | null>('bytea', sql`${noticePreferences.webhookSecret}`),
};
type Held = RowOf<typeof heldRow>;

const heldBy = { id: notices.id, lease: typed<string>('text') };

const heldStatement = statement(
  'notices.held',
  { params: heldBy, row: heldRow },
  ({ id, lease }, row) => sql`select ${row} from ${notices}
    left join ${operatorContacts} on ${operatorContacts.principalId} = ${notices.principalId}
    left join ${noticePreferences} on ${noticePreferences.principalId} = ${notices.principalId}
      and ${noticePreferences.webhookDisabledAt} is null
    where ${notices.id} = ${id} and ${notices.lease} = ${lease}`,
);

const settleStatement = statement(
  'notices.settle',
  {
    params: {
      ...heldBy,
      ...pick(notices, 'attempts', 'state', 'error'),
      seconds: typed<number | null>('double precision'),
    },
    row: pick(notices, 'dueAt'),
  },
  ({ id, lease, seconds, ...outcome }, row) =>
    sql`update ${notices} ${setOf(notices, {
      ...outcome,
      dueAt: sql`now() + make_interval(secs => ${seconds})`,
      lease: sql`null`,
    })} where ${notices.id} = ${id} and ${notices.lease} = ${lease} returning ${row}`,
);

const putBackStatement = statement(
  'notices.put-back',
  { params: heldBy },
  ({ id, lease }) => sql`update ${notices} ${setOf(notices, { dueAt: sql`now()`, lease: sql`null` })}
    where ${notices.id} = ${id} and ${notices.lease} = ${lease}`,
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
