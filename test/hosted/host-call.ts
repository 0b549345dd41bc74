import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { expect } from 'vitest';
import type { Service } from '../helpers/service.ts';

export interface HostAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
  readonly body: any;
  readonly text: string;
  /** The cookie that the answer sets, as a request would send it; empty when it clears one. */
  readonly cookie: string | undefined;
}

export interface HostOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>> | readonly (readonly [string, string])[];
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly cookie?: string | undefined;
  /** @default the host's own; null for none */
  readonly origin?: string | null;
  /** Asks as a browser does that shows pages. */
  readonly page?: boolean;
}

export const cookieName = '__Host-Http-svc_session';

/** Sends requests to one host of a service, whatever its address. */
export function hostCall(service: Pick<Service, 'url'>, host: string, ownOrigin = `http://${host}`) {
  return async (method: string, path: string, options: HostOptions = {}): Promise<HostAnswer> => {
    const { headers = {}, form, json, cookie, origin = ownOrigin, page = false } = options;
    const body =
      form !== undefined
        ? new URLSearchParams(form as Record<string, string>).toString()
        : json === undefined
          ? undefined
          : JSON.stringify(json);
    const type = form !== undefined ? 'application/x-www-form-urlencoded' : 'application/json';
    const asked = request(service.url + path, {
      method,
      headers: {
        host,
        ...(body === undefined ? {} : { 'content-type': type, 'content-length': String(Buffer.byteLength(body)) }),
        ...(method === 'GET' || origin === null ? {} : { origin }),
        ...(cookie === undefined || cookie === '' ? {} : { cookie }),
        ...(page ? { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } : {}),
        ...headers,
      },
    }).end(body);
    const [response] = await once(asked, 'response');
    let text = '';
    for await (const part of response) text += part;
    return { ...answerOf(response.headers, text), status: response.statusCode };
  };
}

export type HostCall = ReturnType<typeof hostCall>;

function answerOf(given: IncomingHttpHeaders, text: string): Omit<HostAnswer, 'status'> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) for (const one of [value ?? []].flat()) headers.append(name, one);
  const set = headers.getSetCookie().filter((line) => line.startsWith(`${cookieName}=`));
  expect(set.length).toBeLessThanOrEqual(1);
  const isJson = (headers.get('content-type') ?? '').includes('json');
  return {
    headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
    cookie: set[0] === undefined ? undefined : cookieOf(set[0]),
  };
}

/** What a browser keeps of a cookie that is set; every such cookie has all that its name promises. */
function cookieOf(line: string): string {
  const [pair = '', ...attributes] = line.split('; ');
  expect(attributes.filter((one) => !one.startsWith('Max-Age=')).sort()).toEqual([
    'HttpOnly',
    'Path=/',
    'SameSite=Lax',
    'Secure',
  ]);
  const age = Number(attributes.find((one) => one.startsWith('Max-Age='))?.slice('Max-Age='.length));
  if (age === 0) {
    expect(pair).toBe(`${cookieName}=`);
    return '';
  }
  expect(age).toBeGreaterThan(0);
  expect(age).toBeLessThanOrEqual(30 * 86_400);
  expect(pair).toMatch(/^__Host-Http-svc_session=v1\.[0-9a-f-]{36}\.[\w-]{43}$/);
  return pair;
}
