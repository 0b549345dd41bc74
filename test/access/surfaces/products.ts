import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../../../core/keys.ts';
import type { Stage, Surfaces } from './surface.ts';

/** What is sold to whoever pays, whatever else is brought. */
const sold = (path: string, field: string): Surfaces =>
  Object.fromEntries(
    ['GET', 'POST'].map((method) => [
      `${method} ${path}`,
      { cells: 'X X X X X X X X', field: () => field, fieldCells: '$ $ $ $ $ $ $ $' },
    ]),
  );

export const productSurfaces = ({ service }: Stage): Surfaces => ({
  'GET /api/package-manifest': { cells: '+ + + + + + + +', field: () => '{ packageManifest { version } }' },
  'GET /.well-known/jwks.json': { cells: '+ + + + + + + +', field: () => '{ licenceKeys { kid } }' },
  ...sold('/api/x402-audit', 'mutation { auditBuy(input: {}) { domain } }'),
  ...sold('/api/x402-pro', 'mutation { proPackBuy(input: {}) { order { orderId } } }'),
  ...sold('/api/x402-pro-pack', 'mutation { proPackBuy(input: {}) { order { orderId } } }'),
  ...sold('/api/x402-joint-bundle', 'mutation { proPackBuy(input: {}) { order { orderId } } }'),
  ...sold('/api/x402-buyout', 'mutation { sourceBuy(input: {}) { order { orderId } } }'),
  ...sold('/api/x402-source-bundle', 'mutation { sourceBuy(input: {}) { order { orderId } } }'),
  // The token is all that is asked for.
  'GET /api/downloads/:token': {
    cells: '+ + + + + + + +',
    async prepare() {
      const token = randomBytes(32).toString('base64url');
      await service.control.sql(`insert into bundles (sha256, bytes) values ('00', 'zip') on conflict do nothing`);
      await service.control.sql(
        `insert into orders (id, tier, domain, price_usd, payment_id, network, tx_hash, payer)
         values ('ord_${token}', 'pro', 'example.com', 1, 'txp_${token}', 'base', '0x00', '0x00')`,
      );
      await service.control.sql(
        `insert into downloads (token_hash, order_id, sha256, filename, bytes, bytes_left, expires_at)
         values ('${sha256Hex(token)}', 'ord_${token}', '00', 'pack.zip', 3, 60, now() + interval '1 day')`,
      );
      return { token };
    },
  },
});
