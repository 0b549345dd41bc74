import { sql } from '../../../db/drizzle.ts';
import { isPast } from '../../../db/intervals.ts';
import { contractCalls, signers } from '../../../db/schema/signers.ts';
import { pick, type RowOf, setOf, statement, typed } from '../../../db/sql.ts';
import { ChainUnavailable } from '../../../engines/chains/finding.ts';
import type { SignerChainName } from '../../../engines/signers/networks.ts';
import type { Address } from '../../../engines/x402/networks.ts';
import { unitOfWork } from '../../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../../kernel/feeds/append-event.ts';
import type { Context } from '../../../kernel/run/context.ts';
import type { Task } from '../../../kernel/run/task.ts';
import { dust } from '../delete-signer.ts';
import { signerEvents } from '../event-types.ts';
import { windUp } from './wind-up.ts';

/** The job that looks what signers hold, winds up and destroys keys. */
export const watchSignersTask = 'watch_signers';

/** Signers that are looked at together, each by one question to its chain. */
const batch = 16;

/** Tells of balances that are low, winds up signers whose time is over, and destroys keys whose window has ended. */
export const watchSigners: Task = async ({ ctx }) => {
  await watchBalances(ctx);
  await windUp(ctx);
  await destroyKeys(ctx);
};

async function watchBalances(ctx: Context): Promise<void> {
  for (let after = ''; ; ) {
    ctx.signal.throwIfAborted();
    const found = await ctx.services.db.rows(watchedStatement.with({ after, limit: batch }));
    await Promise.all(found.map((one) => watch(ctx, one)));
    if (found.length < batch) return;
    after = found.at(-1)!.id;
  }
}

async function watch(ctx: Context, { id, chain: name, address, threshold }: Watched): Promise<void> {
  const balance = await balanceOf(ctx, name, address);
  if (balance === undefined) return;
  const balanceWei = String(balance);
  const isLow = balance < BigInt(threshold!);
  await unitOfWork(ctx, async (work) => {
    const [told] = await work.rows(tellStatement.with({ id, balance: balanceWei, isLow }));
    if (told === undefined || !isLow) return;
    const { orgId, projectId } = told;
    const payload = { signer_id: id, chain: name, address, balance_wei: balanceWei, threshold_wei: threshold! };
    work.append(appendEvent({ orgId, projectId, type: signerEvents.signer_balance_low, payload }));
  });
}

/** Of what still holds something the key is kept, however long. */
async function destroyKeys(ctx: Context): Promise<void> {
  for (const { id, chain, address } of await ctx.services.db.rows(endedStatement.with({}))) {
    ctx.signal.throwIfAborted();
    const balance = await balanceOf(ctx, chain, address);
    if (balance !== undefined && balance < dust) await ctx.services.db.rows(destroyStatement.with({ id }));
  }
}

/** What an account holds; undefined while its chain cannot be asked. */
async function balanceOf({ services }: Context, name: SignerChainName, address: string): Promise<bigint | undefined> {
  if (!services.signerChains.offers(name)) return undefined;
  try {
    return await (await services.signerChains.open(name)).balance(address as Address);
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    return undefined;
  }
}

const watchedColumns = pick(signers, 'id', 'chain', 'address', 'threshold');
type Watched = RowOf<typeof watchedColumns>;

const watchedStatement = statement(
  'signers.watched',
  { params: { after: typed<string>('text'), limit: typed<number>('bigint') }, row: watchedColumns },
  ({ after, limit }, row) => sql`select ${row} from ${signers} where ${signers.threshold} is not null
    and ${signers.status} <> 'deleted' and ${signers.id} > ${after} order by ${signers.id} limit ${limit}`,
);

// Nodes that look at once write one after the other: the second finds that it was told.
const tellStatement = statement(
  'signers.tell-balance',
  {
    params: { ...pick(signers, 'id', 'balance'), isLow: typed<boolean>('boolean') },
    row: pick(signers, 'orgId', 'projectId'),
  },
  ({ id, balance, isLow }, row) => sql`update ${signers} ${setOf(signers, {
    balance,
    lastAlertSentAt: sql`case when ${isLow} then now() else ${signers.lastAlertSentAt} end`,
  })} where ${signers.id} = ${id} and ${signers.status} <> 'deleted' and (not ${isLow} or ${signers.lastAlertSentAt} is null
      or ${isPast(signers.lastAlertSentAt, '24 hours')}) returning ${row}`,
);

const endedStatement = statement(
  'signers.keys-to-destroy',
  { row: pick(signers, 'id', 'chain', 'address') },
  (_none, row) => sql`select ${row} from ${signers}
    where ${signers.wrapped} is not null and ${signers.status} = 'deleted' and not ${signers.windingUp}
      and ${isPast(signers.scheduledDeletionAt)} and not exists (
        select from ${contractCalls} where ${contractCalls.signerId} = ${signers.id} and ${contractCalls.status} = 'pending')
    order by ${signers.scheduledDeletionAt} limit 200`,
);

const destroyStatement = statement(
  'signers.destroy-key',
  { params: pick(signers, 'id') },
  ({ id }) => sql`update ${signers} ${setOf(signers, { wrapped: sql`null` })} where ${signers.id} = ${id}`,
);
