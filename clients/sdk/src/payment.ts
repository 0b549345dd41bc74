import { jsonOf, type SvcError } from './errors.ts';

/** One way to pay, as x402 says it; written so that clients of x402 take it as it is. */
export interface PaymentOption {
  readonly scheme: string;
  /** CAIP-2, for example `eip155:8453`. */
  readonly network: `${string}:${string}`;
  /** Contract of the token. */
  readonly asset: string;
  /** In the token’s smallest unit. */
  readonly amount: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  /** What is signed beside it, such as name and version of the token. */
  readonly extra: Record<string, unknown>;
}

/** What an answer 402 asks for. */
export interface PaymentChallenge {
  readonly x402Version: number;
  readonly error?: string;
  /** What is paid for; whose `url` is not that of the request is not to be paid. */
  readonly resource: { readonly url: string; readonly description?: string; readonly mimeType?: string };
  /** At least one. */
  readonly accepts: PaymentOption[];
  readonly extensions?: Record<string, unknown>;
}

/** The request that is to be paid for. */
export interface PayableRequest {
  readonly url: string;
  readonly method: string;
  /** Of the call, where it has one: ends it, and with it whatever the payer asks anybody. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Pays: given a challenge, answers the header of the paid request, as the name `PAYMENT-SIGNATURE` and its value or the
 * value alone; undefined leaves it unpaid. Asked once for a call.
 */
export type Payer = (
  challenge: PaymentChallenge,
  request: PayableRequest,
) => Promise<string | Readonly<Record<string, string>> | undefined>;

/** What was settled for a paid request. */
export interface Settlement {
  readonly success: boolean;
  readonly network: string;
  readonly transaction: string;
  readonly payer?: string;
  readonly [member: string]: unknown;
}

/** The challenge of an answer 402; undefined where none can be paid. */
export function challengeOf({ status, headers, envelope }: SvcError): PaymentChallenge | undefined {
  if (status !== 402) return undefined;
  const { accepts, ...told } = (decoded(headers?.get('payment-required')) ?? envelope) as Partial<PaymentChallenge>;
  return Array.isArray(accepts) && accepts.length > 0 ? ({ ...told, accepts } as PaymentChallenge) : undefined;
}

/** What a paid answer says of its settlement; undefined for an answer that was not paid. */
export const settlementOf = (headers: Headers): Settlement | undefined =>
  decoded(headers.get('payment-response') ?? headers.get('x-payment-response')) as Settlement | undefined;

function decoded(header: string | null | undefined): object | undefined {
  if (!header) return undefined;
  try {
    const bytes = Uint8Array.from(atob(header), (letter) => letter.charCodeAt(0));
    return jsonOf(new TextDecoder().decode(bytes)) as object | undefined;
  } catch {
    return undefined;
  }
}
