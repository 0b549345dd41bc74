import { sql } from '../../db/drizzle.ts';
import { type Database, inTransaction } from '../../db/pool.ts';
import { chainSenders } from '../../db/schema/payments.ts';
import { insertInto, pick, setOf, statement } from '../../db/sql.ts';
import { rowsOn } from '../../db/transaction.ts';
import type { SenderTurns } from '../../engines/x402/sender.ts';

/**
 * Turns at a wallet that several nodes send from, each under a lock of its row. The lock is held while a transaction is
 * made and sent, never while its receipt is awaited, and ends with the process that holds it.
 */
export const createSenderTurns = ({ pool }: Pick<Database, 'pool'>): SenderTurns => ({
  take: (chain, wallet, work) =>
    inTransaction(pool, async (client) => {
      const rows = rowsOn(client);
      const key = { chainId: BigInt(chain), sender: wallet.toLowerCase() };
      const lock = async () => (await rows(lockStatement.with(key)))[0];
      let row = await lock();
      if (row === undefined) {
        await rows(insertStatement.with(key));
        row = await lock();
      }
      const { next, value } = await work(row!.nextNonce ?? undefined);
      await rows(storeStatement.with({ ...key, nextNonce: next }));
      return value;
    }),
});

const key = pick(chainSenders, 'chainId', 'sender');

const insertStatement = statement(
  'chain-senders.insert',
  { params: key },
  (given) => sql`${insertInto(chainSenders, given)} on conflict do nothing`,
);

const lockStatement = statement(
  'chain-senders.lock',
  { params: key, row: pick(chainSenders, 'nextNonce') },
  ({ chainId, sender }, row) => sql`select ${row} from ${chainSenders}
    where ${chainSenders.chainId} = ${chainId} and ${chainSenders.sender} = ${sender} for update`,
);

const storeStatement = statement(
  'chain-senders.store',
  { params: { ...key, ...pick(chainSenders, 'nextNonce') } },
  ({ chainId, sender, nextNonce }) => sql`update ${chainSenders} ${setOf(chainSenders, { nextNonce })}
    where ${chainSenders.chainId} = ${chainId} and ${chainSenders.sender} = ${sender}`,
);
