/** What models are asked for. */
export const aiKinds = ['translate', 'moderate', 'image'] as const;

export type AiKind = (typeof aiKinds)[number];

/** A model, and the server that has it. */
export interface AiModel {
  /** Of the server's API, with its version and without a trailing slash: `https://api.openai.com/v1`. */
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly model: string;
}

export interface AiSettings {
  /** A kind without a model is not offered. */
  readonly models: Readonly<Partial<Record<AiKind, AiModel>>>;
  /** How long an answer may take, all tries together, in milliseconds. */
  readonly timeoutMs: number;
}

export const aspects = ['square', 'landscape', 'portrait'] as const;

export type Aspect = (typeof aspects)[number];

export interface TranslationWanted {
  readonly text: string;
  readonly to: string;
  readonly from?: string | undefined;
  readonly context?: string | undefined;
}

export interface Translated {
  readonly text: string;
  /** What the text was written in: as was told, else as the model sees it, `und` where that is unknown. */
  readonly from: string;
}

export interface Moderated {
  readonly flagged: boolean;
  readonly categories: Readonly<Record<string, boolean>>;
  /** From 0 to 1. */
  readonly scores: Readonly<Record<string, number>>;
}

export interface GeneratedImage {
  readonly bytes: Buffer;
  /** What the bytes are, whatever the server says. */
  readonly contentType: 'image/png' | 'image/jpeg' | 'image/webp';
}

/** Models that are asked over the network. */
export interface AiEngine {
  readonly offers: (kind: AiKind) => boolean;
  /** @throws AiFault */
  readonly translate: (wanted: TranslationWanted, signal: AbortSignal) => Promise<Translated>;
  /** @throws AiFault */
  readonly moderate: (text: string, signal: AbortSignal) => Promise<Moderated>;
  /** @throws AiFault */
  readonly generateImage: (prompt: string, aspect: Aspect, signal: AbortSignal) => Promise<GeneratedImage>;
  /** Whether the servers of all models answer; undefined where there are none. */
  readonly health: () => Promise<boolean | undefined>;
  /** How long an answer may take, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * `refused`: by its status; `limited`: it is asked too often; `unusable`: what it says is no answer; `prompt`: it does
 * not make what is asked for; `aborted`: nobody waits any more.
 */
export type AiFaultReason = 'unreachable' | 'too_slow' | 'refused' | 'limited' | 'unusable' | 'prompt' | 'aborted';

/** A model gave no answer. Neither what was asked nor what was said is in it. */
export class AiFault extends Error {
  override readonly name = 'AiFault';
  readonly reason: AiFaultReason;
  readonly status: number | undefined;
  /** Seconds until it may be asked again, where the server says so. */
  readonly retryAfter: number | undefined;

  constructor(
    reason: AiFaultReason,
    more: { readonly status?: number; readonly retryAfter?: number | undefined } = {},
  ) {
    super(`The model gave no answer: ${reason}${more.status === undefined ? '' : ` (${more.status})`}.`);
    this.reason = reason;
    this.status = more.status;
    this.retryAfter = more.retryAfter;
  }
}
