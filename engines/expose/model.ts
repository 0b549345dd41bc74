import type { Facts } from './facts.ts';
import type { Overload } from './resolve-rpc.ts';
import type { Arity } from './snippets.ts';

/** What a manifest is held against: a database, and what a migration would make of it. */
export interface Model {
  readonly relations: Map<string, ModelRelation>;
  functions: Overload[];
  /** What else can be called; undefined: not asked. */
  readonly routines: Routines | undefined;
  /** What a migration has made that can be called, with its schema, but for the tenant's functions. */
  readonly made: Set<string>;
  /** What could not be followed; from then on nothing is known to be missing. */
  readonly doubts: string[];
}

/** What was found by some words and can be called, but for the tenant's functions. */
export interface Routines {
  /** By name, each with its schema: how many arguments it takes, once for each overload. */
  readonly found: ReadonlyMap<string, readonly Arity[]>;
  /** Whether those of all schemas are known; else PostgreSQL's own. */
  readonly everywhere: boolean;
}

export interface ModelRelation {
  readonly kind: 'table' | 'view' | 'other';
  /** Type by column; null when they could not be found out. */
  columns: Map<string, string> | null;
  /** Whether it is partitioned, a partition, or inherits or is inherited from. */
  kin: boolean;
}

export const emptyModel = (routines?: Routines): Model => ({
  relations: new Map(),
  functions: [],
  routines,
  made: new Set(),
  doubts: [],
});

const kinds: Readonly<Record<string, ModelRelation['kind']>> = { r: 'table', p: 'table', v: 'view' };

export const modelOf = (
  { relations, functions }: Pick<Facts, 'relations' | 'functions'>,
  routines?: Routines,
): Model => ({
  relations: new Map(
    relations.map(({ name, kind, columns, kin }) => [
      name,
      { kind: kinds[kind] ?? 'other', columns: new Map((columns ?? []).map((one) => [one.name, one.type])), kin },
    ]),
  ),
  functions: functions.map(({ name, types, names, takes }) => ({ name, types, names, takes })),
  routines,
  made: new Set(),
  doubts: [],
});
