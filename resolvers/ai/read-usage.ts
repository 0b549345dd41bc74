import { z } from 'zod';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { aiActions } from './shared/actions.ts';
import { type TranslationUsage, translationUsage } from './shared/addon.ts';

export interface AiUsage {
  readonly translation: TranslationUsage;
}

/** What is left of a cycle; an operator may have included fewer words than are used already. */
export const remainingOf = ({ active, includedWords, usedWords }: TranslationUsage): number =>
  active ? Math.max(0, includedWords - usedWords) : 0;

/** `GET /ai/v1/usage`. Contract 04, section 3.2. */
export const readAiUsage = query({
  name: 'ai.usage',
  tool: 'ai_usage',
  command: 'ai usage',
  summary: 'The words that a project has translated of its cycle of 30 days, and those it has left.',
  access: onNamedOrOwnProject(aiActions['project:ai:read']),
  input: z.object({ project: itsProject }),
  handler: async (ctx): Promise<AiUsage> => ({ translation: await translationUsage(ctx, ctx.project.id) }),
  wire: z
    .object({
      translation: z.object({
        active: z.boolean(),
        used_words: z.int(),
        included_words: z.int(),
        remaining_words: z.int(),
        billing_cycle_start: z.iso.datetime().nullable(),
      }),
    })
    .meta({ id: 'AiUsage' }),
  toWire: ({ translation }) => ({
    translation: {
      active: translation.active,
      used_words: translation.usedWords,
      included_words: translation.includedWords,
      remaining_words: remainingOf(translation),
      billing_cycle_start: translation.cycleStart?.toISOString() ?? null,
    },
  }),
});
