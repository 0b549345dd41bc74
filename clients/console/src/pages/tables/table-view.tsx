import { Columns3, Ellipsis, Plus, Radio, RefreshCw, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Badge } from '../../design/badge.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Select } from '../../design/field.tsx';
import { Grid } from '../../design/grid.tsx';
import { Menu } from '../../design/menu.tsx';
import { Skeleton, State } from '../../design/status.tsx';
import { announce } from '../../design/toast.tsx';
import { Toolbar } from '../../design/toolbar.tsx';
import { useCommands } from '../../frame/commands.ts';
import { useFeed } from '../../graph/use-feed.ts';
import { useSettled } from '../../graph/use-settled.ts';
import { go } from '../../router.tsx';
import { useSearch } from '../../search.ts';
import { mayOn } from '../../session/may.ts';
import { primaryKey, type Table } from './columns.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { ExposeDialog } from './expose-dialog.tsx';
import { FilterBar } from './filter-bar.tsx';
import { filtersFrom, filtersText, namesFrom, namesText } from './filters.ts';
import { gridColumns } from './grid-columns.ts';
import { ImportDialog } from './import-dialog.tsx';
import type { Keys, ManifestTable, Project } from './manifest.ts';
import { referencesTo } from './references.ts';
import { keyFrom, orderFrom } from './row-address.ts';
import { RowForm } from './row-form.tsx';
import { deleteRows, type RowsApi, type TextRow, wholeRow } from './rows-api.ts';
import { columnMenu, tableMenu } from './table-menu.ts';
import { FollowTableDocument } from './tables.graphql.ts';
import { useCellChanges } from './use-cell-changes.ts';
import { useRows } from './use-rows.ts';

interface TableViewProps {
  readonly project: Project;
  readonly table: Table;
  /** What the manifest says of the table; undefined when nothing. */
  readonly entry: ManifestTable | undefined;
  readonly keys: Keys;
  readonly addressOf: (table: string) => string;
}

