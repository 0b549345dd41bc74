import type { ErrorCode } from '../../core/error-codes.ts';
import { ServiceError, type ServiceErrorOptions } from '../../core/errors.ts';
import { ChallengeForm, type ChallengeTexts, textsOf } from '../../engines/x402/challenge-texts.ts';
import { challengeV1, challengeV2, type Terms } from '../../engines/x402/terms.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { Price } from '../../kernel/run/price.ts';
import type { SaleFacet } from './sale-facet.ts';
import { settlementAddress } from './shared/settlement-address.ts';

/** What is asked for: its texts are of both versions of x402, which name the same price. */
export interface Challenge {
  readonly v2: ReturnType<typeof challengeV2>;
  readonly texts: ChallengeTexts;
}

/** The refusal of whoever has yet to pay, or paid wrongly; surfaces render the challenge as their contract says. */
export class PaymentRequired extends ServiceError {
  readonly challenge: Challenge;
  /** Whether the installation's own products under `/api` ask, whose body is the challenge itself. */
  readonly isOfGateway: boolean;

  constructor(code: ErrorCode, challenge: Challenge, isOfGateway: boolean, options: ServiceErrorOptions) {
    const { stackTraceLimit } = Error;
    // To ask for money is no failure that anybody looks for, and noting the stack took a tenth of such an answer.
    Error.stackTraceLimit = 0;
    super(code, options);
    Error.stackTraceLimit = stackTraceLimit;
    this.challenge = challenge;
    this.isOfGateway = isOfGateway;
  }
}

/** Offered with every challenge: a client that names its payment gets the same answer for it once more. */
const extensions = {
  'payment-identifier': {
    info: { required: false },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        required: { type: 'boolean' },
        id: { type: 'string', minLength: 16, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' },
      },
      required: ['required'],
    },
  },
} as const;

/** The terms of a price for this very request. */
export async function termsOf(ctx: Context, price: Price): Promise<Terms> {
  const { services, request, paymentContext } = ctx;
  return {
    network: price.network,
    payTo: price.payTo ?? (await settlementAddress(services)),
    amount: price.amount,
    resource: paymentContext?.resource ?? services.settings.publicBaseUrl ?? request.baseUrl,
    description: price.description,
    mimeType: 'application/json',
    maxTimeoutSeconds: price.maxTimeoutSeconds,
    confirmed: price.confirmed ?? false,
  };
}

/** Why a payment was not taken, and what of it is known. */
export interface Unpaid {
  /** A reason of contract 00, section 1.10, where a payment was presented. */
  readonly reason?: string;
  /** @default PAYMENT_REQUIRED */
  readonly code?: ErrorCode;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly retryAfter?: number;
  readonly extras?: Readonly<Record<string, unknown>>;
}

const unpaidWords = 'Payment required';

/** Of the few prices that never change; anew for another receiver. */
const forms = new WeakMap<Price, { readonly payTo: string; readonly form: ChallengeForm }>();

function formOf(price: Price, terms: Terms): ChallengeForm {
  let known = forms.get(price);
  if (known?.payTo !== terms.payTo) {
    known = { payTo: terms.payTo, form: new ChallengeForm(terms, unpaidWords, extensions) };
    forms.set(price, known);
  }
  return known.form;
}

function challengeOf(isConstant: boolean, price: Price, terms: Terms, reason: string | undefined): Challenge {
  const error = reason ?? unpaidWords;
  const [first, ...others] = [price.network, ...(price.alsoOn ?? [])].map((network) => ({ ...terms, network }));
  const v2 = challengeV2(first!, error, extensions, others);
  const isAsked = isConstant && reason === undefined;
  const texts = isAsked ? formOf(price, terms).for(terms.resource) : textsOf(challengeV1(first!, error, others), v2);
  return { v2, texts };
}

/** Asks for a payment, or says why the one that was presented is not taken, and asks again. */
export function paymentRequired(
  { family }: Pick<SaleFacet, 'family'>,
  price: Price,
  terms: Terms,
  { reason, code = 'PAYMENT_REQUIRED', message, headers = {}, retryAfter, extras = {} }: Unpaid = {},
): PaymentRequired {
  const challenge = challengeOf(family === 'gateway', price, terms, reason);
  const words =
    reason === undefined
      ? `${price.description}${price.description.endsWith('.') ? '' : '.'} Sign the payment that PAYMENT-REQUIRED describes, and send it along.`
      : `The payment was not taken: ${reason}.`;
  return new PaymentRequired(code, challenge, family === 'gateway', {
    message: message ?? words,
    headers: { ...headers, 'payment-required': challenge.texts.header },
    ...(retryAfter === undefined ? {} : { retryAfter }),
    details: {
      ...price.details,
      price: { sku: price.sku, amount_usd_micros: Number(price.amount), network: price.network },
      challenge: challenge.v2,
      ...(reason === undefined ? {} : { x402_error: reason }),
    },
    nextActions: [
      {
        type: 'submit_payment',
        why: 'Send the same request with the signed payment in the PAYMENT-SIGNATURE header.',
      },
      ...(family !== 'gateway'
        ? [{ type: 'fund_wallet', why: 'Have tokens of that network in the wallet first.' }]
        : []),
    ],
    extras,
  });
}
