import { afterAll, expect, test } from 'vitest';
import { Slices } from '../../core/slices.ts';
import type { ProjectDatabase } from '../../db/project-databases.ts';
import { SchemaCaches } from '../../engines/rows/schema-caches.ts';
import {
  type ProjectSchema,
  ProjectSchemas,
  type ProjectSchemasOptions,
} from '../../schema/project/project-schemas.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { rowsProject } from '../rows/rows-project.ts';

/*
 * A large project's schema takes hundreds of milliseconds of the processor. It is built in slices, once for all who ask,
 * and a project whose schema changes again and again is built again only after a rest. All the same, a caller who knows
 * of a change sees it.
 */

const service = await sharedService();
const project = await rowsProject(
  service,
  `create table notes (id int primary key);
   do $$ begin for n in 1..20 loop
     execute format('create table part_%s (id int primary key, note_id int references notes)', n);
   end loop; end $$`,
);
const [database] = await service.control.sql<ProjectDatabase>(
  `select server, database_name as "databaseName", role_name as "roleName" from projects where id = $1`,
  [project.projectId],
);
afterAll(async () => {
  await project.end();
  await service.stop();
});

/** The real thing, on the project's own database; what it waits for can be held. */
function watched(options: Partial<ProjectSchemasOptions> = {}) {
  const schemaCaches = new SchemaCaches(service.app.services.projectPools);
  const schemas = new ProjectSchemas({ schemaCaches }, { introspection: true, ...options });
  type Target = Parameters<typeof schemas.of>[0];
  const target = { target: { database: database! }, role: 'service_role' } as Target;
  return {
    ask: () => schemas.of(target),
    askAgain: (missing: ProjectSchema) => schemas.renew(target, missing),
    /** Changes the schema and tells the gateway, so that the next caller knows of it. */
    change: async (text: string) => {
      await project.sql(text);
      schemaCaches.changed(database!);
    },
  };
}

/** Names of the columns that a schema shows of the table `notes`. */
function columnsOf({ engine }: ProjectSchema): string[] {
  const type = engine.schema.getType('Notes');
  return type !== undefined && 'getFields' in type ? Object.keys(type.getFields()) : [];
}

/** Counts the builds; each waits until it is let go. */
function heldSlices() {
  const inner = new Slices();
  const held: (() => void)[] = [];
  let holds = false;
  let begun = 0;
  const run: Slices['run'] = async (work) => {
    begun += 1;
    if (holds) await new Promise<void>((resolve) => held.push(resolve));
    return inner.run(work);
  };
  return {
    slices: { run },
    /** Works that began, two to a build: the model and the schema. */
    begun: () => begun,
    hold: () => {
      holds = true;
    },
    letGo: () => {
      holds = false;
      for (const go of held.splice(0)) go();
    },
    waiting: () => held.length,
  };
}

test('callers who ask at the same time share one build', async () => {
  const { slices, begun } = heldSlices();
  const { ask } = watched({ slices });
  const [first, ...others] = await Promise.all(Array.from({ length: 8 }, ask));
  for (const other of others) expect(other).toBe(first);
  expect(await ask()).toBe(first);
  expect(begun()).toBe(2);
});

test('other work of the event loop comes between the parts of a build', async () => {
  let at = 0;
  // By this clock a slice is over after one step.
  const { ask } = watched({ slices: new Slices({ sliceMs: 1, now: () => at++ }) });
  let turns = 0;
  let isOver = false;
  const other = () => {
    turns += 1;
    if (!isOver) setImmediate(other);
  };
  setImmediate(other);
  const { engine } = await ask();
  isOver = true;
  const types = Object.keys(engine.schema.getTypeMap()).length;
  // Three steps of the model and one of the schema for each of 21 tables, and one for each type.
  expect(at).toBeGreaterThan(types);
  expect(turns).toBeGreaterThan(4 * 21 + 10 * 21);
});

test('a schema made in slices is the one that a document is held against', async () => {
  const { ask } = watched();
  const { engine } = await ask();
  const query = '{ notes { nodes { id } } part3 { nodes { note { id } } } }';
  expect('document' in engine.prepare({ query }, 'trace')).toBe(true);
  expect('document' in engine.prepare({ query: '{ part3 { nodes { nothing } } }' }, 'trace')).toBe(false);
  expect(engine.schema.getType('Part3Filter')?.toConfig()).toHaveProperty('fields.noteId');
});

test('a caller who knows of a change does not get the build that began before it', async () => {
  const held = heldSlices();
  const { ask, askAgain, change } = watched({ slices: held.slices });
  await ask();
  held.hold();
  await change('alter table notes add one int');
  const first = ask();
  await expect.poll(held.waiting).toBe(1);
  await change('alter table notes add two int');
  const second = ask();
  const third = first.then(askAgain);
  held.letGo();
  expect(columnsOf(await first)).toContain('one');
  expect(columnsOf(await second)).toContain('two');
  expect(await third).toBe(await second);
  // What was outdated before it was done is not kept.
  expect(await ask()).toBe(await second);
});

test('changes in quick succession are one build after a rest, which knows all of them', async () => {
  const { slices, begun } = heldSlices();
  const rests: number[] = [];
  const rested = Promise.withResolvers<void>();
  const pause = (ms: number) => {
    rests.push(ms);
    return rested.promise;
  };
  // By a clock that does not move no rest is ever over.
  const { ask, change } = watched({ slices, now: () => 0, pause });
  await ask();
  expect(rests).toEqual([]);
  await change('alter table notes add three int');
  const first = ask();
  await expect.poll(() => rests.length).toBe(1);
  await change('alter table notes add four int');
  const second = ask();
  await change('alter table notes add five int');
  const third = ask();
  rested.resolve();
  const made = await Promise.all([first, second, third]);
  expect(new Set(made).size).toBe(1);
  expect(columnsOf(made[0])).toEqual(expect.arrayContaining(['three', 'four', 'five']));
  expect(begun()).toBe(4);
  expect(rests[0]).toBeGreaterThan(0);
});

test('a build that fails is tried again by the next caller', async () => {
  const inner = new Slices();
  let fails = true;
  const run: Slices['run'] = async (work) => {
    if (fails) throw new Error('broken');
    return inner.run(work);
  };
  const { ask } = watched({ slices: { run } });
  const both = await Promise.allSettled([ask(), ask()]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  fails = false;
  expect(columnsOf(await ask())).toContain('id');
});
