import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import pg from 'pg';
import { afterAll, expect, expectTypeOf, test } from 'vitest';
import { KeyRing } from '../../core/keys.ts';
import { type Column, getTableColumns, is, Table } from '../../db/drizzle.ts';
import { ProjectDatabases } from '../../db/project-databases.ts';
import type { chainPayments } from '../../db/schema/chain-payments.ts';
import type { feedChanges } from '../../db/schema/changes.ts';
import type { dailyCounts } from '../../db/schema/daily-counts.ts';
import {
  type DatabaseKind,
  type ParametersOf,
  type RegisteredStatement,
  type RowOf,
  registeredStatements,
} from '../../db/sql.ts';
import { types } from '../../db/types.ts';
import { createControlDatabase } from '../helpers/control-database.ts';
// All that declares statements is loaded by the program itself.
import '../../server/app.ts';

const control = await createControlDatabase();
const databases = new ProjectDatabases({
  servers: { main: control.serverUrl },
  keys: new KeyRing(randomBytes(32)),
  warn: () => undefined,
});
await databases.bootstrap();
const project = databases.assign();
await databases.provision(project);
const open = async (connectionString: string) => {
  const client = new pg.Client({ connectionString, types });
  await client.connect();
  return client;
};
const clients: Readonly<Record<DatabaseKind, pg.Client>> = {
  control: await open(control.url),
  // As the gateway: by the login of sign-in, for which no name means anything without its schema.
  project: await open(databases.authLogins.loginUrl(project)),
};
afterAll(async () => {
  for (const client of Object.values(clients)) await client.end();
  await databases.drop(project);
  await databases.close();
  await control.drop();
});

interface Connection {
  parse(message: { readonly name: string; readonly text: string; readonly types: readonly number[] }): void;
  describe(message: { readonly type: 'S'; readonly name: string }): void;
  sync(): void;
  once(event: 'parameterDescription', heard: (message: { readonly dataTypeIDs: readonly number[] }) => void): void;
}

/** What the driver sends in place of a query: it has a statement described, and runs nothing. */
class Description {
  parameters: readonly number[] = [];
  columns: readonly { readonly name: string; readonly dataTypeID: number }[] = [];
  readonly #text: string;
  readonly #done = Promise.withResolvers<void>();
  readonly done = this.#done.promise;

  constructor(text: string) {
    this.#text = text;
  }

  submit(connection: Connection): void {
    connection.once('parameterDescription', ({ dataTypeIDs }) => {
      this.parameters = dataTypeIDs;
    });
    connection.parse({ name: '', text: this.#text, types: [] });
    connection.describe({ type: 'S', name: '' });
    connection.sync();
  }

  handleRowDescription({ fields }: { fields: Description['columns'] }): void {
    this.columns = fields;
  }

  handleError(error: Error): void {
    this.#done.reject(error);
  }

  handleReadyForQuery(): void {
    this.#done.resolve();
  }
}

/** What the server makes of a statement. */
async function prepare({ on, text }: RegisteredStatement) {
  const client = clients[on];
  const description = new Description(text);
  client.query(description as never);
  await description.done;
  const { parameters, columns } = description;
  const named = await client.query<{ oid: number; type: string }>(
    'select oid::int, format_type(oid, null) as type from pg_type where oid = any($1)',
    [[...parameters, ...columns.map(({ dataTypeID }) => dataTypeID)]],
  );
  const types = new Map(named.rows.map(({ oid, type }) => [oid, type]));
  return {
    parameterTypes: parameters.map((oid) => types.get(oid)),
    rowTypes: Object.fromEntries(columns.map(({ name, dataTypeID }) => [name, types.get(dataTypeID)])),
  };
}

/** Types without what `format_type` says only of columns, such as how exact a moment is. */
const plain = (type: string) => type.replace(/ ?\(\d+(, ?\d+)?\)/, '');
const declaredOf = ({ parameterTypes, rowTypes }: RegisteredStatement) => ({
  parameterTypes: parameterTypes.map(plain),
  rowTypes: Object.fromEntries(Object.entries(rowTypes).map(([name, type]) => [name, plain(type)])),
});

test('PostgreSQL prepares every statement, with the parameters and the columns that it is declared with', async () => {
  const statements = registeredStatements();
  expect(new Set(statements.map(({ on }) => on))).toEqual(new Set(Object.keys(clients)));
  for (const one of statements)
    expect(await prepare(one).catch((error) => error), `${one.name}: ${one.text}`).toEqual(declaredOf(one));
});

const columns: Column[] = [];
for (const folder of ['schema', 'partitioned', 'project-schema']) {
  const path = new URL(`../../db/${folder}/`, import.meta.url);
  for (const file of readdirSync(path)) {
    const exported: Readonly<Record<string, unknown>> = await import(new URL(file, path).href);
    for (const one of Object.values(exported)) if (is(one, Table)) columns.push(...Object.values(getTableColumns(one)));
  }
}

/** A value of each type, as the text that PostgreSQL reads. */
const sampleOf = (type: string) =>
  ({
    boolean: 'true',
    bytea: '\\x00',
    date: '2026-03-06',
    json: '{}',
    jsonb: '{}',
    'text[]': '{a}',
    'integer[]': '{1}',
  })[type] ??
  (type.startsWith('timestamp') ? '2026-03-06T00:00:00Z' : undefined) ??
  (type === 'uuid' ? '00000000-0000-0000-0000-000000000000' : '1');

const holds = { json: 'Object', date: 'Date', array: 'Array', custom: 'Buffer' } as Readonly<Record<string, string>>;
const heldOf = ({ columnType, dataType }: Column) =>
  // As `Read` in db/sql.ts has it.
  ({ PgBigInt53: 'BigInt', PgDateString: 'Date' })[columnType as string] ??
  holds[dataType] ??
  dataType.replace(/^./, (first) => first.toUpperCase()).replace('Bigint', 'BigInt');

test('a row holds what its type says, whatever mode a column was declared with', async () => {
  const unlike = new Map(columns.map((column) => [`${column.columnType} ${column.getSQLType()}`, column]));
  expect(unlike.size).toBeGreaterThan(10);
  for (const [name, column] of unlike) {
    const type = column.getSQLType();
    const { rows } = await clients.control.query<{ read: object }>(`select '${sampleOf(type)}'::${type} as read`);
    expect(rows[0]!.read.constructor.name, name).toBe(heldOf(column));
  }
  expectTypeOf<RowOf<{ block: typeof chainPayments.block }>>().toEqualTypeOf<{ block: bigint }>();
  expectTypeOf<RowOf<{ day: typeof dailyCounts.day }>>().toEqualTypeOf<{ day: Date }>();
  expectTypeOf<ParametersOf<{ change: typeof feedChanges.change }>>().toEqualTypeOf<{ readonly change: string }>();
});
