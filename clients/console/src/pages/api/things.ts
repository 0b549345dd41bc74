import type { ApiProjectQuery } from './api.graphql.ts';

export type SchemaTable = NonNullable<NonNullable<ApiProjectQuery['project']>['tables']>[number];
export type Column = SchemaTable['columns'][number];

/** A table, a view or a function that requests can name. */
export interface Thing {
  readonly id: string;
  readonly kind: 'table' | 'view' | 'function';
  readonly name: string;
  /** Of a view those that are known by its base. */
  readonly columns: readonly Column[];
  /** Columns of the primary key. */
  readonly key: readonly string[];
  /** Columns that refer to other tables. */
  readonly references: readonly string[];
  /** Arguments of a function, by name and type. */
  readonly args: readonly { readonly name: string; readonly type: string }[];
  /** Whether requests without the service key find it. */
  readonly isExposed: boolean;
  readonly isLive: boolean;
  readonly policy: string | undefined;
  /** The column that says whose a row is. */
  readonly owner: string | undefined;
  /** Roles that may call a function. */
  readonly roles: readonly string[];
}

type Entry = Readonly<Record<string, unknown>>;
const listOf = (manifest: Entry | undefined, name: string): readonly Entry[] =>
  Array.isArray(manifest?.[name]) ? (manifest[name] as readonly Entry[]) : [];
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Everything of a project that has an address: its tables, and the views and functions of its manifest. */
export function thingsOf(tables: readonly SchemaTable[], manifest: Entry | undefined): readonly Thing[] {
  const entries = new Map(listOf(manifest, 'tables').map((one) => [one.name, one]));
  const shown = tables.map((table): Thing => {
    const entry = entries.get(table.name);
    return {
      ...none,
      id: `table ${table.name}`,
      kind: 'table',
      name: table.name,
      columns: table.columns,
      key: namesIn(table.constraints.find(({ type }) => type === 'PRIMARY KEY')?.definition),
      references: table.constraints
        .filter(({ type }) => type === 'FOREIGN KEY')
        .flatMap(({ definition }) => namesIn(definition)),
      isExposed: entry?.expose === true,
      isLive: entry?.live === true,
      policy: textOf(entry?.policy),
      owner: textOf(entry?.owner_column),
    };
  });
  const views = listOf(manifest, 'views').map((view): Thing => {
    const base = shown.find(({ name }) => name === view.base);
    const select = Array.isArray(view.select) ? (view.select as readonly string[]) : ['*'];
    const columns = (base?.columns ?? []).filter(({ name }) => select.includes('*') || select.includes(name));
    const key = base?.key.every((name) => columns.some((column) => column.name === name)) === true ? base.key : [];
    return {
      ...none,
      id: `view ${String(view.name)}`,
      kind: 'view',
      name: String(view.name),
      columns,
      key,
      isExposed: view.expose !== false,
      policy: base?.policy,
    };
  });
  const functions = listOf(manifest, 'rpcs').map(
    (rpc): Thing => ({
      ...none,
      id: `function ${String(rpc.name)}${String(rpc.signature)}`,
      kind: 'function',
      name: String(rpc.name),
      args: argumentsOf(String(rpc.signature ?? '()')),
      isExposed: true,
      roles: Array.isArray(rpc.grant_to) ? (rpc.grant_to as readonly string[]) : [],
    }),
  );
  return [...shown, ...views, ...functions];
}

const none = {
  columns: [],
  key: [],
  references: [],
  args: [],
  isExposed: false,
  isLive: false,
  policy: undefined,
  owner: undefined,
  roles: [],
} as const;

/** The columns in the first brackets of a constraint. */
function namesIn(definition: string | undefined): readonly string[] {
  const inside = /\(([^)]*)\)/.exec(definition ?? '')?.[1] ?? '';
  return [...inside.matchAll(/"((?:[^"]|"")*)"|([^\s,"]+)/g)].map(([, quoted, plain]) =>
    quoted === undefined ? plain! : quoted.replaceAll('""', '"'),
  );
}

/** Names and types of a signature such as `(a int, b text default 'x')`: those with a default are left out. */
function argumentsOf(signature: string): Thing['args'] {
  return signature
    .replace(/^\(|\)$/g, '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '' && !/\bdefault\b|=/i.test(one))
    .flatMap((one) => {
      const found = /^(?:in\s+)?("[^"]+"|\w+)\s+(.+)$/i.exec(one);
      return found === null ? [] : [{ name: found[1]!.replaceAll('"', ''), type: found[2]! }];
    });
}
