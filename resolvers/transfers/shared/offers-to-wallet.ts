import { sql } from '../../../db/drizzle.ts';
import { projectTransfers } from '../../../db/schema/transfers.ts';
import { pick, statement } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';
import { type Transfer, transferColumns } from './transfer-row.ts';

/** Projects that are offered to a wallet: the newest hundred. */
export const offersToWallet = (rows: Rows, wallet: string | null): Promise<Transfer[]> =>
  wallet === null ? Promise.resolve([]) : rows(offersStatement.with({ recipient: wallet.toLowerCase() }));

const offersStatement = statement(
  'transfers.offers-to-wallet',
  { params: pick(projectTransfers, 'recipient'), row: transferColumns },
  ({ recipient }, row) => sql`select ${row} from ${projectTransfers}
    where ${projectTransfers.recipientKind} = 'wallet' and ${projectTransfers.recipient} = ${recipient}
      and ${projectTransfers.state} = 'pending' and ${projectTransfers.expiresAt} > now()
    order by ${projectTransfers.createdAt} desc, ${projectTransfers.id} desc limit 100`,
);
