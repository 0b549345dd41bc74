import { sql } from '../../../db/drizzle.ts';
import { checkouts } from '../../../db/schema/checkouts.ts';
import { allOf, pick, setOf, statement, typed } from '../../../db/sql.ts';
import { CardsUnavailable } from '../../../engines/cards/card-processor.ts';
import { LightningUnavailable } from '../../../engines/lightning/lightning.ts';
import { writeSystemAudit } from '../../../kernel/durability/audit-log.ts';
import type { LeasedItem } from '../../../kernel/durability/leased-statements.ts';
import { unitOfWork, type Work } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import type { Checkout } from '../checkout-rows.ts';
import { stopRecharge } from '../stop-recharge.ts';
import { bookPayment } from './book-payment.ts';
import { bookReversals } from './book-reversals.ts';
import { lookAtCard } from './look-at-card.ts';
import { lookAtInvoice } from './look-at-invoice.ts';
import type { Seen } from './seen.ts';
import { wakeCheckouts } from './wake-checkouts.ts';

/** Pauses after looks that were not answered, in seconds: the number of the look picks one, the last for all behind it. */
const pauses = [5, 15, 60, 300, 900] as const;

/**
 * Asks the provider about a checkout that this node holds, and books what it says under its lease: the money, what is bought
 * with it, and what has gone back. Row, ledger and what is bought share one transaction, so that a repetition moves nothing.
 */
export async function settleCheckout(ctx: Context, { id, lease }: LeasedItem): Promise<void> {
  const { db, log } = ctx.services;
  const [held] = await db.rows(heldStatement.with({ id, lease }));
  if (held === undefined) return;
  const seen = await look(ctx, held);
  if (seen === undefined) {
    const seconds = pauses[Math.min(held.looks, pauses.length - 1)]!;
    log.warn({ topup: id, rail: held.rail, seconds }, 'A checkout could not be looked up.');
    await db.rows(putBackStatement.with({ id, lease, seconds }));
    return;
  }
  await unitOfWork(ctx, async (work) => {
    const [row] = await work.rows(lockStatement.with({ id, lease }));
    if (row === undefined) return;
    await book(work, row, seen);
    const again = row.hints === held.hints ? seen.again : 0;
    const [written] = await work.rows(settledStatement.with({ id, seconds: again }));
    if (written?.dueAt != null) await wakeCheckouts(work, id, written.dueAt);
  });
}

/** Asks the provider. @returns undefined where it cannot say */
async function look(ctx: Context, held: Checkout): Promise<Seen | undefined> {
  try {
    return held.rail === 'card' ? await lookAtCard(ctx, held) : await lookAtInvoice(ctx, held);
  } catch (error) {
    if (error instanceof CardsUnavailable || error instanceof LightningUnavailable) return undefined;
    throw error;
  }
}

async function book(work: Work, row: Checkout, seen: Seen): Promise<void> {
  const isFirst = row.creditedEntryId === null;
  // What is credited stays so, whatever state a look shows: money that went back is booked as such.
  const credited = seen.payment !== undefined && isFirst ? await bookPayment(work, row, seen.payment) : undefined;
  if (credited !== undefined) {
    const { entryId, outcome, paidAt } = credited;
    await work.rows(paidStatement.with({ id: row.id, state: seen.state, entryId, outcome, paidAt }));
    await audit(work, row, 'checkout.paid', { outcome, ledger_entry_id: entryId });
  } else if (isFirst && seen.state !== row.state) {
    await work.rows(stateStatement.with({ id: row.id, state: seen.state, failure: seen.failure ?? null }));
    if (row.automatic && seen.state === 'failed')
      await stopRecharge(work, row.orgId, seen.failure ?? 'The card was declined.');
    if (seen.state !== 'pending') await audit(work, row, `checkout.${seen.state}`, { failure: seen.failure ?? null });
  }
  const paid = !isFirst || credited !== undefined;
  if (!paid || seen.back === undefined || seen.back === row.takenBack) return;
  const booked = await bookReversals(work, { ...row, outcome: credited?.outcome ?? row.outcome }, seen.back);
  await work.rows(backStatement.with({ id: row.id, takenBack: seen.back, creditsBack: booked.creditsBack }));
  await audit(work, row, 'checkout.reversed', {
    taken_back_usd_micros: Number(seen.back),
    owed_usd_micros: Number(booked.owed),
  });
}

const audit = (work: Work, { id, orgId, product, rail, amount }: Checkout, action: string, details: object) =>
  writeSystemAudit(work.client, work, 'payment_provider', [
    {
      action,
      orgId,
      object: { kind: 'checkout', id },
      details: { product, rail, amount_usd_micros: Number(amount), ...details },
    },
  ]);

const held = pick(checkouts, 'id', 'lease');

const heldStatement = statement(
  'checkouts.held',
  { params: held, row: allOf(checkouts) },
  ({ id, lease }, row) => sql`select ${row} from ${checkouts}
    where ${checkouts.id} = ${id} and ${checkouts.lease} = ${lease}`,
);

const lockStatement = statement(
  'checkouts.lock-held',
  { params: held, row: allOf(checkouts) },
  ({ id, lease }, row) => sql`select ${row} from ${checkouts}
    where ${checkouts.id} = ${id} and ${checkouts.lease} = ${lease} for update`,
);

const seconds = typed<number | null>('double precision');

const settledStatement = statement(
  'checkouts.settled',
  { params: { ...pick(checkouts, 'id'), seconds }, row: pick(checkouts, 'dueAt') },
  (given, row) =>
    sql`update ${checkouts} ${setOf(checkouts, {
      lease: sql`null`,
      looks: sql`${checkouts.looks} + 1`,
      dueAt: sql`now() + make_interval(secs => ${given.seconds})`,
    })} where ${checkouts.id} = ${given.id} returning ${row}`,
);

const putBackStatement = statement(
  'checkouts.put-back',
  { params: { ...held, seconds } },
  ({ id, lease, seconds: pause }) =>
    sql`update ${checkouts} ${setOf(checkouts, {
      lease: sql`null`,
      looks: sql`${checkouts.looks} + 1`,
      dueAt: sql`now() + make_interval(secs => ${pause})`,
    })} where ${checkouts.id} = ${id} and ${checkouts.lease} = ${lease}`,
);

const paidStatement = statement(
  'checkouts.paid',
  {
    params: {
      ...pick(checkouts, 'id', 'state', 'outcome'),
      entryId: checkouts.creditedEntryId,
      paidAt: checkouts.paidAt,
    },
  },
  ({ id, state, outcome, entryId, paidAt }) =>
    sql`update ${checkouts} ${setOf(checkouts, {
      state,
      outcome,
      failure: sql`null`,
      creditedEntryId: entryId,
      paidAt: sql`coalesce(${paidAt}, now())`,
    })} where ${checkouts.id} = ${id}`,
);

const stateStatement = statement(
  'checkouts.state',
  { params: pick(checkouts, 'id', 'state', 'failure') },
  ({ id, state, failure }) => sql`update ${checkouts} ${setOf(checkouts, { state, failure })}
    where ${checkouts.id} = ${id}`,
);

const backStatement = statement(
  'checkouts.back',
  { params: pick(checkouts, 'id', 'takenBack', 'creditsBack') },
  ({ id, takenBack, creditsBack }) =>
    sql`update ${checkouts} ${setOf(checkouts, {
      takenBack,
      creditsBack,
      reversals: sql`${checkouts.reversals} + 1`,
    })} where ${checkouts.id} = ${id}`,
);
