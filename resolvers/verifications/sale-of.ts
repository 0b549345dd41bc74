import type { Rows, Statement } from '../../db/statement.ts';
import { type ChainName, evmNetworks } from '../../engines/chains/networks.ts';

/** Names of what was bought by x402 that brings a licence by itself. */
const licensed = 'buyout';

/**
 * What a transaction has paid for by x402: `buyout`, whose licence is given for it here too, or `other`, which leaves
 * nothing for a licence. Contract 00, section 2.6.
 */
export async function saleOf(rows: Rows, network: ChainName, txHash: string): Promise<'buyout' | 'other' | undefined> {
  if (network === 'ton') return undefined;
  const sales = await rows<{ sku: string }>(saleStatement, [evmNetworks[network].chainId, txHash]);
  if (sales.length === 0) return undefined;
  return sales.every(({ sku }) => sku === licensed) ? 'buyout' : 'other';
}

// What was given back or came to nothing has paid for nothing; what is claimed is about to.
const saleStatement: Statement = {
  name: 'payments.sales-of-transaction',
  text: `select distinct sku from payments where chain_id = $1 and tx_hash = $2 and state in ('verified', 'settling', 'settled', 'delivered')`,
};
