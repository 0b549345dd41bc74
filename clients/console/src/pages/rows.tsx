import { useState } from 'react';
import { useAsk } from '../graph/use-live-query.ts';
import { Card } from '../parts/card.tsx';
import { Empty } from '../parts/empty.tsx';
import { Field } from '../parts/field.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Page } from '../parts/page.tsx';
import { Tag } from '../parts/tag.tsx';
import { mayChange, mayOn } from '../session/may.ts';
import { ProjectKeysDocument, type ProjectKeysQuery } from './project.graphql.ts';
import { projectCrumbs } from './project-crumbs.ts';
import { ProjectTablesDocument, type ProjectTablesQuery } from './rows.graphql.ts';
import { Sql } from './rows-sql.tsx';
import { TableRows } from './rows-table.tsx';

type Project = NonNullable<ProjectTablesQuery['project']>;

/** The rows of a project, as the service key or an anonymous visitor sees them. */
export default function RowsPage({ project }: { readonly project: string }) {
  const answer = useAsk(ProjectTablesDocument, { project });
  const found = answer.data?.project;
  return (
    <Page title="Rows" crumbs={projectCrumbs(found?.organization, found)}>
      <Loaded answer={answer}>
        {({ project: shown }) =>
          shown?.tables != null && (
            <>
              <Rows project={shown} tables={shown.tables} />
              {mayOn(shown, 'project:sql') && <Sql projectId={shown.projectId} />}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

/** The tables that the manifest makes live. */
function liveTables(project: Project): ReadonlySet<string> {
  const tables = project.expose?.manifest.tables;
  const live = (Array.isArray(tables) ? tables : []).filter((table) => table.live === true);
  return new Set(live.map((table) => String(table.name)));
}

type SchemaTables = NonNullable<Project['tables']>;

/** Rows are read and written with the project's keys, so this is for callers who may read the keys. */
function Rows({ project, tables }: { readonly project: Project; readonly tables: SchemaTables }) {
  const { projectId } = project;
  const mayAsk = mayOn(project, 'project:keys:read');
  const answer = useAsk(ProjectKeysDocument, mayAsk ? { project: projectId } : undefined);
  if (!mayChange())
    return (
      <Empty title="Not in a session that only reads">
        Rows and SQL use the service key, which a session that only reads may not use.
      </Empty>
    );
  if (!mayAsk)
    return (
      <Empty title="Rows by SQL alone">
        The table view uses the service key, which only owners may read. You can read rows with SQL.
      </Empty>
    );
  return (
    <Loaded answer={answer}>
      {({ project: found }) => found?.keys != null && <Tables project={project} tables={tables} keys={found.keys} />}
    </Loaded>
  );
}

interface TablesProps {
  readonly project: Project;
  readonly tables: SchemaTables;
  readonly keys: NonNullable<NonNullable<ProjectKeysQuery['project']>['keys']>;
}

function Tables({ project, tables, keys }: TablesProps) {
  const [named, setNamed] = useState<string>();
  const [visitor, setVisitor] = useState(false);
  const table = tables.find(({ name }) => name === named) ?? tables[0];
  if (table === undefined)
    return <Empty title="No table yet">Make one below: create table notes (id bigint primary key, body text)</Empty>;
  const live = liveTables(project).has(table.name);
  return (
    <Card
      title={table.name}
      side={
        <span className="line">
          {live ? <Tag value="live" mood="good" /> : <Tag value="not live" mood="plain" />}
          {table.rlsEnabled && <Tag value="row security" mood="accent" />}
        </span>
      }
    >
      <div className="row">
        <Field label="Table">
          <select value={table.name} onChange={(event) => setNamed((event.target as HTMLSelectElement).value)}>
            {tables.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </Field>
        <Field label="Seen with">
          <select
            value={visitor ? 'anon' : 'service'}
            onChange={(event) => setVisitor((event.target as HTMLSelectElement).value === 'anon')}
          >
            <option value="service">the service key: all rows</option>
            <option value="anon">the anon key: what a visitor sees</option>
          </select>
        </Field>
      </div>
      <TableRows
        key={`${table.name} ${visitor}`}
        projectId={project.projectId}
        table={table}
        writes={!visitor}
        api={visitor ? { path: '/rest/v1', apikey: keys.anonKey } : { path: '/admin/v1/rest', apikey: keys.serviceKey }}
        live={live}
      />
    </Card>
  );
}
