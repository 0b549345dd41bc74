import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { type CheckoutRow, checkouts, type QuotedRate } from '../../db/schema/checkouts.ts';
import { allOf, insertInto, pick, setOf, statement, typed } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';

/** Money on its way to an organization. */
export type Checkout = CheckoutRow;

/** What is wanted, before the provider was asked. */
export interface NewCheckout
  extends Pick<
    Checkout,
    'id' | 'orgId' | 'product' | 'rail' | 'amount' | 'tier' | 'successUrl' | 'cancelUrl' | 'savesCard'
  > {
  readonly automatic?: boolean;
  readonly amountSats?: bigint | null;
  readonly quotedRate?: QuotedRate | null;
  readonly createdBy: string | null;
  /** Seconds until a node looks at it; null: when it is told to. */
  readonly dueIn: number | null;
}

/** Writes a checkout that the provider is to be asked for. */
export async function insertCheckout(rows: Rows, wanted: NewCheckout): Promise<Checkout> {
  const { automatic = false, amountSats = null, quotedRate = null, ...given } = wanted;
  const [row] = await rows(
    insertStatement.with({
      ...given,
      lane: wanted.orgId,
      automatic,
      amountSats,
      quotedRate: quotedRate === null ? null : JSON.stringify(quotedRate),
    }),
  );
  return row!;
}

/** A checkout of an organization. @throws LIGHTNING_TOPUP_NOT_FOUND */
export async function findCheckout(rows: Rows, orgId: string, id: string): Promise<Checkout> {
  const [row] = await rows(findStatement.with({ orgId, id }));
  if (row === undefined) throw new ServiceError('LIGHTNING_TOPUP_NOT_FOUND', { details: { topup_id: id } });
  return row;
}

/** Notes the page where a card is charged. */
export const noteSession = (rows: Rows, given: { id: string; sessionId: string; checkoutUrl: string }) =>
  rows(sessionStatement.with(given));

/** Notes the invoice of a checkout. The first one stands: somebody may have seen it. */
export const noteInvoice = (
  rows: Rows,
  given: { id: string; bolt11: string; paymentHash: string; invoiceExpiresAt: Date },
) => rows(invoiceStatement.with(given));

/** Gives up what the provider could not be asked for. What was paid nevertheless is found by its events. */
export const failCheckout = (rows: Rows, given: { id: string; failure: string }) => rows(failStatement.with(given));

const dueIn = typed<number | null>('double precision');

const insertStatement = statement(
  'checkouts.insert',
  {
    params: {
      ...pick(checkouts, 'id', 'orgId', 'lane', 'product', 'rail', 'automatic', 'amount', 'tier', 'successUrl'),
      ...pick(checkouts, 'cancelUrl', 'savesCard', 'amountSats', 'quotedRate', 'createdBy'),
      dueIn,
    },
    row: allOf(checkouts),
  },
  ({ dueIn: seconds, ...given }, row) =>
    sql`${insertInto(checkouts, { ...given, dueAt: sql`now() + make_interval(secs => ${seconds})` })} returning ${row}`,
);

const findStatement = statement(
  'checkouts.find',
  { params: pick(checkouts, 'orgId', 'id'), row: allOf(checkouts) },
  ({ orgId, id }, row) => sql`select ${row} from ${checkouts}
    where ${checkouts.id} = ${id} and ${checkouts.orgId} = ${orgId}`,
);

// An event may have come before the answer that it is about.
const isNew = sql`case ${checkouts.state} when 'creating' then 'pending' else ${checkouts.state} end`;

const sessionStatement = statement(
  'checkouts.note-session',
  { params: pick(checkouts, 'id', 'sessionId', 'checkoutUrl') },
  ({ id, sessionId, checkoutUrl }) =>
    sql`update ${checkouts} ${setOf(checkouts, {
      sessionId,
      checkoutUrl,
      state: isNew,
      dueAt: sql`case ${checkouts.state} when 'creating' then coalesce(${checkouts.dueAt}, now() + interval '1 minute')
      else ${checkouts.dueAt} end`,
    })} where ${checkouts.id} = ${id}`,
);

const invoiceStatement = statement(
  'checkouts.note-invoice',
  { params: pick(checkouts, 'id', 'bolt11', 'paymentHash', 'invoiceExpiresAt') },
  ({ id, ...invoice }) =>
    sql`update ${checkouts} ${setOf(checkouts, {
      ...invoice,
      state: isNew,
      dueAt: sql`case ${checkouts.state} when 'creating' then now() else ${checkouts.dueAt} end`,
    })} where ${checkouts.id} = ${id} and ${checkouts.bolt11} is null`,
);

const failStatement = statement(
  'checkouts.fail',
  { params: pick(checkouts, 'id', 'failure') },
  ({ id, failure }) => sql`update ${checkouts} ${setOf(checkouts, { state: sql`'failed'`, failure })}
    where ${checkouts.id} = ${id} and ${checkouts.state} = 'creating'`,
);
