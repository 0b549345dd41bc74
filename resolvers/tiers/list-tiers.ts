import { z } from 'zod';
import { anyone } from '../access.ts';
import { query } from '../operation.ts';
import { dollars, storageMb, type TierRow, tiers } from './tier-table.ts';

const TierWire = z.object({
  price: z.string(),
  lease: z.literal('leased'),
  lease_days: z.int(),
  storage_mb: z.int(),
  api_calls: z.int(),
  max_functions: z.int(),
  description: z.string(),
});

const QuoteWire = z.object({
  tiers: z.object({ prototype: TierWire, hobby: TierWire, team: TierWire }),
  auth: z.object({ method: z.string(), headers: z.array(z.string()), message_format: z.string() }),
});

const tierToWire = (tier: TierRow, currency: string) => ({
  price: currency + dollars(tier.price),
  lease: 'leased' as const,
  lease_days: tier.leaseDays,
  storage_mb: storageMb(tier),
  api_calls: tier.limits.apiCalls,
  max_functions: tier.functions.max,
  description: tier.description,
});

/** @param currency what stands in front of each price */
const quoteToWire = (currency: string) => ({
  tiers: {
    prototype: tierToWire(tiers.prototype, currency),
    hobby: tierToWire(tiers.hobby, currency),
    team: tierToWire(tiers.team, currency),
  },
  auth: {
    method: 'SIWX',
    headers: ['SIGN-IN-WITH-X'],
    message_format: 'EIP-4361 text, signed with EIP-191; the header is the base64 of its fields and the signature',
  },
});

/** `GET /tiers/v1`. Contract 01, section 5.1. */
export const listTiers = query({
  name: 'tiers.list',
  summary: 'What the tiers cost and allow.',
  access: anyone(),
  input: z.object({}),
  handler: async () => tiers,
  wire: QuoteWire,
  toWire: () => quoteToWire('$'),
});

/** `POST /projects/v1/quote`: the same under its older path, with bare prices. Contract 01, section 5.1. */
export const quoteTiers = query({
  name: 'tiers.quote',
  summary: 'What the tiers cost and allow, with prices that are bare numbers.',
  access: anyone(),
  input: z.object({}),
  handler: async () => tiers,
  wire: QuoteWire,
  toWire: () => quoteToWire(''),
});
