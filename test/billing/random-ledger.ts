import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { unitOfWork } from '../../kernel/durability/unit-of-work.ts';
import { hold, post, settleHold } from '../../resolvers/ledger/shared/ledger.ts';
import { jobContext } from '../../server/workers.ts';
import type { Service } from '../helpers/service.ts';

/** The numbers of mulberry32, so that a run can be repeated. */
function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/**
 * Moves the balances of a few organizations at random on several connections: credits, debits, holds and settlements, all
 * of them repeated now and then, and more than there is to spend.
 *
 * @returns how many were refused for want of money, so that a test knows that there were some
 */
export async function moveAtRandom(
  service: Service,
  orgIds: readonly string[],
  { operations, connections, seed }: { operations: number; connections: number; seed: number },
): Promise<number> {
  const ctx = jobContext(service.app.services, new AbortController().signal);
  let refused = 0;
  let done = 0;
  const worker = async (number: number): Promise<void> => {
    const random = randomOf(seed + number);
    /** Holds of this worker, open and settled: a settled one is settled again. */
    const holds: { orgId: string; amount: bigint; reference: { type: string; id: string } }[] = [];
    while (done++ < operations) {
      const orgId = orgIds[random(orgIds.length)]!;
      const amount = BigInt(1 + random(1_000));
      const reference = { type: 'trial', id: randomUUID() };
      const kind = random(10);
      const again = random(8) === 0 ? 2 : 1;
      for (let time = 0; time < again; time++) {
        try {
          await unitOfWork(ctx, async (work) => {
            if (kind < 4) {
              const promotional = kind === 0 ? amount : 0n;
              await post(work, { orgId, direction: 'credit', kind: 'adjustment', amount, promotional, reference });
            } else if (kind < 6) await post(work, { orgId, direction: 'debit', kind: 'tier_fee', amount, reference });
            else if (kind < 8 || holds.length === 0) await hold(work, { orgId, amount, reference });
            else {
              const one = holds[random(holds.length)]!;
              const captured = BigInt(random(Number(one.amount) + 1));
              await settleHold(work, { ...one, kind: 'job', captured });
            }
          });
          if (kind >= 6 && kind < 8 && time === 0) holds.push({ orgId, amount, reference });
        } catch (error) {
          if ((error as { code?: string }).code !== 'INSUFFICIENT_FUNDS') throw error;
          refused += 1;
        }
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, number) => worker(number)));
  return refused;
}

/** Each balance is the sum of its entries, each entry carries the balance after it, and nothing was ever below zero. */
export async function expectProvenBalances(
  service: Pick<Service, 'control'>,
  orgIds: readonly string[],
): Promise<void> {
  const faults = await service.control.sql(
    `with moved as (
       select e.*,
         case when kind in ('hold') then -amount_usd_micros when kind = 'release' then amount_usd_micros
           when held.id is not null then 0 when direction = 'credit' then amount_usd_micros else -amount_usd_micros
         end as available_by,
         case when kind = 'hold' then amount_usd_micros when kind = 'release' or held.id is not null then -amount_usd_micros
           else 0 end as held_by
       from ledger_entries e
       left join lateral (select h.id from ledger_entries h where e.kind = 'job' and h.org_id = e.org_id
         and h.reference_type = e.reference_type and h.reference_id = e.reference_id and h.kind = 'hold') held on true
       where org_id = any($1::uuid[])
     ), summed as (
       select org_id, seq, balance_after_available, balance_after_held, promotional_usd_micros, amount_usd_micros,
         sum(available_by) over w as available, sum(held_by) over w as held, row_number() over w as place,
         sum(case when available_by < 0 then -promotional_usd_micros when available_by > 0 then promotional_usd_micros
           else 0 end) over w as promotional
       from moved window w as (partition by org_id order by seq)
     )
     select s.* from summed s join org_balances b using (org_id)
     where s.available <> s.balance_after_available or s.held <> s.balance_after_held or s.place <> s.seq
       or s.available < 0 or s.held < 0 or s.promotional < 0 or s.promotional > s.available
       or s.promotional_usd_micros > s.amount_usd_micros
       or (s.seq = b.entries and (s.available <> b.available_usd_micros or s.held <> b.held_usd_micros
         or s.promotional <> b.promotional_usd_micros))`,
    [orgIds],
  );
  expect(faults).toEqual([]);
  const overdrawn = await service.control.sql(
    `select h.reference_id from ledger_entries h
     join ledger_entries e using (org_id, reference_type, reference_id)
     where h.kind = 'hold' and e.kind in ('job', 'release') and h.org_id = any($1::uuid[])
     group by h.reference_id, h.amount_usd_micros having sum(e.amount_usd_micros) <> h.amount_usd_micros`,
    [orgIds],
  );
  expect(overdrawn).toEqual([]);
}
