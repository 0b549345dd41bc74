import { ask } from './gateway.ts';

export interface TranslationOptions {
  /** The language that the text is in. @default what the model sees */
  readonly from?: string;
  /** What the text is about, 200 characters at most. */
  readonly context?: string;
}

export interface Translation {
  readonly text: string;
  readonly from: string;
  readonly to: string;
}

export interface Moderation {
  readonly flagged: boolean;
  readonly categories: Readonly<Record<string, boolean>>;
  /** From 0 to 1. */
  readonly category_scores: Readonly<Record<string, number>>;
}

export interface ImageOptions {
  readonly prompt: string;
  /** @default 'square' */
  readonly aspect?: 'square' | 'landscape' | 'portrait';
}

export interface GeneratedImage {
  /** In base64. */
  readonly image: string;
  readonly content_type: string;
  readonly aspect: string;
}

/** Models of the gateway. */
export const ai = {
  /**
   * Translates a text of 10,000 characters at most.
   *
   * @param to a language, such as `es`
   * @throws FunctionError AI_ADDON_INACTIVE, QUOTA_EXCEEDED, and what else the gateway refuses
   */
  translate(text: string, to: string, { from, context }: TranslationOptions = {}): Promise<Translation> {
    return ask({ method: 'POST', path: '/ai/v1/translate', json: { text, to, from, context } });
  },

  /** Tells whether a text of 10,000 characters at most is harmful. @throws FunctionError */
  moderate(text: string): Promise<Moderation> {
    return ask({ method: 'POST', path: '/ai/v1/moderate', json: { text } });
  },

  /** Makes an image, which the organization of the project pays for. @throws FunctionError PAYMENT_REQUIRED */
  generateImage({ prompt, aspect = 'square' }: ImageOptions): Promise<GeneratedImage> {
    return ask({ method: 'POST', path: '/generate-image/v1', json: { prompt, aspect } });
  },
} as const;
