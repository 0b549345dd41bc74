import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import type { Answer } from './service.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document is walked by its keys.
type Json = any;

/** A description of an API, with what it says held against what is so. */
export interface Described {
  readonly document: Json;
  /** Every operation that it has, as `GET /api/audit`. */
  readonly operations: readonly string[];
  /** Statuses that it names, as `GET /api/audit 200`. */
  readonly statuses: readonly string[];
  /** What is wrong with a value by a schema of the document, named by a JSON pointer; undefined when nothing is. */
  readonly faults: (pointer: string, value: unknown) => string | undefined;
  /** Holds an answer against what is said of it, and notes its status as seen. */
  readonly expectDescribed: (method: string, path: string, answer: Answer<unknown>) => void;
  /** Statuses that no answer has shown so far. */
  readonly unseen: () => string[];
}

export function describedBy(document: Json): Described {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  (addFormats as unknown as (to: Ajv2020) => void)(ajv);
  // The document lets objects have more members; an answer that has one is one that the document does not tell of.
  ajv.addSchema(closed(document), 'api');
  const validators = new Map<string, ValidateFunction>();
  const faults: Described['faults'] = (pointer, value) => {
    const validate = validators.get(pointer) ?? ajv.compile({ $ref: `api#${pointer}` });
    validators.set(pointer, validate);
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  };
  const entries: [string, Json][] = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]): [string, Json] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
  const statuses = entries.flatMap(([name, { responses }]) =>
    Object.keys(responses)
      .filter((status) => status !== 'default')
      .map((status) => `${name} ${status}`),
  );
  const seen = new Set<string>();
  return {
    document,
    operations: entries.map(([name]) => name),
    statuses,
    faults,
    expectDescribed(method, path, { status, headers, body }) {
      const name = `${method} ${path} ${status}`;
      expect(statuses).toContain(name);
      const response = document.paths[path][method.toLowerCase()].responses[status];
      const type = headers.get('content-type')!.split(';')[0]!;
      expect([name, Object.keys(response.content)]).toEqual([name, expect.arrayContaining([type])]);
      const pointer = pointerTo('paths', path, method.toLowerCase(), 'responses', String(status), 'content', type);
      if (type.endsWith('json')) expect([name, faults(`${pointer}/schema`, body)]).toEqual([name, undefined]);
      for (const header of Object.keys(response.headers ?? {})) {
        // Of the two versions of a settlement only the one that was paid with is told.
        if (!/PAYMENT-RESPONSE$/i.test(header)) expect([name, header, headers.get(header)]).not.toContain(null);
      }
      seen.add(name);
    },
    unseen: () => statuses.filter((one) => !seen.has(one)),
  };
}

/** A JSON pointer, as a fragment of a URI. */
export const pointerTo = (...steps: readonly string[]): string =>
  steps.map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

/** The same with every object closed that says what it has. */
function closed(value: Json): Json {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  return copy.type === 'object' && 'properties' in copy ? { additionalProperties: false, ...copy } : copy;
}
