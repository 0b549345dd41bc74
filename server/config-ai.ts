import { z } from 'zod';
import { type AiModel, type AiSettings, aiKinds } from '../engines/ai/ai-engine.ts';
import { apiBase } from '../engines/ai/api-base.ts';
import { parsed } from './config-values.ts';

const address = () =>
  parsed(
    'the address of an OpenAI-compatible API, such as https://api.example.com/v1, without a query or credentials',
    apiBase,
  );

const key = () => parsed('without spaces', (value) => (/^[\x21-\x7e]{1,1024}$/.test(value) ? value : undefined));

const model = () =>
  parsed('the name of a model, without spaces', (value) => (/^[\x21-\x7e]{1,256}$/.test(value) ? value : undefined));

/** Their part of the environment's schema. */
export const aiVariables = {
  AI_URL: address(),
  AI_API_KEY: key(),
  AI_TRANSLATE_MODEL: model(),
  AI_TRANSLATE_URL: address(),
  AI_TRANSLATE_API_KEY: key(),
  AI_MODERATE_MODEL: model(),
  AI_MODERATE_URL: address(),
  AI_MODERATE_API_KEY: key(),
  AI_IMAGE_MODEL: model(),
  AI_IMAGE_URL: address(),
  AI_IMAGE_API_KEY: key(),
  AI_TIMEOUT_SECONDS: parsed('a whole number from 1 to 600', (value) =>
    /^[1-9]\d{0,2}$/.test(value) && Number(value) <= 600 ? Number(value) : undefined,
  ),
};

const aiEnvironment = z.object(aiVariables);
type AiEnvironment = Partial<z.output<typeof aiEnvironment>>;

const open = (byDefault: string, description: string) => ({ default: byDefault, description, secret: false });
const secret = (byDefault: string, description: string) => ({ default: byDefault, description, secret: true });

const ownServer = (does: string) =>
  open('`AI_URL`', `Server of the model that ${does}, where it is another one than \`AI_URL\`.`);
const ownKey = (kind: string) =>
  secret(
    `\`AI_API_KEY\`, unless \`AI_${kind}_URL\` is set: a key is sent to no other server`,
    `Key for \`AI_${kind}_URL\`.`,
  );

/** Their part of the documentation. */
export const aiDescriptions = {
  AI_URL: open(
    'no models are asked',
    'Server that speaks as the API of OpenAI does, such as `https://api.openai.com/v1` or `http://localhost:11434`. It may lie in a private network. `/v1` is added where the address names no version, and the path of a single endpoint is taken off.',
  ),
  AI_API_KEY: secret('none is sent', 'Key for that server, sent as a bearer token.'),
  AI_TRANSLATE_MODEL: open('texts are not translated', 'Model that translates, asked at `/chat/completions`.'),
  AI_TRANSLATE_URL: ownServer('translates'),
  AI_TRANSLATE_API_KEY: ownKey('TRANSLATE'),
  AI_MODERATE_MODEL: open('texts are not moderated', 'Model that moderates, asked at `/moderations`.'),
  AI_MODERATE_URL: ownServer('moderates'),
  AI_MODERATE_API_KEY: ownKey('MODERATE'),
  AI_IMAGE_MODEL: open('no images are made', 'Model that makes images, asked at `/images/generations`.'),
  AI_IMAGE_URL: ownServer('makes images'),
  AI_IMAGE_API_KEY: ownKey('IMAGE'),
  AI_TIMEOUT_SECONDS: open('`120`', 'How long a model may take to answer, all tries together.'),
} as const;

const nameOf = (kind: (typeof aiKinds)[number]) => kind.toUpperCase() as Uppercase<typeof kind>;

export function aiOf(values: AiEnvironment): AiSettings {
  const models = aiKinds.flatMap((kind): [string, AiModel][] => {
    const name = nameOf(kind);
    const own = values[`AI_${name}_URL`];
    const url = own ?? values.AI_URL;
    const named = values[`AI_${name}_MODEL`];
    if (url === undefined || named === undefined) return [];
    const apiKey = values[`AI_${name}_API_KEY`] ?? (own === undefined ? values.AI_API_KEY : undefined);
    return [[kind, { url, apiKey, model: named }]];
  });
  return { models: Object.fromEntries(models), timeoutMs: (values.AI_TIMEOUT_SECONDS ?? 120) * 1000 };
}

/** What of them cannot go together, a sentence each. */
export function aiFaults(has: (name: keyof AiEnvironment) => boolean): string[] {
  const faults = has('AI_API_KEY') && !has('AI_URL') ? ['AI_URL must be set when AI_API_KEY is.'] : [];
  const models = aiKinds.map(nameOf);
  for (const name of models) {
    if (has(`AI_${name}_MODEL`) && !has('AI_URL') && !has(`AI_${name}_URL`))
      faults.push(`AI_URL or AI_${name}_URL must be set when AI_${name}_MODEL is.`);
    if (has(`AI_${name}_URL`) && !has(`AI_${name}_MODEL`))
      faults.push(`AI_${name}_MODEL must be set when AI_${name}_URL is.`);
    if (has(`AI_${name}_API_KEY`) && !has(`AI_${name}_URL`))
      faults.push(`AI_${name}_URL must be set when AI_${name}_API_KEY is.`);
  }
  if (has('AI_URL') && !models.some((name) => has(`AI_${name}_MODEL`)))
    faults.push('AI_TRANSLATE_MODEL, AI_MODERATE_MODEL or AI_IMAGE_MODEL must be set when AI_URL is.');
  return faults;
}
