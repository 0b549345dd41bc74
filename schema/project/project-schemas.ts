import { setTimeout } from 'node:timers/promises';
import { Lru } from '../../core/lru.ts';
import { Slices } from '../../core/slices.ts';
import type { ProjectDatabase } from '../../db/project-databases.ts';
import { refusals } from '../../engines/rows/errors.ts';
import { graphModelOf } from '../../engines/rows/graph/model.ts';
import type { RowRole } from '../../engines/rows/request/row-request.ts';
import type { SchemaCache } from '../../engines/rows/schema/types.ts';
import type { Services } from '../../kernel/run/context.ts';
import type { RowCaller } from '../../resolvers/rows/authenticate-rows.ts';
import { reached } from '../../resolvers/rows/run-rows.ts';
import { Engine } from '../engine/engine.ts';
import { buildSchema } from './build-schema.ts';
import { subscribeTo } from './subscribe-to-table.ts';

/** A project's schema as one role sees it, with the documents that are known to fit it. */
export interface ProjectSchema {
  /** What it was made of. */
  readonly cache: SchemaCache;
  readonly engine: Engine;
}

/** Schemas that are kept, and what they may weigh: columns, at so many bytes each. */
const bounds = { entries: 400, bytes: 256 * 1024 * 1024 };
const bytesPerColumn = 4_096;
/** What documents and texts of one schema may take. */
const documents = { entries: 200, bytes: 512 * 1024 };

/** Columns, relations and arguments that one schema may have: far fewer than fit. */
const partsMax = 20_000;
/**
 * Rest after a build of the largest schema, in milliseconds, before the next of the same one begins; a smaller schema
 * rests for its share of it. Callers who come meanwhile wait for one build that knows all that had changed by then.
 */
const longestRestMs = 2_000;

/** How many parts a role would be shown. @throws RowError when there are too many */
function partsOf({ tables, relationships, routines }: SchemaCache, role: RowRole): number {
  let parts = 0;
  for (const { name, columns, rights } of tables.values())
    if ((rights.byRole[role] ?? '') !== '') parts += 1 + columns.size + (relationships.get(name)?.length ?? 0);
  for (const ofName of routines.values())
    for (const { callers, arguments: args } of ofName) if (callers.includes(role)) parts += 1 + args.length;
  if (parts > partsMax)
    throw refusals.schemaTooLarge(`GraphQL shows at most ${partsMax} columns, relations and arguments together.`);
  return parts;
}

type Target = Pick<RowCaller, 'target' | 'role'>;

/** A schema on its way. */
interface Build {
  readonly made: Promise<ProjectSchema>;
  /** What it is made of: the newest when it begins, and undefined until then. */
  cache: SchemaCache | undefined;
}

export interface ProjectSchemasOptions {
  readonly introspection: boolean;
  /** Runs the builds. @default slices of a few milliseconds */
  readonly slices?: Pick<Slices, 'run'>;
  /** The clock that rests are measured by, in milliseconds. @default performance.now */
  readonly now?: () => number;
  /** Waits for so many milliseconds. @default setTimeout */
  readonly pause?: (ms: number) => Promise<void>;
}

/** GraphQL schemas of projects by role: made when they are first asked for, and again when the database has changed. */
export class ProjectSchemas {
  readonly #known = new Lru<ProjectSchema>(bounds);
  readonly #builds = new Map<string, Build>();
  /** When the next build of a schema may begin. */
  readonly #rests = new Lru<number>({ entries: 10_000, bytes: 10_000 });
  readonly #services: Pick<Services, 'schemaCaches'>;
  readonly #options: Required<ProjectSchemasOptions>;

  constructor(services: Pick<Services, 'schemaCaches'>, options: ProjectSchemasOptions) {
    this.#services = services;
    this.#options = { slices: new Slices(), now: () => performance.now(), pause: setTimeout, ...options };
  }

  /** The schema as it was a second ago at the most; changes made by this node are in it at once. */
  async of({ target, role }: Target): Promise<ProjectSchema> {
    return this.#schemaOf(target.database, role, await this.#newest(target.database));
  }

  /** A newer one than one in which something was missed; the same one where there is none. */
  async renew({ target, role }: Target, { cache }: ProjectSchema): Promise<ProjectSchema> {
    const { schemaCaches } = this.#services;
    const newer = await reached(() => schemaCaches.renew(target.database, cache));
    return this.#schemaOf(target.database, role, newer);
  }

  #newest(database: ProjectDatabase): Promise<SchemaCache> {
    return reached(() => this.#services.schemaCaches.get(database));
  }

  async #schemaOf(database: ProjectDatabase, role: RowRole, cache: SchemaCache): Promise<ProjectSchema> {
    const name = `${database.databaseName} ${role}`;
    const known = this.#known.get(name);
    if (known?.cache === cache) return known;
    const building = this.#builds.get(name);
    // It began with another cache, so a change that this caller counts on may be missing. The one after it has all.
    if (building?.cache !== undefined && building.cache !== cache) await building.made.catch(() => undefined);
    return (this.#builds.get(name) ?? this.#begin(name, database, role)).made;
  }

  #begin(name: string, database: ProjectDatabase, role: RowRole): Build {
    const begun = Promise.withResolvers<ProjectSchema>();
    const build: Build = { made: begun.promise, cache: undefined };
    this.#builds.set(name, build);
    this.#make(build, name, database, role)
      .finally(() => this.#builds.delete(name))
      .then(begun.resolve, begun.reject);
    return build;
  }

  async #make(build: Build, name: string, database: ProjectDatabase, role: RowRole): Promise<ProjectSchema> {
    const { introspection, slices, now, pause } = this.#options;
    const restMs = (this.#rests.get(name) ?? -Infinity) - now();
    if (restMs > 0) await pause(restMs);
    const cache = await this.#newest(database);
    const known = this.#known.get(name);
    if (known?.cache === cache) return known;
    build.cache = cache;
    const parts = partsOf(cache, role);
    const model = await slices.run(graphModelOf(cache, role));
    const schema = await slices.run(buildSchema(model, subscribeTo));
    const made = { cache, engine: new Engine(schema, { introspection, documents }) };
    this.#rests.set(name, now() + (parts / partsMax) * longestRestMs, 1);
    const columns = model.tables.reduce((sum, table) => sum + table.columns.length + table.relations.length + 10, 50);
    if (this.#services.schemaCaches.isNewest(database, cache))
      this.#known.set(name, made, columns * bytesPerColumn + documents.bytes * 2);
    return made;
  }
}
