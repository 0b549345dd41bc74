import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';

/** What a request has asked for. */
export interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what the gateway sends.
  readonly body: any;
}

/** Answers one request in place of what is usual. */
export type Instead = (response: ServerResponse, asked: Asked) => void | Promise<void>;

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) => {
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_0', ...headers });
  response.end(JSON.stringify(body));
};

const refusal = (message: string, type: string, code: string | null) => ({
  error: { message, type, param: null, code },
});

/** A completion as the API writes it. */
export const completion = (content: string | null, finishReason = 'stop') => ({
  id: `chatcmpl-${randomBytes(8).toString('hex')}`,
  object: 'chat.completion',
  created: Math.floor(Date.now() / 1000),
  model: 'words-1',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content, refusal: null, annotations: [] },
      logprobs: null,
      finish_reason: finishReason,
    },
  ],
  usage: { prompt_tokens: 82, completion_tokens: 17, total_tokens: 99 },
  service_tier: 'default',
  system_fingerprint: null,
});

const dictionary: Readonly<Record<string, string>> = { good: 'buenos', morning: 'días', world: 'mundo', hello: 'hola' };

const inSpanish = (text: string) =>
  text.replace(/\p{L}+/gu, (word) => dictionary[word.toLowerCase()] ?? word.toLowerCase());

const categories = ['harassment', 'harassment/threatening', 'hate', 'self-harm', 'sexual', 'violence'];

const moderation = (input: string) => {
  const isViolent = /\bkill\b/i.test(input);
  const each = <Value>(value: (name: string) => Value) =>
    Object.fromEntries(categories.map((one) => [one, value(one)]));
  return {
    id: `modr-${randomBytes(8).toString('hex')}`,
    model: 'watch-1',
    results: [
      {
        flagged: isViolent,
        categories: each((name) => isViolent && name === 'violence'),
        category_scores: each((name) => (isViolent && name === 'violence' ? 0.93 : 0.0001)),
        category_applied_input_types: each(() => ['text']),
      },
    ],
  };
};

/**
 * Speaks the wire of the API of OpenAI, as far as the gateway uses it. It knows a few words, and paints one colour. The
 * official client drives it in one test, the gateway in all others.
 */
export async function startAiServer() {
  const key = `sk-${randomBytes(16).toString('hex')}`;
  const asked: Asked[] = [];
  const instead: Instead[] = [];
  let gone = 0;
  const pictures = new Map<string, Buffer>();

  async function image({ model, prompt, n = 1, size = '1024x1024', response_format }: Asked['body'], base: string) {
    if (model.startsWith('gpt-image') && response_format !== undefined)
      return { status: 400, body: refusal("Unknown parameter: 'response_format'.", 'invalid_request_error', null) };
    const [width, height] = (size as string).split('x').map((side) => Number(side) / 64);
    const format = model.endsWith('jpeg') ? 'jpeg' : model.endsWith('webp') ? 'webp' : 'png';
    const picture = await sharp({
      create: {
        width: width!,
        height: height!,
        channels: 3,
        background: `#${Buffer.from(prompt).toString('hex').padEnd(6, '0').slice(0, 6)}`,
      },
    })
      [format]()
      .toBuffer();
    const name = randomBytes(8).toString('hex');
    pictures.set(name, picture);
    const one = model.startsWith('link')
      ? { url: `${base}/pictures/${name}` }
      : { b64_json: picture.toString('base64') };
    return {
      status: 200,
      body: { created: Math.floor(Date.now() / 1000), data: Array.from({ length: n }, () => one) },
    };
  }

  const server = createServer(async (request, response) => {
    response.on('close', () => {
      if (!response.writableEnded) gone++;
    });
    const path = request.url!;
    const [, , picture] = path.split('/');
    if (path.startsWith('/pictures/') && pictures.has(picture!)) {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      return response.end(pictures.get(picture!));
    }
    const text = await textOf(request);
    const one: Asked = {
      path,
      authorization: request.headers.authorization,
      body: text === '' ? undefined : JSON.parse(text),
    };
    const isLook = request.method === 'GET';
    if (!isLook) asked.push(one);
    const fault = isLook ? undefined : instead.shift();
    if (fault !== undefined) return void (await fault(response, one));
    if (one.authorization !== `Bearer ${key}`)
      return json(response, 401, refusal('Incorrect API key provided.', 'invalid_request_error', 'invalid_api_key'));
    if (path === '/v1/models')
      return json(response, 200, {
        object: 'list',
        data: ['words-1', 'watch-1', 'paint-1'].map((id) => ({
          id,
          object: 'model',
          created: 1_700_000_000,
          owned_by: 'test',
        })),
      });
    if (path === '/v1/chat/completions') {
      const data = JSON.parse(one.body.messages.at(-1).content);
      return json(response, 200, completion(JSON.stringify({ translation: inSpanish(data.text), from: 'en' })));
    }
    if (path === '/v1/moderations') return json(response, 200, moderation(one.body.input));
    if (path === '/v1/images/generations') {
      const { status, body } = await image(one.body, url);
      return json(response, status, body);
    }
    return json(response, 404, refusal('Invalid URL', 'invalid_request_error', null));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    key,
    env: {
      AI_URL: url,
      AI_API_KEY: key,
      AI_TRANSLATE_MODEL: 'words-1',
      AI_MODERATE_MODEL: 'watch-1',
      AI_IMAGE_MODEL: 'paint-1',
    },
    /** What was asked so far, but for looks at the list of models. */
    asked,
    /** Answers the next requests otherwise. */
    next: (...faults: readonly Instead[]) => void instead.push(...faults),
    /** Requests that were closed before their answer was whole. */
    gone: () => gone,
    close: () =>
      new Promise<void>((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}

export type AiServer = Awaited<ReturnType<typeof startAiServer>>;

/** Answers of a server that does not do what it should. */
export const faults = {
  says:
    (status: number, body: unknown, headers: Record<string, string> = {}): Instead =>
    (response) =>
      json(response, status, body, headers),
  error: (message: string): Instead => faults.says(200, refusal(message, 'server_error', null)),
  html: ((response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<!doctype html><title>Bad gateway</title>');
  }) satisfies Instead,
  /** A right answer under a wrong type. */
  mislabelled:
    (body: unknown): Instead =>
    (response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.end(JSON.stringify(body));
    },
  /** Says that two gigabytes come, and begins to send them. */
  huge: ((response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(2 ** 31) });
    response.on('error', () => undefined);
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 32)));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  }) satisfies Instead,
  /** Sends a byte now and then, without an end. */
  endless: ((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  }) satisfies Instead,
  hangs: (() => undefined) satisfies Instead,
  hangsUp: ((response) => void response.destroy()) satisfies Instead,
  redirects:
    (location: string): Instead =>
    (response) => {
      response.writeHead(307, { location });
      response.end();
    },
  /** Waits until it is let go, and then answers as usual says. */
  gated: (body: unknown) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const here = Promise.withResolvers<void>();
    const instead: Instead = async (response) => {
      here.resolve();
      await promise;
      json(response, 200, body);
    };
    return { instead, arrived: here.promise, open: resolve };
  },
} as const;