/** The rows of a table, with everything that can be done to them. */
export function TableView({ project, table, entry, keys, addressOf }: TableViewProps) {
  const { name, columns } = table;
  const [seenAs, setSeenAs] = useSearch('as', 'service');
  const [where, setWhere] = useSearch('where', '');
  const [sorted, setSorted] = useSearch('order', '');
  const [hiddenText, setHidden] = useSearch('hidden', '');
  const [openRow, setOpenRow] = useSearch('row', '');
  const [dialog, setDialog] = useSearch('dialog', '');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [deleting, setDeleting] = useState<readonly TextRow[]>();

  const isVisitor = seenAs === 'anon';
  const api = useMemo<RowsApi>(
    () =>
      isVisitor ? { path: '/rest/v1', apikey: keys.anonKey } : { path: '/admin/v1/rest', apikey: keys.serviceKey },
    [isVisitor, keys],
  );
  const key = primaryKey(table);
  const writes = !isVisitor;
  const edits = writes && key.length > 0;
  const filters = filtersFrom(where, columns);
  const hidden = namesFrom(hiddenText);
  const order = orderFrom(sorted);
  const keyOf = (row: TextRow): TextRow => Object.fromEntries(key.map((part) => [part, row[part] ?? null]));
  const textKeyOf = (row: TextRow, at: number) =>
    key.length === 0 ? String(at) : JSON.stringify(Object.values(keyOf(row)));
  const wanted = { columns, key, order, filters };
  const rows = useRows(api, name, wanted, textKeyOf);
  const live = entry?.live === true;
  const ended = useFeed(
    FollowTableDocument,
    live ? { project: project.projectId, tables: [name] } : undefined,
    useSettled(rows.again),
  );
  const changes = useCellChanges({
    project: project.projectId,
    api,
    table: name,
    keyOf,
    saved: (row, values) => {
      rows.patch(row, values);
      rows.again();
    },
  });
  const columnOf = (id: string) => columns.find((column) => column.name === id)!;
  const follow = (to: string, values: readonly (readonly [string, string])[]) =>
    go(
      `${addressOf(to)}&${new URLSearchParams({ where: filtersText(values.map(([column, value]) => ({ column, operator: 'eq', value }))) })}`,
    );
  // biome-ignore lint/correctness/useExhaustiveDependencies: `follow` reads the address when it is called.
  const shownColumns = useMemo(
    () => gridColumns(table, { edits, hidden: namesFrom(hiddenText), follow }),
    [table, edits, hiddenText],
  );
  const referrersOf = (row: TextRow) =>
    referencesTo(name, project.tables ?? []).map(({ from, columns: held, targets }) => {
      const conditions = held.map((column, at) => ({ column, operator: 'eq', value: row[targets[at]!] ?? '' }));
      return [
        `${from} (${held.join(', ')})`,
        `${addressOf(from)}&${new URLSearchParams({ where: filtersText(conditions) })}`,
      ] as const;
    });
  const chosen = (rows.rows ?? []).filter((row, at) => selected.has(textKeyOf(row, at)));
  const mayShape = mayOn(project, 'project:sql');
  const isDark = entry?.expose !== true;
  const notExposed = isVisitor && rows.error?.code === 'TABLE_NOT_EXPOSED';

  const more = tableMenu({
    open: setDialog,
    mayShape,
    imports: writes && mayShape,
    ...(hidden.length > 0 ? { showAll: () => setHidden('') } : {}),
  });

  useCommands([
    ...(writes ? [{ id: 'row', name: 'New row', icon: Plus, about: name, act: () => setOpenRow('new') }] : []),
    ...more.flatMap(({ entries }) => entries.map((entry) => ({ ...entry, about: name }))),
  ]);

  return (
    <section className="table-view" aria-label={`Table ${name}`}>
      <div className="table-title">
        <h2 title={name}>{name}</h2>
        {isDark ? <Badge>Not exposed</Badge> : <Badge mood="good">Exposed</Badge>}
        {live && (
          <Badge mood="accent" icon={Radio}>
            Live
          </Badge>
        )}
        {!table.rlsEnabled && <Badge mood="warn">No row security</Badge>}
      </div>
      <Toolbar
        label={`Rows of ${name}`}
        end={
          <>
            {selected.size > 0 && writes && (
              <Button small variant="danger" icon={Trash2} onPress={() => setDeleting(chosen.map(keyOf))}>
                Delete {selected.size}
              </Button>
            )}
            <div className="seen-as">
              <Select
                label="View as"
                options={[
                  { id: 'service', name: 'Service key' },
                  { id: 'anon', name: 'Anon key' },
                ]}
                value={seenAs}
                onChange={setSeenAs}
              />
            </div>
            <IconButton small icon={RefreshCw} label="Refresh" onPress={rows.restart} />
            <Menu label="More" groups={more}>
              <IconButton small icon={Ellipsis} label="More" />
            </Menu>
            {writes && (
              <Button small variant="primary" icon={Plus} onPress={() => setOpenRow('new')}>
                New row
              </Button>
            )}
          </>
        }
      >
        <FilterBar columns={columns} filters={filters} set={(next) => setWhere(filtersText(next))} />
      </Toolbar>
      {notExposed ? (
        <State
          icon={Radio}
          title="This table is not exposed"
          action={
            mayOn(project, 'project:expose:write') && (
              <Button variant="primary" onPress={() => setDialog('expose')}>
                Expose this table
              </Button>
            )
          }
        >
          Only the service key reads it. The manifest says who else may.
        </State>
      ) : (
        <>
          <ErrorNote error={rows.error ?? ended} retry={rows.again} />
          {rows.rows === undefined && rows.error === undefined && <Skeleton lines={8} />}
          {rows.rows !== undefined && (
            <Grid
              label={`Rows of ${name}`}
              columns={shownColumns}
              rows={rows.rows}
              keyOf={textKeyOf}
              {...(rows.total === undefined ? {} : { rowCount: rows.total.count })}
              {...(order === undefined ? {} : { order })}
              setOrder={({ column, descending }) => setSorted(`${column}.${descending ? 'desc' : 'asc'}`)}
              load={rows.load}
              isNew={(row) => rows.fresh.has(textKeyOf(row, 0))}
              hide={({ id }) => setHidden(namesText([...hidden, id]))}
              {...(key.length > 0 ? { open: (row: TextRow) => setOpenRow(JSON.stringify(keyOf(row))) } : {})}
              {...(edits
                ? {
                    selection: { keys: selected, set: setSelected },
                    editing: {
                      changeOf: (row: TextRow, { id }) => changes.changeOf(row, id),
                      takeBack: (row: TextRow, { id }) => changes.takeBack(row, id),
                      commit: (row: TextRow, { id }, value) => void changes.commit(row, columnOf(id), value),
                      whole: async (row: TextRow, { id }) =>
                        (await wholeRow(api, name, keyOf(row), [columnOf(id)]))?.[id] ?? null,
                    },
                  }
                : {})}
              columnMenu={({ id }) => (mayShape ? columnMenu(id, setDialog) : [])}
            />
          )}
          {rows.rows?.length === 0 && (
            <State
              icon={Columns3}
              title={filters.length > 0 ? 'No rows match' : 'No rows'}
              action={filters.length > 0 && <Button onPress={() => setWhere('')}>Remove the filters</Button>}
            >
              {isVisitor ? 'None that this key may see.' : undefined}
            </State>
          )}
        </>
      )}
      <p className="table-foot" role="status">
        <span>{totalText(rows.total)}</span>
        {changes.pending > 0 && <span>Saving {changes.pending}…</span>}
        {rows.isStale && <span>The table has changed. Refresh shows the new rows.</span>}
        {!live && <span>Changes of others show after a refresh, since the manifest does not make the table live.</span>}
        {writes && key.length === 0 && (
          <span>The table has no primary key, so its rows can be read here and changed by SQL alone.</span>
        )}
      </p>
      {openRow !== '' && (
        <RowForm
          key={openRow}
          project={project.projectId}
          table={table}
          api={api}
          rowKey={openRow === 'new' ? undefined : keyFrom(openRow, key)}
          writes={openRow === 'new' ? writes : edits}
          referrersOf={referrersOf}
          done={(changed) => {
            setOpenRow('');
            if (changed) rows.again();
          }}
          remove={(one) => setDeleting([one])}
        />
      )}
      {deleting !== undefined && (
        <DeleteDialog
          count={deleting.length}
          close={() => setDeleting(undefined)}
          run={async () => {
            const gone = await deleteRows(api, name, deleting);
            announce(gone === 1 ? 'One row was deleted.' : `${gone} rows were deleted.`);
            setSelected(new Set());
            setOpenRow('', { replace: true });
            rows.again();
          }}
        />
      )}
      {changes.conflict !== undefined && <ConflictDialog conflict={changes.conflict} decide={changes.decide} />}
      {dialog === 'export' && (
        <ExportDialog api={api} table={name} wanted={wanted} total={rows.total?.count} close={() => setDialog('')} />
      )}
      {dialog === 'import' && writes && mayShape && (
        <ImportDialog project={project.projectId} table={table} imported={rows.again} close={() => setDialog('')} />
      )}
      {dialog === 'expose' && (
        <ExposeDialog project={project} table={table} entry={entry} close={() => setDialog('')} />
      )}
    </section>
  );
}

function totalText(total: { readonly count: number; readonly isExact: boolean } | undefined): string {
  if (total === undefined) return '';
  const count = total.count.toLocaleString('en');
  return total.isExact ? (total.count === 1 ? '1 row' : `${count} rows`) : `About ${count} rows`;
}
