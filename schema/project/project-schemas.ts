import { Lru } from '../../core/lru.ts';
import { refusals } from '../../engines/rows/errors.ts';
import { graphModelOf } from '../../engines/rows/graph/model.ts';
import type { RowRole } from '../../engines/rows/request/row-request.ts';
import type { SchemaCache } from '../../engines/rows/schema/types.ts';
import type { Services } from '../../resolvers/context.ts';
import type { RowCaller } from '../../resolvers/rows/open-door.ts';
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

/** Columns, relations and arguments that one schema may have: all of it is made at once, and far fewer than fit. */
const partsMax = 20_000;

/** @throws RowError */
function refuseTooLarge({ tables, relationships, routines }: SchemaCache, role: RowRole): void {
  let parts = 0;
  for (const { name, columns, rights } of tables.values())
    if ((rights.byRole[role] ?? '') !== '') parts += 1 + columns.size + (relationships.get(name)?.length ?? 0);
  for (const ofName of routines.values())
    for (const { callers, arguments: args } of ofName) if (callers.includes(role)) parts += 1 + args.length;
  if (parts > partsMax)
    throw refusals.schemaTooLarge(`GraphQL shows at most ${partsMax} columns, relations and arguments together.`);
}

type Target = Pick<RowCaller, 'target' | 'role'>;

/** GraphQL schemas of projects by role: made when they are first asked for, and again when the database has changed. */
export class ProjectSchemas {
  readonly #known = new Lru<ProjectSchema>(bounds);
  readonly #services: Services;
  readonly #introspection: boolean;

  constructor(services: Services, { introspection }: { readonly introspection: boolean }) {
    this.#services = services;
    this.#introspection = introspection;
  }

  /** The schema as it was a second ago at the most. */
  async of({ target, role }: Target): Promise<ProjectSchema> {
    const { schemaCaches } = this.#services;
    return this.#schemaOf(target.database.databaseName, role, await reached(() => schemaCaches.get(target.database)));
  }

  /** A newer one than one in which something was missed; the same one where there is none. */
  async renew({ target, role }: Target, { cache }: ProjectSchema): Promise<ProjectSchema> {
    const { schemaCaches } = this.#services;
    const newer = await reached(() => schemaCaches.renew(target.database, cache));
    return this.#schemaOf(target.database.databaseName, role, newer);
  }

  #schemaOf(databaseName: string, role: RowRole, cache: SchemaCache): ProjectSchema {
    const name = `${databaseName} ${role}`;
    const known = this.#known.get(name);
    if (known?.cache === cache) return known;
    refuseTooLarge(cache, role);
    const model = graphModelOf(cache, role);
    const options = { introspection: this.#introspection, documents };
    const made = { cache, engine: new Engine(buildSchema(model, subscribeTo), options) };
    const columns = model.tables.reduce((sum, table) => sum + table.columns.length + table.relations.length + 10, 50);
    this.#known.set(name, made, columns * bytesPerColumn + documents.bytes * 2);
    return made;
  }
}
