import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { networkOf } from '../../core/network-of.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { faucetDrips, faucetTurns } from '../../db/schema/faucet.ts';
import { computed, excluded, insertInto, nameOf, pick, setOf, statement } from '../../db/sql.ts';
import { anyone } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { walletAddress } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { addDrip, type Drip, GiftWire, giftToWire, requireFaucet, requireTreasury, settledDrip } from './drip.ts';

/** `POST /faucet/v1`. Contract 04, section 1.6. */
export const requestFaucet = mutation({
  name: 'allowance.faucet',
  tool: 'request_faucet',
  command: 'allowance fund',
  effects: ['openWorld'],
  duration: 'long',
  summary: 'Have test USDC sent to a wallet: once a day for each wallet and each network of clients.',
  path: 'POST /faucet/v1',
  access: anyone(),
  input: z.object({ address: walletAddress.describe('The wallet that gets it.') }),
  prepare: async (ctx) => requireTreasury(ctx, requireFaucet(ctx).amount),
  async handler(work, { address }): Promise<Drip> {
    const { amount } = requireFaucet(work);
    const id = work.services.newId('drip');
    const standing = await takeTurn(work, `address:${address}`, id);
    // The one that is on its way is what is asked for.
    if (standing?.isOpen === true) return { id: standing.dripId, isNew: false };
    const other = standing ?? (await takeTurn(work, `network:${networkOf(work.request.address)}`, id));
    if (other !== undefined) {
      const { retryAfter } = other;
      throw new ServiceError('RATE_LIMITED', { retryAfter, details: { retry_after: retryAfter } });
    }
    await addDrip(work, { id, address, amount });
    return { id, isNew: true };
  },
  audit: ({ id, isNew }, { address }) =>
    isNew ? { action: 'faucet.sent', object: { kind: 'faucet_drip', id }, details: { address } } : undefined,
  wire: GiftWire,
  toWire: async (drip, ctx) => giftToWire(await settledDrip(ctx, drip)),
});

interface Turn {
  readonly dripId: string;
  readonly isOpen: boolean;
  readonly retryAfter: number;
}

/** Takes the turn of the day. @returns the one that was taken before, where there is none left */
async function takeTurn(work: Work, subject: string, dripId: string): Promise<Turn | undefined> {
  const [taken] = await work.rows(takeStatement.with({ subject, dripId }));
  if (taken !== undefined) return undefined;
  const [standing] = await work.rows(standingStatement.with({ subject }));
  // It was given back between the two statements.
  return standing ?? { dripId, isOpen: false, retryAfter: 1 };
}

const dayOn = (at: SQL): SQL => sql`${at} + interval '24 hours'`;

const takeStatement = statement(
  'faucet.take-turn',
  { params: pick(faucetTurns, 'subject', 'dripId'), row: pick(faucetTurns, 'subject') },
  (given, row) => sql`${insertInto(faucetTurns, given)} on conflict (${nameOf(faucetTurns.subject)}) do update
    ${setOf(faucetTurns, { dripId: excluded(faucetTurns.dripId), takenAt: sql`now()` })}
    where ${dayOn(sql`${faucetTurns.takenAt}`)} <= now() returning ${row}`,
);

const standingStatement = statement(
  'faucet.turn',
  {
    params: pick(faucetTurns, 'subject'),
    row: {
      dripId: faucetTurns.dripId,
      isOpen: computed<boolean>('boolean', sql`coalesce(${faucetDrips.dueAt} is not null, false)`),
      retryAfter: computed<number>(
        'integer',
        sql`greatest(1, ceil(extract(epoch from ${dayOn(sql`${faucetTurns.takenAt}`)} - now())))::int`,
      ),
    },
  },
  ({ subject }, row) => sql`select ${row} from ${faucetTurns}
    left join ${faucetDrips} on ${faucetDrips.id} = ${faucetTurns.dripId}
    where ${faucetTurns.subject} = ${subject}`,
);
