import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { type Voucher, vouchers } from '../../db/schema/vouchers.ts';
import { allOf, statement, typed } from '../../db/sql.ts';
import { bothWays, type ListPage, listWindow, newestFirst, pageToWire } from '../../kernel/input/list-page.ts';
import { query } from '../../kernel/run/operation.ts';
import { byIssuer } from './issuers.ts';
import { VoucherWire, voucherToWire } from './wire.ts';

/** `GET /vouchers/v1`. Contract 04, section 1.7. */
export const listVouchers = query({
  name: 'vouchers.list',
  summary: 'Vouchers that the issuer has made, newest first; never their codes.',
  path: 'GET /vouchers/v1',
  access: byIssuer(),
  input: z.object(listWindow),
  async handler({ services: { db, keys }, issuerId }, window): Promise<ListPage<Voucher>> {
    const list = newestFirst(keys, `vouchers:${issuerId}`);
    const asked = { issuerId, ...list.positionOf(window), limit: window.limit + 1 };
    return list.pageOf(await db.rows(list.statementOf(window, statements).with(asked)), window);
  },
  wire: z.object({ vouchers: z.array(VoucherWire), has_more: z.boolean(), next_cursor: z.string().nullable() }),
  toWire: (page) => ({ vouchers: page.rows.map(({ row }) => voucherToWire(row)), ...pageToWire(page) }),
});

const statements = bothWays(vouchers, (way) =>
  statement(
    `vouchers.list-${way.name}`,
    {
      params: { issuerId: vouchers.issuerId, ...way.params, limit: typed<number>('bigint') },
      row: allOf(vouchers),
    },
    ({ issuerId, limit, ...position }, row) => sql`select ${row} from ${vouchers}
      where ${vouchers.issuerId} = ${issuerId} and ${way.beyond(position)} ${way.order} limit ${limit}`,
  ),
);
