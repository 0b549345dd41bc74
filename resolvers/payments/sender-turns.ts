import { type Database, inTransaction, type Statement } from '../../db/pool.ts';
import type { SenderTurns } from '../../engines/x402/sender.ts';

/**
 * Turns at a wallet that several nodes send from, each under a lock of its row. The lock is held while a transaction is
 * made and sent, never while its receipt is awaited, and ends with the process that holds it.
 */
export const createSenderTurns = ({ pool }: Pick<Database, 'pool'>): SenderTurns => ({
  take: (chainId, sender, work) =>
    inTransaction(pool, async (client) => {
      const values = [chainId, sender.toLowerCase()];
      const lock = async () => (await client.query<{ next: bigint | null }>({ ...lockStatement, values })).rows[0];
      let row = await lock();
      if (row === undefined) {
        await client.query({ ...insertStatement, values });
        row = await lock();
      }
      const { next, value } = await work(row!.next ?? undefined);
      await client.query({ ...storeStatement, values: [...values, next] });
      return value;
    }),
});

const insertStatement: Statement = {
  name: 'chain-senders.insert',
  text: 'insert into chain_senders (chain_id, sender) values ($1, $2) on conflict do nothing',
};

const lockStatement: Statement = {
  name: 'chain-senders.lock',
  text: 'select next_nonce as next from chain_senders where chain_id = $1 and sender = $2 for update',
};

const storeStatement: Statement = {
  name: 'chain-senders.store',
  text: 'update chain_senders set next_nonce = $3 where chain_id = $1 and sender = $2',
};
