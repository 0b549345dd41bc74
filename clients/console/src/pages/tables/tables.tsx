import './tables.css';
import { Database, Lock, Plus, Table2 } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { State } from '../../design/status.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { go } from '../../router.tsx';
import { useSearch } from '../../search.ts';
import { mayChange, mayOn } from '../../session/may.ts';
import { ProjectKeysDocument } from '../project/project.graphql.ts';
import { projectCrumbs } from '../project-crumbs.ts';
import { type Keys, manifestTables, type Project } from './manifest.ts';
import { SchemaDialog } from './schema-dialog.tsx';
import { TableList } from './table-list.tsx';
import { TableView } from './table-view.tsx';
import { ProjectTablesDocument } from './tables.graphql.ts';

/** The tables of a project and their rows, as the service key or an anonymous visitor sees them. */
export default function TablesPage({ project }: { readonly project: string }) {
  const answer = useAsk(ProjectTablesDocument, { project });
  const shown = answer.data?.project;
  const mayAsk = shown != null && mayOn(shown, 'project:keys:read');
  const keys = useAsk(ProjectKeysDocument, mayAsk ? { project } : undefined);
  const [, setDialog] = useSearch('dialog', '');
  return (
    <Page
      wide
      title="Tables"
      crumbs={projectCrumbs(shown?.organization, shown)}
      actions={
        shown != null &&
        mayOn(shown, 'project:sql') && (
          <Button icon={Plus} onPress={() => setDialog('new-table')}>
            New table
          </Button>
        )
      }
    >
      <Loaded answer={answer}>
        {({ project: found }) =>
          found?.tables == null ? null : !mayChange() ? (
            <State icon={Lock} title="Not in a session that only reads">
              Rows are read with the service key, which a session that only reads may not use.
            </State>
          ) : !mayAsk ? (
            <State icon={Lock} title="Rows by SQL alone">
              This page uses the service key, which only owners may read. You can read rows with SQL.
            </State>
          ) : (
            <Loaded answer={keys}>
              {({ project: held }) => held?.keys != null && <Tables project={found} keys={held.keys} />}
            </Loaded>
          )
        }
      </Loaded>
    </Page>
  );
}

function Tables({ project, keys }: { readonly project: Project; readonly keys: Keys }) {
  const [named] = useSearch('table', '');
  const [seenAs] = useSearch('as', 'service');
  const [, setDialog] = useSearch('dialog', '');
  const tables = project.tables ?? [];
  const table = named === '' ? tables[0] : tables.find(({ name }) => name === named);
  const addressOf = (name: string) =>
    `/projects/${project.projectId}/tables?${new URLSearchParams({ table: name, ...(seenAs === 'service' ? {} : { as: seenAs }) })}`;
  const entries = manifestTables(project);
  return (
    <>
      {tables.length === 0 ? (
        <State
          icon={Database}
          title="No tables yet"
          action={
            mayOn(project, 'project:sql') && (
              <Button variant="primary" icon={Plus} onPress={() => setDialog('new-table')}>
                Create the first table
              </Button>
            )
          }
        >
          Tables hold the rows that your application reads and writes.
        </State>
      ) : (
        <div className="tables">
          <TableList
            tables={tables}
            chosen={table?.name}
            addressOf={addressOf}
            choose={(name) => go(addressOf(name))}
            exposed={new Set([...entries].filter(([, { expose }]) => expose === true).map(([name]) => name))}
          />
          {table === undefined ? (
            <State
              icon={Table2}
              title="No table of this name"
              action={<Button onPress={() => go(addressOf(tables[0]!.name))}>Show {tables[0]!.name}</Button>}
            >
              {named}
            </State>
          ) : (
            <TableView
              // Another table is another page: its selection and its dialogs are not those of this one.
              key={`${table.name} ${seenAs}`}
              project={project}
              table={table}
              entry={entries.get(table.name)}
              keys={keys}
              addressOf={addressOf}
            />
          )}
        </div>
      )}
      {mayOn(project, 'project:sql') && <SchemaDialog project={project} table={table} tables={tables} />}
    </>
  );
}
