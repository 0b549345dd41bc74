import { z } from 'zod';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { askModel, requireModel } from './services.ts';
import { aiActions } from './shared/actions.ts';
import { takeWords } from './shared/addon.ts';
import { endHold, releaseWords } from './shared/holds.ts';
import { contextText, language, modelText, takeFromRate } from './shared/inputs.ts';
import { countWords } from './shared/words.ts';

export interface Translation {
  readonly text: string;
  readonly from: string;
  readonly to: string;
  readonly words: number;
}

/** `POST /ai/v1/translate`. Contract 04, section 3.2. */
export const translateText = mutation({
  name: 'ai.translate',
  tool: 'ai_translate',
  command: 'ai translate',
  effects: ['openWorld'],
  duration: 'long',
  summary: 'Translate a text. Its words count for the add-on of the project, and only when there is a translation.',
  access: onNamedOrOwnProject(aiActions['project:ai:use']),
  lifecycle: 'gated',
  input: z.object({
    project: itsProject,
    text: modelText.describe('The text, at most 10,000 characters.'),
    to: language.describe('The language to translate into, such as `es` or `Spanish`.'),
    from: language.optional().describe('The language it is in; the model finds out unless told.'),
    context: contextText.optional().describe('What it is about, at most 200 characters.'),
  }),
  async prepare(ctx, { text, to, from, context }) {
    requireModel(ctx.services, 'translate');
    takeFromRate(ctx, 'translate', ctx.project.id);
    const words = countWords(text);
    const hold = await takeWords(ctx, ctx.project.id, words);
    try {
      const translated = await askModel(ctx, 'translate', (ai, signal) =>
        ai.translate({ text, to, from, context }, signal),
      );
      return { hold, words, translated };
    } catch (error) {
      await ctx.services.db.rows(releaseWords.with({ id: hold }));
      throw error;
    }
  },
  async handler(work, { to }, { hold, words, translated }): Promise<Translation> {
    await endHold(work, hold);
    return { ...translated, to, words };
  },
  audit: ({ words }, _input, { project }) => ({
    action: 'ai.translated',
    object: { kind: 'project', id: project.id },
    details: { project_id: project.id, words },
  }),
  wire: z.object({ text: z.string(), from: z.string(), to: z.string() }).meta({ id: 'Translation' }),
  toWire: ({ text, from, to }) => ({ text, from, to }),
});
