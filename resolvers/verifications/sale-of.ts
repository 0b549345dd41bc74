import { sql } from '../../db/drizzle.ts';
import { payments } from '../../db/schema/payments.ts';
import { licences } from '../../db/schema/products.ts';
import { computed, pick, statement, typed } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
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
  const asked = {
    network,
    chainId: BigInt(evmNetworks[network].chainId),
    txHash,
    assets: used.map(({ asset }) => asset),
    payers: used.map(({ payer }) => payer),
    nonces: used.map(({ nonce }) => nonce),
  };
  const sales = await rows(saleStatement.with(asked));
  if (sales.some(({ sku }) => sku !== licensed)) return 'tx_already_used';
  return sales.some(({ isLicensed }) => !isLicensed) ? 'order_pending' : undefined;
}

const list = typed<readonly string[]>('text[]');

// A hash that was noted for a payment that was given back or failed says nothing. An authorization that was used is a
// payment's whatever its row says yet.
const saleStatement = statement(
  'payments.sales-of-transaction',
  {
    params: {
      network: licences.network,
      ...pick(payments, 'chainId', 'txHash'),
      assets: list,
      payers: list,
      nonces: list,
    },
    row: {
      sku: computed<string>('text', sql`sales.sku`),
      isLicensed: computed<boolean>('boolean', sql`sales.is_licensed`),
    },
  },
  ({ network, chainId, txHash, assets, payers, nonces }, row) => sql`with skus as (
      select ${payments.sku} from ${payments} where ${payments.chainId} = ${chainId} and ${payments.txHash} = ${txHash}
        and ${payments.state} in ('verified', 'settling', 'settled', 'delivered')
      union
      select ${payments.sku}
      from unnest(${assets}::text[], ${payers}::text[], ${nonces}::text[]) as used (asset, payer, nonce)
      join ${payments} on ${payments.chainId} = ${chainId} and ${payments.asset} = used.asset
        and ${payments.payer} = used.payer and ${payments.nonce} = used.nonce
    ), sales as (
      select sku, exists (
        select from ${licences} where ${licences.network} = ${network} and ${licences.txHash} = ${txHash}) as is_licensed
      from skus
    )
    select ${row} from sales`,
);
