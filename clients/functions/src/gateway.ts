import { currentRequest, environment } from './context.ts';
import { FunctionError } from './errors.ts';

export interface Asked {
  /** @default 'GET' */
  readonly method?: string;
  /** From the first slash. */
  readonly path: string;
  /** @default none */
  readonly query?: URLSearchParams;
  /** Beside what says who asks. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. @default no body */
  readonly json?: unknown;
  /** Sent as it is, in place of `json`. */
  readonly bytes?: Uint8Array<ArrayBuffer> | string;
  /** Code of the error that a refusal becomes. @default the gateway's own */
  readonly code?: string;
}

/** Headers of a caller who has the service key of the project. */
export const asService = (): Readonly<Record<string, string>> => {
  const key = environment('SVC_SERVICE_KEY');
  return { apikey: key, authorization: `Bearer ${key}` };
};

/** Of which request this is a part: what comes of it is found by the same id as what the function prints. */
function asPart(): Readonly<Record<string, string>> {
  const id = currentRequest()?.headers.get('x-svc-request-id');
  return id == null ? {} : { 'x-svc-request-id': id };
}

/**
 * Asks the gateway, with the service key unless headers say otherwise.
 *
 * @returns what it answered as JSON
 * @throws FunctionError for every refusal
 */
export async function ask<Answer>({ method = 'GET', path, query, headers, json, bytes, code }: Asked): Promise<Answer> {
  const search = query === undefined || query.size === 0 ? '' : `?${query}`;
  const body = bytes ?? (json === undefined ? undefined : JSON.stringify(json));
  const response = await fetch(`${environment('SVC_API_BASE')}${path}${search}`, {
    method,
    headers: {
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...asPart(),
      ...(headers ?? asService()),
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  if (!response.ok) throw refusalOf(response.status, text, code);
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}

function refusalOf(status: number, text: string, code: string | undefined): FunctionError {
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // A proxy in between may answer with something else.
  }
  const told = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  const said = (name: string) => (typeof told[name] === 'string' ? told[name] : undefined);
  const remoteCode = said('code') ?? said('error') ?? 'API_ERROR';
  const message = said('message') ?? said('detail') ?? `The gateway answered with ${status}.`;
  return new FunctionError(code ?? remoteCode, code === undefined ? message : `${remoteCode} (${status}): ${message}`, {
    status,
    body,
    remoteCode,
    traceId: said('trace_id'),
  });
}
