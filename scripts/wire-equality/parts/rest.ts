import type { Exchange } from '../exchange.ts';
import { type HttpExchange, http } from '../http.ts';
import { badVariants, foreign, inOrder, type JsonSchema, namedSample, sampleObject, takesAway } from '../samples.ts';
import { type Caller, callerNames, type Side } from '../side.ts';
import { newWorld } from '../world.ts';

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema?: JsonSchema;
}

interface Described {
  readonly operationId?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema; readonly example?: unknown }>>;
  };
}

interface Path {
  readonly method: string;
  /** As the document has it, `/orgs/v1/{org_id}`. */
  readonly path: string;
  readonly query: JsonSchema;
  readonly body: JsonSchema | undefined;
  readonly example: unknown;
}

const documents = ['/openapi/platform.json', '/openapi.json'];

/** Every path that either build describes. */
async function describedPaths(sides: readonly Side[]): Promise<Path[]> {
  const found = new Map<string, Path>();
  for (const side of sides)
    for (const document of documents) {
      const { paths, components } = (await (await fetch(side.url + document)).json()) as {
        paths: Record<string, Record<string, Described>>;
        components?: { schemas?: Record<string, JsonSchema> };
      };
      const resolved = (schema?: JsonSchema) =>
        schema?.$ref === undefined ? schema : components?.schemas?.[schema.$ref.split('/').at(-1)!];
      for (const [path, methods] of Object.entries(paths))
        for (const [method, described] of Object.entries(methods)) {
          const key = `${method.toUpperCase()} ${path}`;
          if (found.has(key)) continue;
          const queries = (described.parameters ?? []).filter((one) => one.in === 'query');
          const content = described.requestBody?.content?.['application/json'];
          found.set(key, {
            method: method.toUpperCase(),
            path,
            query: {
              properties: Object.fromEntries(queries.map(({ name, schema = {} }) => [name, schema])),
              required: queries.filter(({ required }) => required === true).map(({ name }) => name),
            },
            body: resolved(content?.schema),
            example: content?.example,
          });
        }
    }
  return [...found.values()];
}

const reads = ({ method }: Path) => method === 'GET';

/** Every described path: asked by everyone with good inputs, and by its owner with bad ones. */
export async function* restPart(sides: readonly Side[]): AsyncIterable<Exchange> {
  const paths = await describedPaths(sides);
  yield* newWorld(sides);
  const last = (path: Path) => path.method === 'DELETE' || takesAway(path.path);
  for (const path of paths.filter((one) => !last(one))) yield* badRequests(path);
  for (const path of paths.filter(reads)) yield* goodRequests(path);
  const changes = paths.filter((path) => !reads(path));
  for (const path of changes.filter((one) => !last(one))) yield* goodRequests(path);
  for (const path of paths.filter(reads)) yield asked(path, 'owner', 'once more');
  // What takes away begins with a world that has everything again.
  yield* newWorld(sides);
  for (const path of inOrder(changes.filter(last), (one) => one.path)) yield* goodRequests(path);
  yield* newWorld(sides);
  for (const path of changes.filter(last)) yield* badRequests(path);
  for (const path of paths.filter(reads)) yield asked(path, 'owner', 'behind what took away');
}

const groupOf = ({ method, path }: Path) => `${method} ${path}`;

/** A path with templates for its parameters. */
const filled = (path: string, values: (name: string) => unknown): string =>
  path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(values(name) ?? 'text'));

const plainPath = ({ path }: Path) => filled(path, (name) => namedSample(name, path));

const queryOf = (values: Readonly<Record<string, unknown>>): string => {
  const pairs = Object.entries(values).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${name}=${encodeURIComponent(text).replaceAll(/%7B%7B(\w+)%7D%7D/g, '{{$1}}')}`;
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
};

function asked(path: Path, as: Caller, name: string, more: Partial<HttpExchange> = {}, all = false): Exchange {
  const body = path.body === undefined ? undefined : sampleObject(path.body, path.path, all);
  return http({
    group: groupOf(path),
    name: `as ${as}, ${name}`,
    as,
    method: path.method,
    path: plainPath(path) + queryOf(sampleObject(path.query, path.path, all)),
    ...(body === undefined ? {} : { body }),
    ...more,
  });
}

function* goodRequests(path: Path): Iterable<Exchange> {
  for (const as of callerNames) yield asked(path, as, 'plain');
  yield asked(path, 'owner', 'with all members', {}, true);
  yield asked(path, 'service key', 'with all members', {}, true);
  if (path.example !== undefined) yield asked(path, 'nobody', 'its example', { body: path.example });
  if (path.method === 'GET') return;
  const headers = { 'idempotency-key': `wire ${groupOf(path)}` };
  yield asked(path, 'owner', 'with a key', { headers });
  yield asked(path, 'owner', 'with the key again', { headers });
  yield asked(path, 'owner', 'with the key for another body', { headers, body: { wire: 1 } });
}

function* badRequests(path: Path): Iterable<Exchange> {
  const { method } = path;
  for (const [, name] of path.path.matchAll(/\{(\w+)\}/g))
    for (const wrong of ['no such', '00000000-0000-4000-8000-000000000000', foreign[name!] ?? '%ff'])
      yield asked(path, 'owner', `${name} is ${wrong}`, {
        path: filled(path.path, (one) =>
          one === name
            ? encodeURI(wrong).replaceAll('%7B', '{').replaceAll('%7D', '}').replaceAll('%25ff', '%ff')
            : namedSample(one, path.path),
        ),
      });
  for (const { name, value } of badVariants(path.query, path.path))
    yield asked(path, 'owner', name, { path: plainPath(path) + queryOf(value) });
  if (path.body !== undefined)
    for (const { name, value } of badVariants(path.body, path.path)) yield asked(path, 'owner', name, { body: value });
  if (method === 'GET') return;
  yield asked(path, 'owner', 'half a document', { body: '{"a":' });
  yield asked(path, 'owner', 'a list', { body: [] });
  yield asked(path, 'owner', 'another type of content', {
    headers: { 'content-type': 'application/xml' },
    body: '<a/>',
  });
}
