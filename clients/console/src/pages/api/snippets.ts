import { columnName } from '../../../../sdk/src/row-dialect.ts';
import type { Caller, Deed } from './access-of.ts';
import { graphSnippet } from './graph-snippets.ts';
import { callArguments, changeOf, conditionOf, rowOf } from './samples.ts';
import type { Thing } from './things.ts';

export type Way = 'curl' | 'sdk' | 'postgrest' | 'graphql';

/** Stand for the keys in a snippet, which are put in when it is shown or copied. */
export const keyMark = '⟨key⟩';
export const tokenMark = '⟨token⟩';

/** Where and as whom requests are sent. */
export interface Place {
  /** Address of the gateway, without a slash at its end. */
  readonly origin: string;
  readonly projectId: string;
  readonly caller: Caller;
  /** The signed-in user, whose rows they are. */
  readonly userId: string | undefined;
}

export interface Snippet {
  readonly title: string;
  readonly code: string;
  /** The address of a read, for a try. */
  readonly url?: string;
}

const titles: Readonly<Record<Deed, string>> = {
  read: 'Read rows',
  filter: 'Find rows',
  insert: 'Insert a row',
  update: 'Change rows',
  delete: 'Delete rows',
  call: 'Call the function',
};

/** Quotes a text for a shell. */
const shell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const isPlain = (name: string) => /^[a-z_][a-z0-9_]*$/i.test(name);
const columnInAddress = (name: string, condition: string) =>
  encodeURIComponent(isPlain(name) ? columnName(name, condition) : `"${name.replace(/["\\]/g, '\\$&')}"`);
const member = (name: string) => (isPlain(name) ? name : JSON.stringify(name));

/** A value of JSON as TypeScript is written. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string'
      ? `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
      : String(value);
  const members = Object.entries(value).map(([name, one]) => `${member(name)}: ${literal(one)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

export const headersOf = (caller: Caller): readonly string[] => [
  `apikey: ${keyMark}`,
  ...(caller === 'user' ? [`Authorization: Bearer ${tokenMark}`] : []),
];

const rowsBase = ({ origin, caller }: Pick<Place, 'origin' | 'caller'>): string =>
  `${origin}${caller === 'service' ? '/admin/v1/rest' : '/rest/v1'}`;

/** A command that sends JSON, or only asks. */
export function curl(method: string, url: string, headers: readonly string[], body?: unknown): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shell(url)}`,
    ...headers.map((header) => `-H ${shell(header)}`),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${shell(JSON.stringify(body))}`]),
  ];
  return lines.join(' \\\n  ');
}

export const sdkHead = ({ origin, caller }: Place): string =>
  `import { createClient, projectKey } from '@svc/sdk';

const client = createClient({
  baseUrl: '${origin}',
  credential: projectKey({ key: '${keyMark}'${caller === 'user' ? `, user: '${tokenMark}'` : ''} }),
});
`;

/** How a deed is done in one of the ways; undefined where that way does not offer it. */
export function snippetOf(way: Way, deed: Deed, thing: Thing, place: Place): Snippet | undefined {
  // Without a condition it would change every row.
  if ((deed === 'update' || deed === 'delete') && conditionOf(thing) === undefined) return undefined;
  const title = titles[deed];
  const code = byWay[way](deed, thing, place);
  if (code === undefined) return undefined;
  return way === 'curl' && (deed === 'read' || deed === 'filter')
    ? { title, code, url: addressOf(deed, thing, place) }
    : { title, code };
}

function addressOf(deed: Deed, thing: Thing, place: Place): string {
  const path = `${rowsBase(place)}/${thing.kind === 'function' ? 'rpc/' : ''}${encodeURIComponent(thing.name)}`;
  if (deed === 'read') return `${path}?limit=10`;
  if (deed === 'insert' || deed === 'call') return path;
  const found = conditionOf(thing);
  if (found === undefined) return path;
  const value = String(found.value);
  return `${path}?${columnInAddress(found.column.name, `eq.${value}`)}=eq.${encodeURIComponent(value)}`;
}

const byWay: Readonly<Record<Way, (deed: Deed, thing: Thing, place: Place) => string | undefined>> = {
  curl(deed, thing, place) {
    const url = addressOf(deed, thing, place);
    const headers = headersOf(place.caller);
    const answering = [...headers, 'Prefer: return=representation'];
    switch (deed) {
      case 'read':
      case 'filter':
        return curl('GET', url, headers);
      case 'insert':
        return curl('POST', url, answering, rowOf(thing, place.userId));
      case 'update':
        return isEmpty(changeOf(thing)) ? undefined : curl('PATCH', url, answering, changeOf(thing));
      case 'delete':
        return curl('DELETE', url, answering);
      case 'call':
        return curl('POST', url, headers, callArguments(thing));
    }
  },
  sdk(deed, thing, place) {
    const admin = place.caller === 'service' ? ', { admin: true }' : '';
    const name = literal(thing.name);
    if (deed === 'call')
      return `${sdkHead(place)}\nconst answer = await client.rpc(${name}, ${literal(callArguments(thing))}${admin});\nconsole.log(answer);`;
    const rows = `client.rest(${name}${admin})`;
    const found = conditionOf(thing);
    const where = found === undefined ? '{}' : literal({ [found.column.name]: `eq.${String(found.value)}` });
    const calls: Readonly<Partial<Record<Deed, string>>> = {
      read: `select({ limit: 10 })`,
      filter: `select({ where: ${where} })`,
      insert: `insert(${literal(rowOf(thing, place.userId))})`,
      ...(isEmpty(changeOf(thing)) ? {} : { update: `update(${literal(changeOf(thing))}, ${where})` }),
      delete: `delete(${where})`,
    };
    const call = calls[deed];
    return call === undefined
      ? undefined
      : `${sdkHead(place)}\nconst rows = await ${rows}.${call};\nconsole.log(rows);`;
  },
  postgrest(deed, thing, place) {
    const head = `import { PostgrestClient } from '@supabase/postgrest-js';

const db = new PostgrestClient('${rowsBase(place)}', {
  headers: { apikey: '${keyMark}'${place.caller === 'user' ? `, Authorization: 'Bearer ${tokenMark}'` : ''} },
});
`;
    const name = literal(thing.name);
    const found = conditionOf(thing);
    const where = found === undefined ? '' : `.eq(${literal(found.column.name)}, ${literal(found.value)})`;
    const calls: Readonly<Partial<Record<Deed, string>>> = {
      read: `from(${name}).select().limit(10)`,
      filter: `from(${name}).select()${where}`,
      insert: `from(${name}).insert(${literal(rowOf(thing, place.userId))}).select()`,
      ...(isEmpty(changeOf(thing))
        ? {}
        : { update: `from(${name}).update(${literal(changeOf(thing))})${where}.select()` }),
      delete: `from(${name}).delete()${where}.select()`,
      call: `rpc(${name}, ${literal(callArguments(thing))})`,
    };
    const call = calls[deed];
    return call === undefined
      ? undefined
      : `${head}\nconst { data, error } = await db.${call};\nif (error) throw error;\nconsole.log(data);`;
  },
  graphql(deed, thing, place) {
    const document = graphSnippet(deed, thing, place.userId);
    if (document === undefined) return undefined;
    const url = `${place.origin}/projects/v1/${place.projectId}/graphql`;
    return curl('POST', url, headersOf(place.caller), { query: document });
  },
};

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;
