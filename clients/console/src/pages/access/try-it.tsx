import { Play } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { Button } from '../../design/button.tsx';
import { ComboBox } from '../../design/combobox.tsx';
import { Editor } from '../../design/editor.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Select } from '../../design/field.tsx';
import { Section } from '../../design/section.tsx';
import { Table } from '../../design/table.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { useKeptText } from '../../use-kept-text.ts';
import { FindUsersDocument, ManifestDocument, TryAsDocument, type TryAsMutation } from './access.graphql.ts';

type Result = NonNullable<TryAsMutation['runSql']>;

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

const actions = [
  { id: 'select', name: 'Read rows' },
  { id: 'insert', name: 'Add an empty row' },
  { id: 'delete', name: 'Delete every row' },
];

/** A statement that does an action with a table, to try and to change. */
const statementOf = (table: string, action: string): string =>
  ({
    select: `select * from ${quoted(table)} limit 50`,
    insert: `insert into ${quoted(table)} default values`,
    delete: `delete from ${quoted(table)}`,
  })[action] ?? '';

/** Rows that are shown of an answer. */
const shownMax = 200;

/** Runs SQL as another caller, and keeps nothing of it. */
export function TryIt({ projectId }: { readonly projectId: string }) {
  const tables = useAsk(ManifestDocument, { project: projectId }).data?.project?.tables ?? [];
  const [who, setWho] = useSearch('as', 'anon');
  const [user, setUser] = useSearch('as-user', '');
  const [typed, setTyped] = useState('');
  const asked = useDeferredValue(typed.trim());
  const found = useAsk(FindUsersDocument, who === 'user' ? { project: projectId, query: asked } : undefined);
  const users = found.data?.project?.users?.edges.map(({ node }) => node) ?? [];
  const known = users.find(({ email }) => email === typed.trim().toLowerCase())?.userId ?? (typed === '' ? user : '');
  const [table, setTable] = useState<string | null>(null);
  const [kept, keep] = useKeptText(`try.${projectId}`);
  const sql = kept ?? '';
  const run = useChange(TryAsDocument);
  const [result, setResult] = useState<Result>();
  const isReady = sql.trim() !== '' && (who === 'anon' || known !== '');
  const go = async () => {
    if (!isReady || run.busy) return;
    setResult(undefined);
    if (who === 'user') setUser(known, { replace: true });
    const as = who === 'anon' ? { role: 'ANON' as const } : { role: 'AUTHENTICATED' as const, user: known };
    const answer = await run.run({ project: projectId, sql, as, rollback: true });
    setResult(answer?.runSql ?? undefined);
  };
  return (
    <div className="access">
      <p className="quiet">
        The SQL runs with the role and the claims of the caller, so policies decide. Nothing that it changes is kept.
      </p>
      <div className="try-row">
        <Select
          label="As"
          options={[
            { id: 'anon', name: 'Anonymous' },
            { id: 'user', name: 'A user' },
          ]}
          value={who}
          onChange={setWho}
        />
        {who === 'user' && (
          <ComboBox
            label="User"
            takesAny
            options={users.map(({ email }) => ({ id: email, name: email }))}
            value={typed}
            onChange={(text) => setTyped(text ?? '')}
            placeholder="Address of the user"
          />
        )}
        <Select
          label="Table"
          options={tables.map(({ name }) => ({ id: name, name }))}
          value={table}
          onChange={(name) => {
            setTable(name);
            keep(statementOf(name, 'select'));
          }}
        />
        <Select
          label="Action"
          options={actions}
          value={null}
          isDisabled={table === null}
          placeholder="Fill in"
          onChange={(action) => table !== null && keep(statementOf(table, action))}
        />
      </div>
      <Editor label="SQL to try" language="sql" lines={4} value={sql} onChange={keep} onRun={() => void go()} />
      <div>
        <Button variant="primary" icon={Play} isPending={run.busy} isDisabled={!isReady} onPress={() => void go()}>
          Try
        </Button>
      </div>
      <ErrorNote error={run.error} />
      {result !== undefined && <Outcome result={result} />}
    </div>
  );
}

function Outcome({ result: { rows, rowCount, fields, values } }: { readonly result: Result }) {
  const count = rowCount ?? rows.length;
  // Two columns may have one name: `values` then has the cells of each row in their order.
  const cells =
    (values as readonly (readonly unknown[])[] | null) ?? rows.map((row) => fields.map(({ name }) => row[name]));
  return (
    <Section title={count === 1 ? 'One row' : `${count} rows`} about="Nothing was kept.">
      {fields.length > 0 && (
        <Table
          label="Rows"
          rows={cells.slice(0, shownMax).map((row, at) => ({ row, at }))}
          keyOf={({ at }) => String(at)}
          empty={<p className="quiet">The caller sees no row.</p>}
          columns={fields.map(({ name }, column) => ({
            id: `${column} ${name}`,
            name,
            cell: ({ row }: { readonly row: readonly unknown[] }) => {
              const value = row[column];
              return value === null ? (
                <span className="quiet">null</span>
              ) : typeof value === 'string' ? (
                value
              ) : (
                JSON.stringify(value)
              );
            },
          }))}
        />
      )}
      {rows.length > shownMax && <p className="quiet small">The first {shownMax} rows are shown.</p>}
    </Section>
  );
}
