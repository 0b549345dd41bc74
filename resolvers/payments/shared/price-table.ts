/** One thing that the audit gateway sells over x402. Contract 00, section 0.2. */
export interface AuditPrice {
  /** What the ledger calls it, and the tier of what is delivered. */
  readonly sku: 'audit' | 'pro' | 'buyout';
  /** Micro-dollars, which are the smallest units of USDC. */
  readonly amount: bigint;
  readonly description: string;
  /** How long a signed payment may take to arrive, in seconds. */
  readonly maxTimeoutSeconds: number;
  /** Whether its payment has to be as deep in the chain as is configured. @default false */
  readonly confirmed?: boolean;
  /** Where it is sold. */
  readonly path: string;
}

/** What the audit gateway sells, and for how much. All of it is settled on Base alone. */
export const auditPrices = {
  audit: {
    sku: 'audit',
    amount: 10_000n,
    description: 'Full GEO, schema and llms.txt audit',
    maxTimeoutSeconds: 120,
    path: '/api/x402-audit',
  },
  pro: {
    sku: 'pro',
    amount: 1_000_000n,
    description: 'Full audit with the files to install on the site, as a ZIP archive',
    maxTimeoutSeconds: 300,
    path: '/api/x402-pro',
  },
  buyout: {
    sku: 'buyout',
    amount: 950_000_000n,
    description: 'Source archive of the audit gateway with a licence that transfers it',
    maxTimeoutSeconds: 300,
    confirmed: true,
    path: '/api/x402-buyout',
  },
} as const satisfies Record<string, AuditPrice>;

/** Micro-dollars as US dollars with two decimals, such as `0.01`. */
export function usdOf(microDollars: bigint): string {
  const cents = microDollars / 10_000n;
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
}
