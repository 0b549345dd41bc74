import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from './exchange.ts';
import { type Caller, callers, fill, type Side } from './side.ts';

export interface HttpExchange {
  readonly group: string;
  readonly name: string;
  readonly method: string;
  /** A template. */
  readonly path: string;
  /** @default nobody */
  readonly as?: Caller;
  /** Templates. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Templates in JSON, or a text that is sent as it is. */
  readonly body?: unknown;
  /** Members of the answer that are kept under a name, such as `principal.id`. */
  readonly keep?: Readonly<Record<string, string>>;
  /** A piece of the answer that is kept under a name: the first group of the expression. */
  readonly find?: Readonly<Record<string, RegExp>>;
  /** The answer is a stream, which is read until it has been quiet for a while. */
  readonly streams?: true;
}

export interface Received {
  readonly status: number;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** Set where the stream did not end by itself. */
  readonly cut: boolean;
}

/** Headers of the connection and the moment. The length follows from the body, in which ids differ. */
const left = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']);
const answerMs = 40_000;
/** How long a stream is waited for until it says something, and then something more, in milliseconds. */
const streamMs = { first: 1_500, more: 400 };

let addresses = 0;
/** An address for each request, so that limits by address never count two together. */
export const nextAddress = (): string => {
  addresses += 1;
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
};

/** One request, which is the same on both sides but for the values in it. */
export function http(asked: HttpExchange): Exchange {
  const address = nextAddress();
  const { group, name, method, path } = asked;
  return {
    group,
    name: `${name}: ${method} ${path}`,
    async ask(side) {
      const received = await sendPatiently(asked, side, address);
      const text = received.body.toString('utf8');
      keepValues(asked, side, text);
      return transcript(received);
    },
  };
}

/** What was refused for its rate alone is asked again, so that how fast the machine is shows nowhere. */
async function sendPatiently(asked: HttpExchange, side: Side, address: string): Promise<Received> {
  for (let tries = 1; ; tries++) {
    const received = await send(asked, side, address);
    if (tries === 6 || !isRateLimited(received.body)) return received;
    await sleep(500);
  }
}

const isRateLimited = (body: Buffer) =>
  body.length < 3_000 && /"RATE_LIMITED"|"rate_limited"|"over_request_rate_limit"/.test(body.toString('latin1'));

async function send(asked: HttpExchange, side: Side, address: string): Promise<Received> {
  const { method, as = 'nobody', body, streams } = asked;
  const path = fill(asked.path, side);
  const sent = body === undefined ? undefined : fill(typeof body === 'string' ? body : JSON.stringify(body), side);
  const given = Object.fromEntries(
    Object.entries(asked.headers ?? {}).map(([name, value]) => [name.toLowerCase(), fill(value, side)]),
  );
  const headers = {
    'x-forwarded-for': address,
    ...(sent === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(sent)) }),
    ...(await callers[as](side, path)),
    ...given,
  };
  const { hostname, port } = new URL(side.url);
  return new Promise((resolve) => {
    const asks = request({ hostname, port, method, path, headers, agent: side.agent }, (response) => {
      const parts: Buffer[] = [];
      const end = (cut: boolean) => {
        clearTimeout(timer);
        resolve({
          status: response.statusCode!,
          rawHeaders: response.rawHeaders,
          body: Buffer.concat(parts),
          cut,
        });
        if (cut) asks.destroy();
      };
      let timer = setTimeout(() => end(true), streams ? streamMs.first : answerMs);
      response.on('data', (part: Buffer) => {
        parts.push(part);
        if (!streams) return;
        clearTimeout(timer);
        timer = setTimeout(() => end(true), streamMs.more);
      });
      response.on('end', () => end(false));
      response.on('error', () => undefined);
    });
    asks.on('error', (error) => {
      resolve({ status: 0, rawHeaders: ['Error', error.message], body: Buffer.alloc(0), cut: true });
    });
    asks.end(sent);
  });
}

function keepValues({ keep = {}, find = {} }: HttpExchange, side: Side, text: string): void {
  for (const [name, expression] of Object.entries(find)) {
    const found = expression.exec(text)?.[1];
    if (found !== undefined) side.values.set(name, found);
  }
  if (Object.keys(keep).length === 0) return;
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return;
  }
  for (const [name, way] of Object.entries(keep)) {
    // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into.
    const found = way.split('.').reduce<any>((inner, member) => inner?.[member], document);
    if (typeof found === 'string' || typeof found === 'number') side.values.set(name, String(found));
  }
}

/** An answer as the comparison reads it: status, headers in their order, and the body. */
export function transcript({ status, rawHeaders, body, cut }: Received): string {
  const lines: string[] = [`HTTP ${status}`];
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (!left.has(rawHeaders[at]!.toLowerCase())) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  const type = lines.find((line) => /^content-type:/i.test(line)) ?? '';
  const isText = body.length === 0 || /text|json|javascript|xml|graphql|x-ndjson/.test(type);
  const shown = isText
    ? body.toString('utf8')
    : `${body.length} bytes, sha256 ${createHash('sha256').update(body).digest('hex').slice(0, 12)}`;
  return `${lines.join('\n')}\n\n${shown}${cut ? '\n(the stream went on)' : ''}`;
}
