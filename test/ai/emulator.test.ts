import OpenAI from 'openai';
import { afterAll, expect, test } from 'vitest';
import { apiBase } from '../../engines/ai/api-base.ts';
import { imageType } from '../../engines/ai/image-type.ts';
import { createAiEngine } from '../../engines/ai/openai-engine.ts';
import { faults, startAiServer } from '../helpers/ai-server.ts';

const server = await startAiServer();
afterAll(() => server.close());

test('the official client understands the emulator', async () => {
  const client = new OpenAI({ apiKey: server.key, baseURL: `${server.url}/v1`, maxRetries: 0 });
  const models = await client.models.list();
  expect(models.data.map(({ id }) => id)).toContain('words-1');
  const { choices, usage } = await client.chat.completions.create({
    model: 'words-1',
    messages: [{ role: 'user', content: JSON.stringify({ text: 'Hello', to: 'es' }) }],
    response_format: { type: 'json_object' },
  });
  expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { role: 'assistant' } });
  expect(JSON.parse(choices[0]!.message.content!)).toEqual({ translation: 'hola', from: 'en' });
  expect(usage!.total_tokens).toBeGreaterThan(0);
  const judged = await client.moderations.create({ model: 'watch-1', input: 'I will kill you' });
  expect(judged.results[0]).toMatchObject({ flagged: true, categories: { violence: true } });
  const { data } = await client.images.generate({ model: 'paint-1', prompt: 'Sea', size: '1024x1024' });
  expect(imageType(Buffer.from(data![0]!.b64_json!, 'base64'))).toBe('image/png');
  const stranger = new OpenAI({ apiKey: 'sk-wrong', baseURL: `${server.url}/v1`, maxRetries: 0 });
  await expect(stranger.models.list()).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' });
  server.next(faults.says(429, { error: { message: 'Slow down', type: 'requests', code: 'rate_limit_exceeded' } }));
  await expect(client.moderations.create({ input: 'a' })).rejects.toMatchObject({ status: 429 });
});

test.each([
  ['https://api.example.com/v1', 'https://api.example.com/v1'],
  ['https://api.example.com', 'https://api.example.com/v1'],
  ['https://api.example.com/', 'https://api.example.com/v1'],
  ['https://api.example.com/v1/', 'https://api.example.com/v1'],
  ['https://api.example.com/v1/chat/completions', 'https://api.example.com/v1'],
  ['https://api.example.com/chat/completions/', 'https://api.example.com/v1'],
  ['https://api.example.com/openai/v1', 'https://api.example.com/openai/v1'],
  ['https://api.example.com/v1beta/openai/', 'https://api.example.com/v1beta/openai'],
  ['http://localhost:11434', 'http://localhost:11434/v1'],
  ['https://api.example.com/v1?api-version=1', undefined],
  ['https://user:word@api.example.com/v1', undefined],
  ['ftp://api.example.com', undefined],
  ['api.example.com', undefined],
])('the address %s leads to %s', (written, base) => {
  expect(apiBase(written)).toBe(base);
});

test.each(['', '/', '/v1', '/v1/', '/v1/models', '/v1/chat/completions'])(
  'a server is asked at the same paths when its address ends with "%s"',
  async (end) => {
    const url = apiBase(server.url + end)!;
    const engine = createAiEngine({
      models: { translate: { url, apiKey: server.key, model: 'words-1' } },
      timeoutMs: 30_000,
    });
    const signal = new AbortController().signal;
    expect(await engine.translate({ text: 'Hello', to: 'es' }, signal)).toEqual({ text: 'hola', from: 'en' });
    expect(await engine.health()).toBe(true);
  },
);

test.each(['png', 'jpeg', 'webp'])(
  'an image is what its bytes are: %s, in the answer or behind an address',
  async (format) => {
    for (const model of [`paint-${format}`, `link-${format}`]) {
      const engine = createAiEngine({
        models: { image: { url: `${server.url}/v1`, apiKey: server.key, model } },
        timeoutMs: 30_000,
      });
      const { bytes, contentType } = await engine.generateImage('Sea', 'landscape', new AbortController().signal);
      expect(contentType).toBe(`image/${format}`);
      expect(imageType(bytes)).toBe(contentType);
      expect(server.asked.at(-1)!.body).toMatchObject({ model, n: 1, size: '1536x1024' });
    }
  },
);
