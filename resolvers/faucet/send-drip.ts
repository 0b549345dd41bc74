import { safeMessage } from '../../core/safe-message.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { type DripFailure, type DripState, faucetDrips, faucetTurns } from '../../db/schema/faucet.ts';
import { pick, setOf, statement, typed } from '../../db/sql.ts';
import { type Faucet, isUnavailable, TreasuryLow } from '../../engines/faucet/faucet.ts';
import type { Hex } from '../../engines/x402/networks.ts';
import { type LeasedItem, leasedStatements } from '../../kernel/durability/leased-statements.ts';
import type { LeasedKind } from '../../kernel/durability/leased-work.ts';
import type { Context } from '../../kernel/run/context.ts';
import type {} from './services.ts';

/** How long a node has a gift without a word of it, in seconds. */
const leaseSeconds = 30;

const leasedDrips = leasedStatements(
  {
    table: faucetDrips,
    id: faucetDrips.id,
    lane: faucetDrips.address,
    dueAt: faucetDrips.dueAt,
    lease: faucetDrips.lease,
  },
  leaseSeconds,
);

/** How long a block is waited for at a time, in milliseconds. */
const blockMs = 15_000;

/** Seconds until it is looked at again: one on its way, and one that could not be sent. */
const pauseSeconds = { sent: 2, unavailable: 15 } as const;

/** How long a transaction may be unknown to the node before another is sent, in milliseconds. */
const lostAfterMs = 120_000;

/** How often a gift is tried to be sent: for five minutes. */
const attemptsMax = 20;

/**
 * Sends a gift, or looks what became of the one that was sent. Its hash is kept before it is sent, so that whoever takes it
 * over after a crash looks for that transaction first. The money is test money: where the node has lost one for two minutes
 * another is sent.
 */
async function sendDrip(ctx: Context, { id, lease }: LeasedItem): Promise<void> {
  const { db, faucet, log } = ctx.services;
  const [drip] = await db.rows(beginStatement.with({ id, lease }));
  if (drip === undefined) return;
  const settle = (state: DripState, failure: DripFailure | null) =>
    db.rows(settleStatement.with({ id, lease, state, failure }));
  const putOff = (seconds: number, state: DripState) => db.rows(putOffStatement.with({ id, lease, seconds, state }));
  if (faucet === undefined || drip.attempts > attemptsMax) return void (await settle('failed', 'treasury_low'));
  try {
    const hash = drip.txHash === null ? await send(faucet) : (drip.txHash as Hex);
    const state = await faucet.stateOf(hash, blockMs);
    if (state === 'confirmed') return void (await settle('confirmed', null));
    if (state === 'reverted') return void (await settle('failed', 'reverted'));
    const isLost = state === 'lost' && drip.sentAt !== null && Date.now() - drip.sentAt.getTime() > lostAfterMs;
    await putOff(pauseSeconds.sent, isLost ? 'queued' : 'sent');
  } catch (error) {
    if (error instanceof TreasuryLow) return void (await settle('failed', 'treasury_low'));
    if (!isUnavailable(error)) throw error;
    log.warn({ drip_id: id, error: safeMessage(error) }, 'The faucet could not send.');
    await putOff(pauseSeconds.unavailable, drip.txHash === null ? 'queued' : 'sent');
  }

  function send(from: Faucet): Promise<Hex> {
    return from.send(drip!.address as Hex, drip!.amount, async (txHash) => {
      const kept = await db.rows(announceStatement.with({ id, lease, txHash }));
      if (kept.length === 0) throw new Error('Another node has taken the gift over.');
    });
  }
}

/** Gifts of the faucet: they take turns at one account, so few are sent at a time. */
export const faucetWork: LeasedKind = {
  statements: leasedDrips,
  run: sendDrip,
  atOnce: 4,
  perLane: 1,
  renewMs: 5_000,
};

const held = { ...pick(faucetDrips, 'id'), lease: typed<string>('text') };
const isHeld = ({ id, lease }: { readonly id: SQL; readonly lease: SQL }): SQL =>
  sql`${faucetDrips.id} = ${id} and ${faucetDrips.lease} = ${lease}`;

const beginStatement = statement(
  'faucet.begin',
  { params: held, row: pick(faucetDrips, 'address', 'amount', 'txHash', 'sentAt', 'attempts') },
  (given, row) => sql`update ${faucetDrips} ${setOf(faucetDrips, { attempts: sql`${faucetDrips.attempts} + 1` })}
    where ${isHeld(given)} returning ${row}`,
);

const announceStatement = statement(
  'faucet.announce',
  { params: { ...held, txHash: typed<string>('text') }, row: pick(faucetDrips, 'id') },
  ({ txHash, ...given }, row) =>
    sql`update ${faucetDrips} ${setOf(faucetDrips, {
      txHash,
      sentAt: sql`now()`,
      state: sql`'sent'`,
    })} where ${isHeld(given)} returning ${row}`,
);

const putOffStatement = statement(
  'faucet.put-off',
  { params: { ...held, state: typed<DripState>('text'), seconds: typed<number>('double precision') } },
  ({ state, seconds, ...given }) =>
    sql`update ${faucetDrips} ${setOf(faucetDrips, {
      state,
      txHash: sql`case when ${state} = 'queued' then null else ${faucetDrips.txHash} end`,
      dueAt: sql`now() + make_interval(secs => ${seconds})`,
      lease: sql`null`,
    })} where ${isHeld(given)}`,
);

const settleStatement = statement(
  'faucet.settle',
  { params: { ...held, state: typed<DripState>('text'), failure: typed<DripFailure | null>('text') } },
  ({ state, failure, ...given }) => sql`with settled as (
      update ${faucetDrips} ${setOf(faucetDrips, { state, failure, dueAt: sql`null`, lease: sql`null` })}
      where ${isHeld(given)} returning ${faucetDrips.id}, ${faucetDrips.state}
    )
    delete from ${faucetTurns} using settled
    where ${faucetTurns.dripId} = settled.id and settled.state = 'failed'`,
);
