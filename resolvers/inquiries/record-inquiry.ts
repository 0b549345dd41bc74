import { z } from 'zod';
import { inquiries, inquiryKinds } from '../../db/schema/inquiries.ts';
import { allOf, insertInto, statement } from '../../db/sql.ts';
import { networks } from '../../engines/x402/networks.ts';
import { anyone } from '../../kernel/access/access.ts';
import { oneLine } from '../../kernel/input/fields.ts';
import { budgets } from '../../kernel/limits/budgets.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { auditPrices, usdOf } from '../payments/shared/price-table.ts';
import { settlementAddress } from '../payments/shared/settlement-address.ts';
import { hostName } from './host-name.ts';

export interface RecordedInquiry {
  readonly id: string;
  readonly receivedAt: Date;
  /** What the site is called that is to be bought for; what else was written is given to nobody. */
  readonly buyerDomain: string | null;
  /** Whether it was kept; a program that fills in every field is told the same and is not. */
  readonly kept: boolean;
}

const { name: network, caip2, chainId, usdc } = networks.base;
const { amount: buyoutPrice, path: buyoutPath } = auditPrices.buyout;

const offerMax = 10_000_000;
const messageMax = 4_000;

/** A person's words: not in logs, and told apart by a keyed digest. */
const personal = { secret: true } as const;

const SettlementWire = z.object({
  network: z.literal(network),
  caip2: z.literal(caip2),
  chain_id: z.literal(chainId),
  asset: z.literal('USDC'),
  asset_address: z.string(),
  pay_to: z.string(),
  price_usd: z.string(),
  amount: z.string(),
  buy_url: z.string(),
});

const InquiryWire = z
  .object({
    ok: z.literal(true),
    inquiry_id: z.string(),
    status: z.literal('recorded'),
    received_at: z.iso.datetime(),
    settlement: SettlementWire,
  })
  .meta({ id: 'Inquiry' });

/** `POST /api/inquiry`. Contract 00, section 4.6. */
export const recordInquiry = mutation({
  name: 'inquiries.record',
  tool: 'record_inquiry',
  command: 'audit inquiry',
  summary: 'Leave an inquiry for those who sell this gateway, and learn how its turnkey buyout is paid.',
  access: anyone(),
  budget: () => budgets.inquiries,
  input: z.object({
    email: z
      .string()
      .max(254, 'at most 254 characters')
      .regex(/^[^@\s]+@[^@\s]+$/, 'must be a mail address')
      .describe('Where the answer goes; returned by nothing.')
      .meta(personal),
    name: oneLine(200).optional().describe('Who asks, at most 200 characters; returned by nothing.').meta(personal),
    company: oneLine(200).optional().describe('For whom, at most 200 characters; returned by nothing.').meta(personal),
    buyer_domain: hostName.optional().describe('Host name of the site that is to be bought for.'),
    kind: z.enum(inquiryKinds).default('acquisition').describe('What it is about; `acquisition` unless told.'),
    offer_usd: z
      .number()
      .min(0, 'at least 0')
      .max(offerMax, 'at most 10000000')
      .refine((offer) => /^-?\d+(\.\d{1,2})?$/.test(String(offer)), 'has two decimals at most')
      .optional()
      .describe('Dollars that are offered, with two decimals at most.'),
    message: z
      .string()
      .refine((text) => [...text].length <= messageMax, `at most ${messageMax} characters`)
      .optional()
      .describe('At most 4000 characters; returned by nothing.')
      .meta(personal),
    website: z.string().optional().describe('Left out by people: what has it is not kept.'),
  }),
  async handler(work, { website = '', buyer_domain, ...inquiry }): Promise<RecordedInquiry> {
    const { services } = work;
    const recorded = {
      id: services.newId('inq'),
      receivedAt: services.now(),
      buyerDomain: buyer_domain ?? null,
      kept: website === '',
    };
    if (recorded.kept) {
      const { email, name, company, kind, offer_usd, message } = inquiry;
      const inserted = insertStatement.with({
        id: recorded.id,
        kind,
        email,
        name: name ?? null,
        company: company ?? null,
        buyerDomain: recorded.buyerDomain,
        offerUsd: offer_usd === undefined ? null : String(offer_usd),
        message: message ?? null,
        createdAt: recorded.receivedAt,
      });
      await work.rows(inserted);
    }
    return recorded;
  },
  audit: ({ id, kept }, { kind }) =>
    kept ? { action: 'inquiry.recorded', object: { kind: 'inquiry', id }, details: { kind } } : undefined,
  wire: InquiryWire,
  toWire: async ({ id, receivedAt, buyerDomain }, { services }) => ({
    ok: true as const,
    inquiry_id: id,
    status: 'recorded' as const,
    received_at: receivedAt.toISOString(),
    settlement: {
      network,
      caip2,
      chain_id: chainId,
      asset: 'USDC' as const,
      asset_address: usdc.address,
      pay_to: await settlementAddress(services),
      price_usd: usdOf(buyoutPrice),
      amount: String(buyoutPrice),
      buy_url: buyUrl(buyerDomain),
    },
  }),
});

const buyUrl = (buyerDomain: string | null) =>
  `${buyoutPath}${buyerDomain === null ? '' : `?buyer_domain=${encodeURIComponent(buyerDomain)}`}`;

const insertStatement = statement('inquiries.insert', { params: allOf(inquiries) }, (given) =>
  insertInto(inquiries, given),
);
