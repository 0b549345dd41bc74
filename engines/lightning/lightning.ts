import { createHash } from 'node:crypto';
import type { NwcConnection } from './nwc-connection.ts';

/** How invoices are made and looked at, and what they are worth. */
export type LightningSettings = {
  readonly rate: { readonly fixed: string } | { readonly url: string };
} & (
  | {
      /** REST interface of an LND node. */
      readonly url: string;
      /** In hexadecimal digits. */
      readonly macaroon: string;
    }
  | {
      readonly nwc: NwcConnection;
    }
);

export interface InvoiceWanted {
  /** 32 bytes that the invoice reveals when it is paid, and the same ones make the same invoice: where the wallet lets them be chosen. */
  readonly preimage: Buffer;
  readonly sats: bigint;
  readonly memo: string;
  readonly expirySeconds: number;
}

export interface Invoice {
  readonly bolt11: string;
  /** In hexadecimal digits. */
  readonly paymentHash: string;
  readonly expiresAt: Date;
}

/** A payment that the node has proven. */
export interface InvoicePayment {
  readonly paidAt: Date;
}

/** What a bitcoin costs. */
export interface Rate {
  /** Dollars, as a decimal number. */
  readonly usdPerBtc: string;
  readonly source: string;
  readonly observedAt: Date;
}

/** Takes payments by lightning. */
export interface Lightning {
  /** @throws LightningUnavailable */
  readonly rate: () => Promise<Rate>;
  /** @throws LightningUnavailable */
  readonly createInvoice: (wanted: InvoiceWanted) => Promise<Invoice>;
  /**
   * @returns the payment; null while there is none
   * @throws LightningUnavailable also for an answer that does not hold: another hash, amount or preimage
   */
  readonly lookup: (invoice: { readonly paymentHash: string; readonly sats: bigint }) => Promise<InvoicePayment | null>;
}

/** The node, or the source of the rate, cannot be asked or is not to be believed. Its own words are the cause alone. */
export class LightningUnavailable extends Error {
  override readonly name = 'LightningUnavailable';
}

/** A payment as a node or a wallet tells of it. */
interface ToldPayment {
  readonly preimage: Uint8Array | undefined;
  /** In thousandths of a sat. */
  readonly paidMsat: bigint;
  /** In seconds since 1970; 0: it does not say. */
  readonly settledAt: number;
}

/** The SHA-256 of a preimage, in hexadecimal digits. */
export const hashOf = (preimage: Uint8Array): string => createHash('sha256').update(preimage).digest('hex');

/** What is told of a settled invoice, where it holds. @throws LightningUnavailable */
export function provenPayment(
  { paymentHash, sats }: Parameters<Lightning['lookup']>[0],
  { preimage, paidMsat, settledAt }: ToldPayment,
): InvoicePayment {
  if (preimage === undefined || hashOf(preimage) !== paymentHash)
    throw new LightningUnavailable('An invoice was answered with a preimage that does not fit.');
  if (paidMsat < sats * 1000n) throw new LightningUnavailable('An invoice was settled for less than it asks.');
  if (settledAt === 0) throw new LightningUnavailable('It is not said when an invoice was settled.');
  return { paidAt: new Date(settledAt * 1000) };
}

/** Micro-dollars that sats are worth, rounded down. @param usdPerBtc a decimal number */
export function satsValue(sats: bigint, usdPerBtc: string): bigint {
  const [whole, part = ''] = usdPerBtc.split('.');
  const microsPerBtc = BigInt(whole! + part.slice(0, 6).padEnd(6, '0'));
  return (sats * microsPerBtc) / 100_000_000n;
}
