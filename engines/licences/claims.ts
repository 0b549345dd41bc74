import { createHash } from 'node:crypto';

/** Plans by what they cost, in the text that licences have. Contract 00, section 0.2. */
export const planPrices = { starter: '3.00', pro: '29.00', buyout: '950.00' } as const;

export type Plan = keyof typeof planPrices;

/** What licences call networks: CAIP-2 for EVM chains, and a label of our own for the one that has none there. */
const networkClaims = {
  base: 'eip155:8453',
  'base-sepolia': 'eip155:84532',
  ethereum: 'eip155:1',
  polygon: 'eip155:137',
  bsc: 'eip155:56',
  ton: 'ton',
} as const;

export type LicenceNetwork = keyof typeof networkClaims;

/** What a licence follows from: a payment as its chain has it, and what it was paid for. */
export interface LicenceFacts {
  readonly network: LicenceNetwork;
  /** In its one form: `0x` and 64 small hexadecimal digits, and without `0x` on ton. */
  readonly txHash: string;
  /** EIP-55; raw on ton. */
  readonly payer: string;
  readonly plan: Plan;
  readonly blockTime: Date;
  /** The site that the licence is for; null: none was named. */
  readonly domain: string | null;
}

/** Kind of signed text that a licence is. */
export const licenceType = 'license+jwt';

/** One per transaction: 22 characters of base64url. */
export const licenceId = ({ network, txHash }: Pick<LicenceFacts, 'network' | 'txHash'>): string =>
  createHash('sha256').update(`${network}|${txHash}`).digest('base64url').slice(0, 22);

/**
 * The claims of a licence as they are signed. They follow from the payment, the plan and the domain of the first issue;
 * the same facts give the same bytes. Contract 00, section 5.6.
 *
 * @param issuer where the installation is reached
 */
export const licenceClaims = (issuer: string, facts: LicenceFacts): string =>
  JSON.stringify({
    iss: issuer,
    sub: facts.payer,
    jti: licenceId(facts),
    iat: Math.floor(facts.blockTime.getTime() / 1000),
    plan: facts.plan,
    price_usd: planPrices[facts.plan],
    net: networkClaims[facts.network],
    tx: facts.txHash,
    dom: facts.domain,
  });
