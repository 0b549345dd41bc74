import type { ErrorCode } from '../../core/error-codes.ts';
import type { Address, NetworkName } from '../../engines/x402/networks.ts';
import type { Settlement } from '../../engines/x402/payment-processor.ts';
import type { Context } from './context.ts';

/** What is asked for something, and where it is to be paid. */
export interface Price {
  /** Names what is sold, in the ledger and in refusals. */
  readonly sku: string;
  /** Micro-dollars, which are the smallest unit of the tokens that are taken. */
  readonly amount: bigint;
  readonly network: NetworkName;
  /** Networks that it may be paid on instead. */
  readonly alsoOn?: readonly NetworkName[];
  /** Who is paid. @default the wallet of the installation */
  readonly payTo?: Address;
  /** One line, shown to a caller that is asked to pay. */
  readonly description: string;
  /** How long a signed payment may take to arrive, in seconds; clients refuse more than 300. */
  readonly maxTimeoutSeconds: number;
  /** Whether what is paid has to be as deep in the chain as the network's setting says. @default false: in a block */
  readonly confirmed?: boolean;
  /** What else a caller that is asked for it gets. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * A constant price under `/api`: a request without a payment is asked for one before anything else of the request is
 * looked at, and a payment that was used is refused. Contract 00, section 1.4.
 */
export interface GatewayPrice {
  readonly family: 'gateway';
  readonly price: Price;
  /** The input that may hold a payment too, or the hash of a transaction that was one. Contract 00, section 1.14. */
  readonly proofInput?: string;
}

/**
 * A price of the platform's own operations, asked in the error envelope; a payment that was used is answered with what
 * it bought. Contract 01, section 1.21; contract 04, section 1.3.
 */
export interface PlatformPrice<Input, Scope, Output> {
  readonly family: 'platform';
  /**
   * What this request costs; undefined when nothing is asked for, since it is free or paid from a balance. Throws what
   * the request is refused with whether it is paid or not.
   *
   * @param ctx with the scope, once the caller was admitted; before that for a caller without a credential, see `payerActs`
   */
  readonly quote: (ctx: Context & Partial<Scope>, input: Input) => Promise<Price | undefined>;
  /** A caller with a payment and without a credential acts as the wallet that pays. */
  readonly payerActs?: true;
  /** The refusal for a caller that acts by a payment where nothing has to be paid: it is unknown then. @default as without a credential */
  readonly unidentified?: ErrorCode;
  /**
   * Where there is one of what is sold: its name, and the refusal for a caller that pays for it while another one does.
   * Without it two who pay in the same moment would both be charged.
   */
  readonly onlyOne?: { readonly key: (input: Input) => string; readonly taken: ErrorCode };
  /** What an answer looks like that is given once more, for a payment that was used. @default as it was */
  readonly repeated?: (output: Output) => Output;
  /** What a used payment is refused with that comes for another input, or from another principal. */
  readonly reused?: { readonly forOther: ErrorCode; readonly byOther: ErrorCode };
  /** Whose events tell of it, and as what; undefined: no organization's. */
  readonly received?: (output: Output) => Received | undefined;
}

/** The event about a payment of an organization. */
export interface Received {
  readonly orgId: string;
  readonly kind: 'topup' | 'tier' | 'email_pack' | 'room_seat' | 'app_fork';
}

export type PriceFacet<Input, Scope, Output> = GatewayPrice | PlatformPrice<Input, Scope, Output>;

// biome-ignore lint/suspicious/noExplicitAny: an operation's price is between its own functions.
export type AnyPrice = PriceFacet<any, any, any>;

interface MaybePriced {
  readonly price?: AnyPrice;
}

/** Whether something is asked for an operation, at least of some. */
export const isPriced = (op: object): boolean => (op as MaybePriced).price !== undefined;

/** Whether an operation has the one price of what is sold under `/api`. */
export const isGatewayPriced = <Op extends object>(op: Op): op is Op & { readonly price: GatewayPrice } =>
  (op as MaybePriced).price?.family === 'gateway';

/** What a handler knows of the payment that it is run for. */
export interface PaidFor {
  /** `txp_…`. */
  readonly id: string;
  readonly price: Price;
  /** What came of it on chain; of a trial, what is about to. */
  readonly settlement: Settlement;
  /** The change is only tried, before anything is paid, and taken back: what it makes may not leave the transaction. */
  readonly trial: boolean;
}
