import { createHash } from 'node:crypto';
import { emptyRelease, type ReleaseState } from '../../../engines/release/model.ts';
import { type PlanFacts, planRelease } from '../../../engines/release/plan-release.ts';
import { readSpec } from '../../../engines/release/spec/read-spec.ts';

/** Content by a word that stands for its bytes. */
export const content = (word: string, type?: string) => ({
  sha256: createHash('sha256').update(word).digest('hex'),
  size: word.length,
  ...(type === undefined ? {} : { content_type: type }),
});

/** Files by path, whose bytes are the text. */
export const files = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, content(text)]));

export const spec = (slices: object) => ({ project_id: 'prj_1', ...slices });

export const noFacts: PlanFacts = {
  secretKeys: new Set(),
  registry: new Map(),
  migrationSql: new Map(),
  held: new Map(),
  assets: new Map(),
  storage: { usedBytes: 0, assetKeys: 0 },
  embeddingCatalogue: new Set(['docs']),
  routesEnabled: true,
  functionsElsewhere: 0,
  schedulesElsewhere: 0,
};

/** A plan of slices, from a release or from nothing. */
export const plan = (slices: object, base?: ReleaseState, facts: Partial<PlanFacts> = {}) =>
  planRelease({
    spec: readSpec(spec(slices)),
    base: base === undefined ? null : { releaseId: 'rel_1', state: base },
    facts: { ...noFacts, ...facts },
  });

/** The release that slices make of another one. */
export const release = (slices: object, base: ReleaseState = emptyRelease): ReleaseState => plan(slices, base).state;

/** What a refusal says. */
export function refusal(run: () => unknown): { code: string; resource?: string; details?: unknown } {
  try {
    run();
  } catch (error) {
    const { code, resource, details, fix } = error as {
      code: string;
      resource?: string;
      details?: unknown;
      fix?: unknown;
    };
    if (code === undefined) throw error;
    return { code, ...(resource === undefined ? {} : { resource }), ...(fix === undefined ? {} : { fix }), details };
  }
  throw new Error('It was not refused.');
}

/** What the lowest tier allows. */
export const prototypeLimits = {
  timeoutSeconds: 10,
  memoryMb: 128,
  scheduleMinutes: 15,
  schedules: 1,
  functions: 5,
  tier: 'prototype',
};

/** A route to the function `api`. */
export const toFunction = (pattern: string, more: object = {}) => ({
  pattern,
  target: { type: 'function', name: 'api' },
  ...more,
});

/** A route to a file of the site. */
export const toFile = (pattern: string, file: string) => ({ pattern, target: { type: 'static', file } });

export const routes = (...some: object[]) => ({ routes: { replace: some } });

export const site = (texts: Readonly<Record<string, string>>) => ({ site: { replace: files(texts) } });
export const fn = (word: string, more: object = {}) => ({ source: content(word), ...more });
export const functions = (...names: string[]) => ({
  functions: { replace: Object.fromEntries(names.map((name) => [name, fn(name)])) },
});
export const migration = (sql: string, more: object = {}) => ({
  database: { migrations: [{ id: 'm', sql, ...more }] },
});
export const codes = (...of: Parameters<typeof plan>) => plan(...of).warnings.map(({ code }) => code);
export const twenty = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`p${i}.txt`, `${i}`]));
