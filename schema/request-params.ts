import { ServiceError } from '../core/errors.ts';
import type { GraphQLRequest } from './engine/engine.ts';

const jsonTypes = ['application/json', 'application/graphql+json'];

/**
 * The parameters of a GraphQL request over HTTP. Unknown ones are ignored, wrong ones refused before anything runs.
 *
 * @throws UNSUPPORTED_MEDIA_TYPE, MALFORMED_JSON, VALIDATION_FAILED
 */
export async function readParams(request: Request): Promise<GraphQLRequest> {
  const { query, operationName, variables, extensions } =
    request.method === 'POST' ? await ofBody(request) : ofAddress(new URL(request.url).searchParams);
  if (variables != null && !isRecord(variables)) throw wrong('variables', 'must be an object');
  if (extensions != null && !isRecord(extensions)) throw wrong('extensions', 'must be an object');
  if (operationName != null && typeof operationName !== 'string') throw wrong('operationName', 'must be a string');
  // With its hash alone a persisted document needs no text.
  const optional = extensions?.persistedQuery != null;
  if (query == null ? !optional : typeof query !== 'string') throw wrong('query', 'must be a GraphQL document');
  return { query: query as string | null | undefined, operationName, variables, extensions };
}

type Params = Readonly<Record<keyof GraphQLRequest, unknown>>;

async function ofBody(request: Request): Promise<Partial<Params>> {
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';');
  if (!jsonTypes.includes(type.trim().toLowerCase())) throw new ServiceError('UNSUPPORTED_MEDIA_TYPE');
  let body: unknown;
  try {
    body = await request.json();
  } catch {
    throw new ServiceError('MALFORMED_JSON');
  }
  if (Array.isArray(body)) throw wrong('', 'one request at a time; batches are not answered');
  if (!isRecord(body)) throw wrong('', 'the body must be an object');
  return body;
}

function ofAddress(search: URLSearchParams): Params {
  const text = (name: string) => search.get(name) || undefined;
  const json = (name: string): unknown => {
    const value = text(name);
    try {
      return value === undefined ? undefined : JSON.parse(value);
    } catch {
      throw wrong(name, 'must be JSON');
    }
  };
  return {
    query: text('query'),
    operationName: text('operationName'),
    variables: json('variables'),
    extensions: json('extensions'),
  };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const wrong = (field: string, reason: string) =>
  new ServiceError('VALIDATION_FAILED', {
    message: field === '' ? reason : `${field}: ${reason}`,
    details: { field, reason },
  });
