import type { Moderated } from '../engines/ai/ai-engine.ts';
import { aspects } from '../engines/ai/ai-engine.ts';
import { activateAddon, type ChangedAddon, deactivateAddon } from '../resolvers/ai/addons.ts';
import { generateImage, imageOffer, type MadeImage } from '../resolvers/ai/generate-image.ts';
import { moderateText } from '../resolvers/ai/moderate-text.ts';
import { type AiUsage, readAiUsage, remainingOf } from '../resolvers/ai/read-usage.ts';
import type { TranslationUsage } from '../resolvers/ai/shared/addon.ts';
import { type Translation, translateText } from '../resolvers/ai/translate-text.ts';
import { builder } from './builder.ts';
import { enumOf } from './enum-of.ts';
import { changeField, fieldOf, readField } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const AspectEnum = enumOf('ImageAspect', 'The shape of an image.', aspects, {
  square: 'As wide as high.',
  landscape: 'Wider than high.',
  portrait: 'Higher than wide.',
});

const AddonEnum = enumOf('AiAddon', 'What a project may have of models.', ['translation'] as const, {
  translation: 'Translation of texts.',
});

const TranslationRef = builder.objectRef<Translation>('Translation').implement({
  description: 'A text in another language.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'The translated text.' }),
    from: t.exposeString('from', { description: 'The language it was in; `und` where that is not known.' }),
    to: t.exposeString('to', { description: 'The language it is in.' }),
  }),
});

const ModerationRef = builder.objectRef<Moderated>('Moderation').implement({
  description: 'Whether a text is harmful.',
  fields: (t) => ({
    flagged: t.exposeBoolean('flagged', { description: 'Whether it is.' }),
    categories: t.field({
      type: 'JSONObject',
      description: 'Whether it is in each way that the model knows.',
      resolve: ({ categories }) => ({ ...categories }),
    }),
    categoryScores: t.field({
      type: 'JSONObject',
      description: 'How surely, from 0 to 1.',
      resolve: ({ scores }) => ({ ...scores }),
    }),
    scores: t.field({
      type: 'JSONObject',
      description: 'The same numbers under the name of older clients.',
      resolve: ({ scores }) => ({ ...scores }),
    }),
  }),
});

const TranslationUsageRef = builder.objectRef<TranslationUsage>('TranslationUsage').implement({
  description: 'What a project may translate, and has.',
  fields: (t) => ({
    active: t.exposeBoolean('active', { description: 'Whether it may.' }),
    usedWords: t.exposeInt('usedWords', { description: 'Words of this cycle.' }),
    includedWords: t.exposeInt('includedWords', { description: 'Words that a cycle has.' }),
    remainingWords: t.int({ description: 'Words that are left of this cycle.', resolve: remainingOf }),
    billingCycleStart: t.expose('cycleStart', {
      type: 'DateTime',
      nullable: true,
      description: 'When the cycle of 30 days began; null where there was none.',
    }),
  }),
});

const AiUsageRef = builder.objectRef<AiUsage>('AiUsage').implement({
  description: 'What a project has used of models.',
  fields: (t) => ({
    translation: t.field({
      type: TranslationUsageRef,
      description: 'Of translation.',
      resolve: ({ translation }) => translation,
    }),
  }),
});

const GeneratedImageRef = builder.objectRef<MadeImage>('GeneratedImage').implement({
  description: 'An image that a model has made.',
  fields: (t) => ({
    image: t.string({
      description: 'Its bytes, in base64.',
      resolve: ({ bytes }) => Buffer.from(bytes).toString('base64'),
    }),
    contentType: t.exposeString('contentType', { description: '`image/png`, `image/jpeg` or `image/webp`.' }),
    aspect: t.expose('aspect', { type: AspectEnum, description: 'Its shape.' }),
  }),
});

const ImageOfferRef = builder.objectRef<Awaited<ReturnType<typeof imageOffer.handler>>>('ImageOffer').implement({
  description: 'What an image costs.',
  fields: (t) => ({
    available: t.exposeBoolean('available', { description: 'Whether images are made here.' }),
    priceUsdMicros: t.exposeFloat('priceUsdMicros', { description: 'The price, in micro-dollars.' }),
    network: t.exposeString('network', { description: 'Where it is paid on chain.' }),
    aspects: t.expose('aspects', { type: [AspectEnum], description: 'The shapes that there are.' }),
  }),
});

readField('imageOffer', imageOffer, { type: ImageOfferRef });
readField('moderateText', moderateText, { type: ModerationRef });

builder.objectField(ProjectRef, 'aiUsage', (t) =>
  t.field({
    type: AiUsageRef,
    nullable: true,
    ...fieldOf(readAiUsage),
    resolve: ({ id }, _args, ctx) => run(readAiUsage, ctx, { project: id }),
  }),
);

changeField('translateText', translateText, {
  type: TranslationRef,
  input: 'A text to translate.',
  argument: 'The text, and the language to translate it into.',
});

changeField('generateImage', generateImage, {
  type: GeneratedImageRef,
  input: 'An image to make.',
  argument: 'What it shows.',
  types: { aspect: AspectEnum },
});

const ChangedAddonRef = builder.objectRef<ChangedAddon>('ChangedAiAddon').implement({
  description: 'An add-on of a project that was activated or deactivated.',
  fields: (t) => ({
    projectId: t.exposeString('projectId', { description: 'The project, `prj_…`.' }),
    changed: t.exposeBoolean('changed', { description: 'Whether anything has changed.' }),
  }),
});

changeField('activateAiAddon', activateAddon, {
  type: ChangedAddonRef,
  input: 'An add-on to activate.',
  argument: 'The project, and what it includes.',
  types: { addon: AddonEnum },
});

changeField('deactivateAiAddon', deactivateAddon, {
  type: ChangedAddonRef,
  input: 'An add-on to deactivate.',
  argument: 'The project.',
  types: { addon: AddonEnum },
});
