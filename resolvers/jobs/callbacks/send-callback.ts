import { postWebhook, refusalOf } from '../../../core/post-webhook.ts';
import { sql } from '../../../db/drizzle.ts';
import { jobCallbacks } from '../../../db/schema/jobs.ts';
import { pick, setOf, statement, typed } from '../../../db/sql.ts';
import type { LeasedItem } from '../../../kernel/durability/leased-statements.ts';
import { unitOfWork } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { callbackKey, wakeCallbacks } from './tell-of-end.ts';

/** Attempts of one callback, and the pauses between them in seconds: twice as long after each. */
const attemptsMax = 10;
const firstPause = 2;
const longestPause = 600;
/** Characters of what is kept of a failure. */
const errorMax = 500;

/**
 * Tells of the end of a job that this node holds the callback of, and writes how it went under its lease: a node that has
 * lost it writes nothing, and whoever has it now sends it again. Receivers tell repetitions by the key.
 */
export async function sendCallback(ctx: Context, { id, lease }: LeasedItem): Promise<void> {
  const { services, signal } = ctx;
  const [held] = await services.db.rows(heldStatement.with({ id, lease }));
  if (held === undefined) return;
  const posted = await postWebhook(services.webhookFetch, held.url, {
    headers: { 'svc-webhook-id': callbackKey(id) },
    body: held.body,
    signal,
  });
  const error = refusalOf(posted);
  const isDelivered = error === undefined;
  // Whoever stops this node is no fault of the receiver's: it is sent again, and this attempt does not count.
  const counted = signal.aborted && !isDelivered ? 0 : 1;
  const attempts = held.attempts + counted;
  const isOver = isDelivered || attempts >= attemptsMax;
  const pause = counted === 0 ? 0 : Math.min(longestPause, firstPause * 2 ** (attempts - 1));
  await unitOfWork(ctx, async (work) => {
    const [written] = await work.rows(
      settleStatement.with({
        id,
        lease,
        attempts,
        status: isDelivered ? 'delivered' : isOver ? 'failed_permanent' : 'pending',
        lastStatus: posted.status,
        lastError: error?.slice(0, errorMax).toWellFormed() ?? null,
        seconds: isOver ? null : pause,
      }),
    );
    if (written?.dueAt != null) await wakeCallbacks(work, id, written.dueAt);
  });
}

const held = pick(jobCallbacks, 'id', 'lease');

const heldStatement = statement(
  'jobs.held-callback',
  { params: held, row: pick(jobCallbacks, 'url', 'body', 'attempts') },
  ({ id, lease }, row) => sql`select ${row} from ${jobCallbacks}
    where ${jobCallbacks.id} = ${id} and ${jobCallbacks.lease} = ${lease}`,
);

const settleStatement = statement(
  'jobs.settle-callback',
  {
    params: {
      ...held,
      ...pick(jobCallbacks, 'attempts', 'status', 'lastStatus', 'lastError'),
      seconds: typed<number | null>('double precision'),
    },
    row: pick(jobCallbacks, 'dueAt'),
  },
  ({ id, lease, seconds, ...given }, row) => sql`update ${jobCallbacks}
    ${setOf(jobCallbacks, {
      ...given,
      dueAt: sql`now() + make_interval(secs => ${seconds})`,
      lease: sql`null`,
    })} where ${jobCallbacks.id} = ${id} and ${jobCallbacks.lease} = ${lease} returning ${row}`,
);
