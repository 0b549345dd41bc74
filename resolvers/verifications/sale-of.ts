import type { Rows, Statement } from '../../db/statement.ts';
import type { UsedAuthorization } from '../../engines/chains/finding.ts';
import { type ChainName, evmNetworks } from '../../engines/chains/networks.ts';

/** Name of what is bought by x402 and brings a licence by itself. */
const licensed = 'buyout';

/**
 * What hinders a licence for a transaction that somebody pays by x402 with: `tx_already_used` when it leaves nothing for
 * one, `order_pending` while the order that brings it has yet to be made. Undefined when nothing does, and when the
 * order's licence is there to be given. Contract 00, section 2.6.
 *
 * @param used authorizations that the transaction used, once they are known: whoever has others settle knows of the
 *   transaction after everybody else
 */
export async function saleHindering(
  rows: Rows,
  network: ChainName,
  txHash: string,
  used: readonly UsedAuthorization[] = [],
): Promise<'tx_already_used' | 'order_pending' | undefined> {
  if (network === 'ton') return undefined;
  const sales = await rows<{ sku: string; isLicensed: boolean }>(saleStatement, [
    network,
    evmNetworks[network].chainId,
    txHash,
    used.map(({ asset }) => asset),
    used.map(({ payer }) => payer),
    used.map(({ nonce }) => nonce),
  ]);
  if (sales.some(({ sku }) => sku !== licensed)) return 'tx_already_used';
  return sales.some(({ isLicensed }) => !isLicensed) ? 'order_pending' : undefined;
}

// A hash that was noted for what was given back or came to nothing says nothing. An authorization that was used is a
// payment's whatever its row says yet.
const saleStatement: Statement = {
  name: 'payments.sales-of-transaction',
  text: `with sales as (
      select sku from payments
      where chain_id = $2 and tx_hash = $3 and state in ('verified', 'settling', 'settled', 'delivered')
      union
      select p.sku from unnest($4::text[], $5::text[], $6::text[]) as used (asset, payer, nonce)
        join payments p on p.chain_id = $2 and p.asset = used.asset and p.payer = used.payer and p.nonce = used.nonce
    )
    select sku, exists (select from licences where network = $1 and tx_hash = $3) as "isLicensed" from sales`,
};
