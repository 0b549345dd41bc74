import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { type RegisteredStatement, registeredStatements } from '../../db/sql.ts';
import { createControlDatabase } from '../helpers/control-database.ts';
// All that declares statements is loaded by the program itself.
import '../../server/app.ts';

const control = await createControlDatabase();
const client = new pg.Client({ connectionString: control.url });
await client.connect();
afterAll(async () => {
  await client.end();
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
async function prepare(text: string) {
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
  expect(statements.length).toBeGreaterThan(0);
  for (const one of statements)
    expect(await prepare(one.text).catch((error) => error), `${one.name}: ${one.text}`).toEqual(declaredOf(one));
});
