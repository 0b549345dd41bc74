import { z } from 'zod';

import { assertWithinRate, type Rate } from '../../../kernel/limits/rate-limit.ts';
import type { Context } from '../../../kernel/run/context.ts';

/** Most characters of a text, and of what it is about. Contract 04, section 3.2. */
const charactersMax = { text: 10_000, context: 200 } as const;

const characters = (max: number) =>
  z.string().refine((text) => text.length <= max || [...text].length <= max, `at most ${max} characters`);

const something = /\S/;

/** A text that a model reads. */
export const modelText = characters(charactersMax.text).refine((text) => something.test(text), 'must not be empty');

export const contextText = characters(charactersMax.context);

/** A language, by its tag or its name: `es`, `pt-BR`, `Brazilian Portuguese`. */
export const language = z
  .string()
  .regex(/^\p{L}[\p{L}\p{M}\d() -]{1,63}$/u, 'must be a language, such as es, pt-BR or Spanish');

/** How often one project may ask. Each node grants its own rate. */
const rates = {
  translate: { perSecond: 2, burst: 30 },
  moderate: { perSecond: 5, burst: 30 },
  image: { perSecond: 0.5, burst: 10 },
} as const satisfies Readonly<Record<string, Rate>>;

/** @param whose the project, or who else asks @throws RATE_LIMITED */
export function takeFromRate({ services }: Pick<Context, 'services'>, kind: keyof typeof rates, whose: string): void {
  assertWithinRate(services.rateLimiter.take(`ai-${kind}:${whose}`, rates[kind]));
}
