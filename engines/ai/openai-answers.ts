import { z } from 'zod';
import { AiFault, type Moderated, type Translated, type TranslationWanted } from './ai-engine.ts';

const completion = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.string().min(1), refusal: z.null().optional() }),
        finish_reason: z.enum(['stop', 'eos', 'eos_token']).nullish(),
      }),
    )
    .min(1),
});

const translation = z.object({ translation: z.string().min(1), from: z.string().nullish() });

/** A language as BCP 47 writes it. */
const languageTag = /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}$/i;

/** A translation is seldom longer than this many times its text, in characters, and never by so many more. */
const growth = { times: 6, more: 500 } as const;

/** @throws AiFault for what is no answer to a request to translate */
export function translationOf(json: unknown, { text, from }: TranslationWanted): Translated {
  const { data } = completion.safeParse(json);
  const given = translation.safeParse(jsonOf(data?.choices[0]?.message.content));
  if (!given.success) throw new AiFault('unusable');
  const { translation: translated, from: seen } = given.data;
  if (translated.length > text.length * growth.times + growth.more) throw new AiFault('unusable');
  return { text: translated, from: from ?? (typeof seen === 'string' && languageTag.test(seen) ? seen : 'und') };
}

/** The JSON of a text, with or without the fence that models like to put around it. Its faults hold what they read, so they go. */
export function jsonOf(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text);
  try {
    return JSON.parse(fenced?.[1] ?? text) as unknown;
  } catch {
    return undefined;
  }
}

const categoryName = z.string().regex(/^[A-Za-z0-9_/ -]{1,64}$/);

const moderation = z.object({
  results: z
    .array(
      z.object({
        flagged: z.boolean(),
        // Models that do not know a category say null.
        categories: z.record(categoryName, z.boolean().nullable()),
        category_scores: z.record(categoryName, z.number().min(0).max(1).nullable()),
      }),
    )
    .length(1),
});

/** More categories than any model has. */
const categoriesMax = 100;

/** @throws AiFault for what is no answer to a request to moderate one text */
export function moderationOf(json: unknown): Moderated {
  const result = moderation.safeParse(json).data?.results[0];
  if (result === undefined) throw new AiFault('unusable');
  const categories = Object.entries(result.categories);
  const scores = Object.entries(result.category_scores);
  if (categories.length > categoriesMax || scores.length > categoriesMax) throw new AiFault('unusable');
  return {
    flagged: result.flagged,
    categories: Object.fromEntries(categories.map(([name, is]) => [name, is ?? false])),
    scores: Object.fromEntries(scores.map(([name, score]) => [name, score ?? 0])),
  };
}

const images = z.object({
  data: z.array(z.object({ b64_json: z.string().nullish(), url: z.string().nullish() })).min(1),
});

/** The image itself, or where it is. @throws AiFault for what is neither */
export function imageOf(json: unknown): { readonly bytes: Buffer } | { readonly url: URL } {
  const image = images.safeParse(json).data?.data[0];
  if (typeof image?.b64_json === 'string' && image.b64_json !== '') {
    // Some put the prefix of a data URL before it.
    return { bytes: Buffer.from(image.b64_json.replace(/^data:[a-z/+.-]{1,64};base64,/, ''), 'base64') };
  }
  const url = typeof image?.url === 'string' ? URL.parse(image.url) : null;
  if (url === null) throw new AiFault('unusable');
  return { url };
}

const refusal = z.object({ error: z.object({ code: z.unknown(), type: z.unknown() }).partial() });

const promptCodes: ReadonlySet<unknown> = new Set([
  'content_policy_violation',
  'moderation_blocked',
  'content_filter',
  'image_generation_user_error',
]);

/** Whether a refusal is about what was asked for, by its code. */
export function refusesPrompt(json: unknown): boolean {
  const { data } = refusal.safeParse(json);
  return data !== undefined && (promptCodes.has(data.error.code) || promptCodes.has(data.error.type));
}
