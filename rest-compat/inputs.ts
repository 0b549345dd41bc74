import type { z } from 'zod';
import type { Method, RestRequest } from './rest-request.ts';

/**
 * Where a request holds a value: a part of it and the name there; `body` is all of the body, `method HEAD` is true of a
 * request that has this method, not the path's own.
 */
export type Source = `${'path' | 'query' | 'body' | 'header'} ${string}` | 'body' | 'method HEAD';

/** A value that no place alone says. */
export interface Made {
  /** Where clients are told to put it; undefined: they need not know. */
  readonly from?: Source;
  readonly make: (request: RestRequest) => unknown;
}

/**
 * Where the inputs are that are not where inputs usually are: a parameter of the path fills the input of its name, or of
 * its name without `_id` or `_key`; all others come under their own names from the query of a GET or DELETE, and from the
 * body of anything else. Of several sources the first that holds something counts; null: the path does not take the input.
 */
export type InputSources<Input> = { readonly [Name in keyof Input]?: Source | readonly Source[] | Made | null };

/** Where a request holds an input of the operation behind its path. */
export type Place =
  | { readonly in: 'path' | 'query' | 'body'; readonly name: string }
  /** The body is the input. */
  | { readonly in: 'body'; readonly name?: undefined }
  | { readonly in: 'header'; readonly name: string }
  /** The input is true when the request has this method, not the path’s own. */
  | { readonly in: 'method'; readonly name: 'HEAD' };

/** How a path reads the inputs of its operation. */
export interface InputReader {
  /** Where each input is first looked for, as far as clients know. */
  readonly places: Readonly<Record<string, Place>>;
  /** Every place that is looked into for each input, the first first. */
  readonly sources: Readonly<Record<string, readonly Place[]>>;
  /** What a request brings, unchecked: the operation's schema is the only judge. */
  readonly read: (request: RestRequest) => Record<string, unknown>;
}

/** Says how a path reads the inputs of its operation. @param given where those are that are not where inputs usually are */
export function inputReader(
  method: Method,
  path: string,
  { shape }: z.ZodObject,
  given: InputSources<Record<string, unknown>>,
): InputReader {
  const usual = usualSource(method, path);
  const sources: Record<string, readonly Place[]> = {};
  const readers: (readonly [string, (request: RestRequest) => unknown])[] = [];
  for (const name of new Set([...Object.keys(given), ...Object.keys(shape)])) {
    const source = given[name] === undefined ? usual(name) : given[name];
    if (source === null) continue;
    if (typeof source === 'object' && 'make' in source) {
      if (source.from !== undefined) sources[name] = [placeOf(source.from)];
      readers.push([name, source.make]);
      continue;
    }
    const places = (typeof source === 'string' ? [source] : source).map(placeOf);
    sources[name] = places;
    readers.push([name, firstOf(places)]);
  }
  return {
    sources,
    places: Object.fromEntries(Object.entries(sources).map(([name, [first]]) => [name, first!])),
    read: (request) => Object.fromEntries(readers.map(([name, read]) => [name, read(request)])),
  };
}

function usualSource(method: Method, path: string): (name: string) => Source {
  const parameters = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  const rest = method === 'GET' || method === 'DELETE' ? 'query' : 'body';
  return (input) => {
    const parameter = parameters.find((name) => name === input || name.replace(/_(?:id|key)$/, '') === input);
    return parameter === undefined ? `${rest} ${input}` : `path ${parameter}`;
  };
}

function placeOf(source: Source): Place {
  if (source === 'body') return { in: 'body' };
  const [part, name] = source.split(' ') as [Exclude<Place['in'], 'method'> | 'method', string];
  return { in: part, name } as Place;
}

const firstOf = (places: readonly Place[]): ((request: RestRequest) => unknown) => {
  const readers = places.map(readerOf);
  if (readers.length === 1) return readers[0]!;
  return (request) => {
    for (const read of readers) {
      const value = read(request);
      if (value !== undefined && value !== null) return value;
    }
    // What is named and nothing is told apart from what is absent, by the schema.
    return readers.at(-1)!(request);
  };
};

function readerOf(place: Place): (request: RestRequest) => unknown {
  const { in: part, name } = place;
  if (name === undefined) return ({ body }) => body;
  switch (part) {
    case 'path':
      return ({ params }) => params[name];
    case 'query':
      return ({ query }) => query[name];
    case 'header':
      return ({ headers }) => headers?.[name];
    case 'method':
      return ({ head }) => head;
    default:
      return ({ body }) => body[name];
  }
}
