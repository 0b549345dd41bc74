import { isObject } from '../json-rpc.ts';
import type { PaymentAsked } from '../message-payment.ts';
import type { AskedMessage } from './dialect.ts';

/** Members of metadata by which the x402 extension of A2A pays inside a task. Contract 00, section 4.4. */
const keys = {
  status: 'x402.payment.status',
  required: 'x402.payment.required',
  payload: 'x402.payment.payload',
  receipts: 'x402.payment.receipts',
  error: 'x402.payment.error',
} as const;

/** The payment that a message submits; undefined when it submits none. */
export const paymentIn = ({ metadata }: AskedMessage): unknown =>
  metadata[keys.status] === 'payment-submitted' || metadata[keys.payload] !== undefined
    ? (metadata[keys.payload] ?? {})
    : undefined;

/** The task's message to a client that has yet to pay, or paid wrongly. */
export const askingFacts = ({ challenge, reason, receipt }: PaymentAsked) => ({
  [keys.status]: reason === undefined ? 'payment-required' : 'payment-failed',
  [keys.required]: challenge,
  ...(reason === undefined ? {} : { [keys.error]: reason }),
  ...(receipt === undefined ? {} : { [keys.receipts]: [receipt] }),
});

/** What a task says that was paid for. */
export const paidFacts = (receipt: object | undefined): Readonly<Record<string, unknown>> =>
  receipt === undefined ? {} : { [keys.status]: 'payment-completed', [keys.receipts]: [receipt] };

/** Whether a task waits for its payment. */
export const waitsForPayment = (facts: Readonly<Record<string, unknown>>): boolean => isObject(facts[keys.required]);
