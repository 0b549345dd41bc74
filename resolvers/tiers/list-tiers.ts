import { z } from 'zod';
import type { Tier } from '../../db/schema/orgs.ts';
import { anyone } from '../../kernel/access/access.ts';
import { dollars, type Offer, offerOf, storageMb } from '../../kernel/limits/tier-table.ts';
import type { Context } from '../../kernel/run/context.ts';
import { query } from '../../kernel/run/operation.ts';

const TierWire = z
  .object({
    price: z.string().describe('What a lease costs, or `0.00` where nothing is asked for.'),
    lease: z.enum(['perpetual', 'leased']).describe('`perpetual` where leases are off: nothing ends.'),
    lease_days: z.int().nullable().describe('Days that a lease lasts; null where leases are off.'),
    storage_mb: z.int(),
    api_calls: z.int(),
    usage_days: z.int().describe('Days after which requests are counted anew.'),
    max_projects: z.int(),
    max_members: z.int(),
    max_functions: z.int(),
    description: z.string(),
  })
  .meta({ id: 'Tier' });

const QuoteWire = z
  .object({
    tiers: z.object({ prototype: TierWire, hobby: TierWire, team: TierWire }),
    auth: z.object({ method: z.string(), headers: z.array(z.string()), message_format: z.string() }),
  })
  .meta({ id: 'TierQuote' });

const offerToWire = (offer: Offer, currency: string) => ({
  price: currency + dollars(offer.price),
  lease: offer.leaseDays === null ? ('perpetual' as const) : ('leased' as const),
  lease_days: offer.leaseDays,
  storage_mb: storageMb(offer),
  api_calls: offer.limits.apiCalls,
  usage_days: offer.usageDays,
  max_projects: offer.limits.projects,
  max_members: offer.limits.members,
  max_functions: offer.functions.max,
  description: offer.description,
});

type Offers = Readonly<Record<Tier, Offer>>;

const offersOf = ({ services: { settings } }: Context): Offers => ({
  prototype: offerOf('prototype', settings.leases),
  hobby: offerOf('hobby', settings.leases),
  team: offerOf('team', settings.leases),
});

/** @param currency the sign in front of each price */
const quoteToWire = ({ prototype, hobby, team }: Offers, currency: string) => ({
  tiers: {
    prototype: offerToWire(prototype, currency),
    hobby: offerToWire(hobby, currency),
    team: offerToWire(team, currency),
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
  tool: 'list_tiers',
  command: 'tier list',
  summary: 'What the tiers cost and allow.',
  path: 'GET /tiers/v1',
  access: anyone(),
  input: z.object({}),
  handler: async (ctx) => offersOf(ctx),
  wire: QuoteWire,
  toWire: (offers) => quoteToWire(offers, '$'),
});

/** `POST /projects/v1/quote`: the same under its older path, with bare prices. Contract 01, section 5.1. */
export const quoteTiers = query({
  name: 'tiers.quote',
  tool: 'get_quote',
  command: 'projects quote',
  summary: 'What the tiers cost and allow, with prices that are bare numbers.',
  path: 'POST /projects/v1/quote',
  access: anyone(),
  input: z.object({}),
  handler: async (ctx) => offersOf(ctx),
  wire: QuoteWire,
  toWire: (offers) => quoteToWire(offers, ''),
});
