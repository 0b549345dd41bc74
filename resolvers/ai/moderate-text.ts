import { z } from 'zod';
import type { Moderated } from '../../engines/ai/ai-engine.ts';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { askModel, requireModel } from './services.ts';
import { aiActions } from './shared/actions.ts';
import { modelText, takeFromRate } from './shared/inputs.ts';

/** `POST /ai/v1/moderate`. Contract 04, section 3.2. */
export const moderateText = query({
  name: 'ai.moderate',
  tool: 'ai_moderate',
  command: 'ai moderate',
  effects: ['openWorld'],
  duration: 'long',
  summary: 'Tell whether a text is harmful, and in which way. It is free.',
  access: onNamedOrOwnProject(aiActions['project:ai:use']),
  input: z.object({ project: itsProject, text: modelText.describe('The text, at most 10,000 characters.') }),
  async handler(ctx, { text }): Promise<Moderated> {
    requireModel(ctx.services, 'moderate');
    takeFromRate(ctx, 'moderate', ctx.project.id);
    return askModel(ctx, 'moderate', (ai, signal) => ai.moderate(text, signal));
  },
  wire: z
    .object({
      flagged: z.boolean(),
      categories: z.record(z.string(), z.boolean()),
      category_scores: z.record(z.string(), z.number()),
      scores: z.record(z.string(), z.number()),
    })
    .meta({ id: 'Moderation' }),
  toWire: ({ flagged, categories, scores }) => ({
    flagged,
    categories: { ...categories },
    category_scores: { ...scores },
    scores: { ...scores },
  }),
});
