import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { voucherIssuers } from '../../db/schema/vouchers.ts';
import { statement, typed } from '../../db/sql.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { bothWays, type ListPage, listWindow, newestFirst, pageToWire } from '../../kernel/input/list-page.ts';
import { query } from '../../kernel/run/operation.ts';
import { issuerColumns } from './issuers.ts';
import { issuerToWire, type ShownIssuer, VoucherIssuerWire } from './wire.ts';

/** `GET /vouchers/v1/admin/issuers`. */
export const listVoucherIssuers = query({
  name: 'vouchers.listIssuers',
  tool: 'admin_list_voucher_issuers',
  command: 'admin issuer list',
  summary: 'Programs that may make vouchers, newest first.',
  path: 'GET /vouchers/v1/admin/issuers',
  access: platformAdmin(),
  input: z.object(listWindow),
  async handler({ services: { db, keys } }, window): Promise<ListPage<ShownIssuer>> {
    const list = newestFirst(keys, 'voucher-issuers');
    const asked = { ...list.positionOf(window), limit: window.limit + 1 };
    return list.pageOf(await db.rows(list.statementOf(window, statements).with(asked)), window);
  },
  wire: z.object({
    issuers: z.array(VoucherIssuerWire),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  }),
  toWire: (page) => ({ issuers: page.rows.map(({ row }) => issuerToWire(row)), ...pageToWire(page) }),
});

const statements = bothWays(voucherIssuers, (way) =>
  statement(
    `vouchers.issuers-${way.name}`,
    { params: { ...way.params, limit: typed<number>('bigint') }, row: issuerColumns },
    ({ limit, ...position }, row) => sql`select ${row} from ${voucherIssuers}
      where ${way.beyond(position)} ${way.order} limit ${limit}`,
  ),
);
