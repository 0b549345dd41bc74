import type { ErrorCode } from '../core/errors.ts';
import { auditPrices, usdOf } from '../resolvers/payments/shared/price-table.ts';
import type { ApiDoc } from './openapi/path-doc.ts';
import { auditResultExample, fullReportExample, orderExample } from './sale-examples.ts';

/** What a target may be refused for: before anything is fetched, and on the way to it. Contract 00, section 6.2. */
export const targetRefusals = [
  'INVALID_URL',
  'SCHEME_NOT_ALLOWED',
  'IP_LITERAL',
  'RESTRICTED_HOST',
  'RESTRICTED_ADDRESS',
  'RESTRICTED_REDIRECT',
  'REDIRECT_NOT_HTTPS',
  'DNS_FAILURE',
  'CONNECT_FAILURE',
  'TLS_FAILURE',
  'TARGET_TIMEOUT',
  'TOO_MANY_REDIRECTS',
  'BAD_ENCODING',
  'SERVICE_UNAVAILABLE',
] as const satisfies readonly ErrorCode[];

export const auditDoc: ApiDoc = {
  refusals: targetRefusals,
  examples: {
    request: { url: 'https://shop.example.org/shoes' },
    answer: {
      ok: true,
      domain: 'shop.example.org',
      target_url: 'https://shop.example.org/shoes',
      geo_score: 61,
      schema_score: 40,
      llms_txt_score: 0,
      has_jsonld: true,
      has_llms_txt: false,
      allows_ai_bots: true,
      tier: 'free',
      generated_jsonld: '{\n  "@context": "https://schema.org",\n  "@graph": [\n[redacted, 41 more lines]',
      generated_llms_txt:
        '# Fell & Ridge\n\n> Light trail running shoes for wet rock and mud.\n[redacted, 17 more lines]',
      preview: {
        checks_shown: 1,
        checks_total: 43,
        checks: [
          {
            id: 'a1',
            title: 'The page answers 200 over HTTPS',
            points: 10,
            max: 10,
            evidence: 'final status 200',
          },
        ],
        redacted: true,
      },
      telemetry: {
        final_url: 'https://shop.example.org/shoes',
        http_status: 200,
        redirects: 0,
        fetched_bytes: 48_211,
        truncated: false,
        flags: [],
        timings_ms: { dns: 4, tls: 31, ttfb: 88, total: 240 },
        robots_status: 200,
        rubric: '2026.1',
        token_table: '2026-11-01',
        cached: false,
        audited_at: '2026-11-22T08:00:00.000Z',
      },
    },
  },
};

/** The whole report of a site, for a payment. */
export const boughtAuditDoc: ApiDoc = {
  refusals: [...targetRefusals, 'RATE_LIMITED'],
  examples: {
    request: { url: 'https://shop.example.org/shoes' },
    answer: {
      ...auditResultExample,
      tier: 'audit',
      report: fullReportExample,
      order: orderExample(usdOf(auditPrices.audit.amount)),
    },
  },
};

export const pricingDoc: ApiDoc = {
  refusals: [],
  examples: {
    answer: {
      ok: true,
      settlement: {
        network: 'base',
        caip2: 'eip155:8453',
        chain_id: 8453,
        asset: 'USDC',
        asset_address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        decimals: 6,
        pay_to: '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
      },
      tiers: [
        {
          tier: 'audit',
          price_usd: '0.01',
          amount: '10000',
          description: 'The whole report of one site.',
          path: '/api/x402-audit',
          max_timeout_seconds: 60,
        },
      ],
      plans: [{ plan: 'starter', price_usd: '3.00', path: '/api/verify-tx' }],
    },
  },
};

export const statsDoc: ApiDoc = {
  refusals: ['UPSTREAM_UNAVAILABLE'],
  examples: {
    answer: {
      ok: true,
      audits: { total: 42, free: 40, paid: 2, last_24h: 7, unique_domains: 12, average_geo_score: 61.5 },
      orders: {
        total: 2,
        revenue_usd: '1.01',
        by_tier: {
          audit: { count: 1, usd: '0.01' },
          pro: { count: 1, usd: '1.00' },
          buyout: { count: 0, usd: '0.00' },
        },
        verified_transactions: 0,
      },
      recent_domains: [{ domain: 'shop.example.org', geo_score: 61, audited_at: '2026-11-22T08:00:00.000Z' }],
      generated_at: '2026-11-22T08:00:05.000Z',
    },
  },
};

export const inquiryDoc: ApiDoc = {
  refusals: ['UPSTREAM_UNAVAILABLE'],
  examples: {
    request: {
      email: 'buyer@shop.example.org',
      name: 'Ada',
      company: 'Fell & Ridge',
      buyer_domain: 'shop.example.org',
      kind: 'acquisition',
      offer_usd: 900.5,
      message: 'Is the source in one archive?',
    },
    answer: {
      ok: true,
      inquiry_id: 'inq_01kx0m3v7c9q2t5w8y4z6a1b3d',
      status: 'recorded',
      received_at: '2026-11-22T08:00:00.000Z',
      settlement: {
        network: 'base',
        caip2: 'eip155:8453',
        chain_id: 8453,
        asset: 'USDC',
        asset_address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        pay_to: '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
        price_usd: '950.00',
        amount: '950000000',
        buy_url: '/api/x402-buyout?buyer_domain=shop.example.org',
      },
    },
  },
};
