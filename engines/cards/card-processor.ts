/** A purchase, as it is shown to the card provider. */
export interface CardSale {
  /** The top-up: the provider repeats its answer for the same one, and every payment names it. */
  readonly topupId: string;
  /** Whole cents of US dollars. */
  readonly cents: number;
  readonly description: string;
}

export interface SessionWanted extends CardSale {
  readonly successUrl: string;
  readonly cancelUrl: string;
  /** The customer whom the card is kept for; a new one where it is to be kept and there is none. */
  readonly customerId: string | null;
  readonly savesCard: boolean;
}

/** A page where a card is charged. */
export interface CardSession {
  readonly sessionId: string;
  readonly url: string;
}

/** A charge without its holder. */
export interface ChargeWanted extends CardSale {
  readonly customerId: string;
  readonly paymentMethodId: string;
}

/** A card that may be charged again. */
export interface SavedCard {
  readonly customerId: string;
  readonly paymentMethodId: string;
  /** For example `visa 4242`. */
  readonly label: string;
}

/** Where a payment stands at the provider. */
export type CardPaymentState = 'open' | 'processing' | 'paid' | 'failed' | 'expired';

/** A payment as the provider describes it now. */
export interface CardPayment {
  /** What the provider was told to keep with it; null for what this gateway did not make. */
  readonly topupId: string | null;
  readonly cents: number;
  /** In small letters. */
  readonly currency: string;
  readonly live: boolean;
  readonly state: CardPaymentState;
  /** Why it failed, for people. */
  readonly failure: string | null;
  readonly paymentIntentId: string | null;
  readonly savedCard: SavedCard | null;
  /** What went back to the payer or is held back by its bank, in cents: refunds and disputes together. */
  readonly centsBack: number;
}

/** What an event is about; the provider is asked for what it means. */
export interface CardEvent {
  readonly id: string;
  readonly type: string;
  /** Set for what happened in somebody else's account. */
  readonly foreignAccount: string | null;
  readonly topupId: string | null;
  readonly sessionId: string | null;
  readonly paymentIntentId: string | null;
}

/** Takes payments by card. */
export interface CardProcessor {
  /** Whether its keys move real money. */
  readonly live: boolean;
  /** @throws CardsUnavailable */
  readonly createSession: (wanted: SessionWanted) => Promise<CardSession>;
  /** @throws CardsUnavailable; @returns undefined for a session of nobody's */
  readonly readSession: (sessionId: string) => Promise<CardPayment | undefined>;
  /** @throws CardsUnavailable; @returns undefined for a payment of nobody's */
  readonly readPayment: (paymentIntentId: string) => Promise<CardPayment | undefined>;
  /** Charges a saved card. A card that is declined is a payment that failed. @throws CardsUnavailable */
  readonly charge: (wanted: ChargeWanted) => Promise<CardPayment>;
  /** @returns undefined for what the provider has not signed, or long ago */
  readonly readEvent: (body: Buffer, signature: string) => Promise<CardEvent | undefined>;
}

/** The provider cannot be reached, or refuses. Its words may hold what is nobody's business: they are the cause alone. */
export class CardsUnavailable extends Error {
  override readonly name = 'CardsUnavailable';

  constructor(cause: unknown) {
    super('The card provider did not do what it was asked.', { cause });
  }
}
