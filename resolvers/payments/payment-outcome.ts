import { deserialize, serialize } from 'node:v8';
import { sql } from '../../db/drizzle.ts';
import { interval, isPast } from '../../db/intervals.ts';
import { type Payment, payments } from '../../db/schema/payments.ts';
import { setOf, statement } from '../../db/sql.ts';
import type { Services } from '../../kernel/run/context.ts';

/** How long the answer of a payment is kept, in hours: so long can it be had once more. Contract 00, section 1.9. */
export const keptHours = 24;

/** What was bought, as it is answered: plain data. */
export interface Outcome {
  readonly output: unknown;
}

type Keys = Pick<Services, 'keys'>;

/** Version of what is stored as an outcome: raise it with any change that `toWire` could not make sense of. */
const outcomeVersion = 1;

const contextOf = (id: string) => `outcome:${id}`;

/** An outcome as the ledger keeps it: encrypted, for this payment alone. */
export const sealOutcome = ({ keys }: Keys, { id }: Pick<Payment, 'id'>, outcome: Outcome): Buffer =>
  keys.seal('payments', Buffer.concat([Buffer.of(outcomeVersion), serialize(outcome)]), contextOf(id));

/** The stored answer of a payment; undefined when there is none, or one of another version or of a root secret that is gone. */
export function openOutcome({ keys }: Keys, row: Payment): Outcome | undefined {
  if (row.outcome === null) return undefined;
  let plain: Buffer;
  try {
    plain = keys.open('payments', row.outcome, contextOf(row.id));
  } catch {
    return undefined;
  }
  return plain[0] === outcomeVersion ? (deserialize(plain.subarray(1)) as Outcome) : undefined;
}

/**
 * Contract 00, section 1.9: a day since it was settled. What is settled can be told of for as long as there is a ledger.
 * By the age of the row, too: that is what the index knows.
 */
export const forgetAnswersStatement = statement(
  'payments.forget-answers',
  {},
  () => sql`update ${payments} ${setOf(payments, { outcome: sql`null`, identifier: sql`null` })}
    where ${isPast(payments.createdAt, `${keptHours} hours`)} and (${payments.outcome} is not null or ${payments.identifier} is not null)
      and coalesce(${payments.settledAt}, ${payments.createdAt}) < now() - ${interval(`${keptHours} hours`)}`,
);
