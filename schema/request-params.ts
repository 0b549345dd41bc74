import type { GraphQLError } from 'graphql';
import { invalidField, ServiceError } from '../core/errors.ts';
import { isJsonObject, parseExactJson } from '../core/exact-json.ts';
import type { GraphQLRequest } from './engine/engine.ts';
import { refusal } from './engine/render-errors.ts';

const jsonTypes = ['application/json', 'application/graphql+json'];

type Params = Readonly<Record<keyof GraphQLRequest, unknown>>;

/**
 * The parameters of a GraphQL request over HTTP. Unknown ones are ignored, wrong ones refused before anything runs.
 *
 * @throws UNSUPPORTED_MEDIA_TYPE, MALFORMED_JSON, VALIDATION_FAILED
 */
export async function readParams(request: Request): Promise<GraphQLRequest> {
  if (request.method !== 'POST') return paramsOfAddress(new URL(request.url).searchParams);
  const contentType = request.headers.get('content-type') ?? undefined;
  return paramsOfBody(contentType, new Uint8Array(await request.arrayBuffer()));
}

/** The same of a GET's address. @throws VALIDATION_FAILED */
export const paramsOfAddress = (search: URLSearchParams): GraphQLRequest => checked(ofAddress(search));

const utf8 = new TextDecoder();

/** The same of a POST's body. @throws as {@link readParams} does */
export function paramsOfBody(contentType: string | undefined, body: Uint8Array): GraphQLRequest {
  const [type = ''] = (contentType ?? '').split(';');
  if (!jsonTypes.includes(type.trim().toLowerCase())) throw new ServiceError('UNSUPPORTED_MEDIA_TYPE');
  let value: unknown;
  try {
    value = parseExactJson(utf8.decode(body));
  } catch {
    throw new ServiceError('MALFORMED_JSON');
  }
  if (Array.isArray(value)) throw invalidField('', 'one request at a time; batches are not answered');
  if (!isJsonObject(value)) throw invalidField('', 'the body must be an object');
  return checked(value);
}

/** What a refusal of the parameters comes to; undefined for what is no refusal. */
export const refusedParams = (error: unknown, traceId: string): GraphQLError | undefined =>
  error instanceof ServiceError ? refusal(error, traceId, { status: error.row.status }) : undefined;

function checked({ query, operationName, variables, extensions }: Partial<Params>): GraphQLRequest {
  if (variables != null && !isJsonObject(variables)) throw invalidField('variables', 'must be an object');
  if (extensions != null && !isJsonObject(extensions)) throw invalidField('extensions', 'must be an object');
  if (operationName != null && typeof operationName !== 'string')
    throw invalidField('operationName', 'must be a string');
  // With its hash alone a persisted document needs no text.
  const optional = extensions?.persistedQuery != null;
  if (query == null ? !optional : typeof query !== 'string') throw invalidField('query', 'must be a GraphQL document');
  return { query: query as string | null | undefined, operationName, variables, extensions };
}

function ofAddress(search: URLSearchParams): Params {
  const text = (name: string) => {
    const [value, ...more] = search.getAll(name);
    if (more.length > 0) throw invalidField(name, 'given twice');
    return value || undefined;
  };
  const json = (name: string): unknown => {
    const value = text(name);
    try {
      return value === undefined ? undefined : parseExactJson(value);
    } catch {
      throw invalidField(name, 'must be JSON');
    }
  };
  return {
    query: text('query'),
    operationName: text('operationName'),
    variables: json('variables'),
    extensions: json('extensions'),
  };
}
