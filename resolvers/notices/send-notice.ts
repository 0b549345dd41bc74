import { sql } from '../../db/drizzle.ts';
import { type NoticeState, notices } from '../../db/schema/notices.ts';
import { pick, setOf, statement, typed } from '../../db/sql.ts';
import type { LeasedItem } from '../../kernel/durability/leased-statements.ts';
import { unitOfWork } from '../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../kernel/run/context.ts';
import { countChat, sendChat } from './chat/send-chat.ts';
import { type HeldNotice, heldRow } from './held-notice.ts';
import { countPosted, postNotice } from './post-notice.ts';
import { wakeNotices } from './wake.ts';

/** Pauses after attempts that failed, in seconds; after the last attempt a notice is given up. */
const pauses = [10, 60, 300, 1_800];
/** Characters of what is kept of a failure. */
const errorMax = 500;

/**
 * Sends a notice that this node holds, and writes how it went under its lease: a node that has lost it writes nothing, and
 * whoever has it now sends it again. Receivers tell repetitions by its id.
 */
export async function sendNotice(ctx: Context, { id, lease }: LeasedItem): Promise<void> {
  const [held] = await ctx.services.db.rows(heldStatement.with({ id, lease }));
  if (held === undefined) return;
  const isChat = held.channel === 'chat';
  const outcome = isChat ? await sendChat(ctx, held.target, textOf(held)) : await postNotice(ctx, held);
  const { error, isFinal = false } = outcome;
  // Whoever stops this node is no fault of the receiver's: it is sent again, and this attempt does not count.
  if (ctx.signal.aborted && error !== undefined) {
    await ctx.services.db.rows(putBackStatement.with({ id, lease }));
    return;
  }
  const attempts = held.attempts + 1;
  const pause = error === undefined || isFinal ? undefined : pauseAfter(attempts, outcome.retryAfter);
  const state: NoticeState =
    error === undefined ? 'delivered' : pause === undefined ? 'failed_permanent' : 'failed_transient';
  await unitOfWork(ctx, async (work) => {
    const said = error?.slice(0, errorMax).toWellFormed() ?? null;
    const [written] = await work.rows(
      settleStatement.with({ id, lease, attempts, state, error: said, seconds: pause ?? null }),
    );
    if (written === undefined) return;
    if (written.dueAt !== null) await wakeNotices(work, id, written.dueAt);
    else if (isChat) await countChat(work, held.target, isFinal);
    else if (!isFinal) await countPosted(work, held, error !== undefined);
  });
}

const pauseAfter = (attempts: number, wanted: number | undefined): number | undefined => {
  const usual = pauses[attempts - 1];
  return usual === undefined ? undefined : (wanted ?? usual);
};

const textOf = ({ payload }: HeldNotice): string => String((payload as { readonly text?: unknown } | null)?.text ?? '');

const heldBy = { id: notices.id, lease: typed<string>('text') };

const heldStatement = statement(
  'notices.held',
  { params: heldBy, row: heldRow },
  ({ id, lease }, row) =>
    sql`select ${row} from ${notices} where ${notices.id} = ${id} and ${notices.lease} = ${lease}`,
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
