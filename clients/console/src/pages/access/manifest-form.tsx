import { Table2 } from 'lucide-react';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Switch } from '../../design/field.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { Table, type TableColumn } from '../../design/table.tsx';
import { useSearch } from '../../search.ts';
import type { TableColumns } from './access-types.ts';
import type { ShownFinding } from './findings.tsx';
import { type Draft, type DraftTable, policies, policyName, withTable } from './manifest-draft.ts';
import { TableForm } from './table-form.tsx';

interface ManifestFormProps {
  readonly draft: Draft;
  readonly tables: readonly TableColumns[];
  readonly findings: readonly ShownFinding[];
  readonly isReadOnly: boolean;
  readonly change: (draft: Draft) => void;
}

/** The draft as lists of tables, views and functions. */
export function ManifestForm({ draft, tables, findings, isReadOnly, change }: ManifestFormProps) {
  const [selected, select] = useSearch('table', '');
  const listed = draft.tables ?? [];
  const known = new Map(listed.map((one) => [one.name, one]));
  const names = [...new Set([...tables.map(({ name }) => name), ...known.keys()])];
  const rows = names.map((name): DraftTable => known.get(name) ?? { name, expose: false });
  const faulty = new Set(
    findings.flatMap(({ path, severity }) => {
      const index = /^manifest\.tables\[(\d+)\]/.exec(path)?.[1];
      return severity === 'ERROR' && index !== undefined ? [listed[Number(index)]?.name] : [];
    }),
  );
  const columns: readonly TableColumn<DraftTable>[] = [
    { id: 'name', name: 'Table', cell: ({ name }) => <strong>{name}</strong> },
    {
      id: 'policy',
      name: 'Who reaches it',
      grows: true,
      cell: ({ expose, policy, owner_column: owner }) =>
        expose ? (
          <>
            {policyName(policy)}
            {owner !== undefined && (
              <>
                {' '}
                by <code>{owner}</code>
              </>
            )}
            <p className="quiet small">{policies.find(({ id }) => id === policy)?.about}</p>
          </>
        ) : (
          <span className="quiet">Not exposed: the service key alone reaches it.</span>
        ),
    },
    {
      id: 'state',
      name: 'State',
      cell: ({ name, expose, policy, live }) => (
        <span className="access-choices">
          {faulty.has(name) && <Badge mood="bad">Error</Badge>}
          {expose ? (
            <Badge mood={policy === 'public_read_write_UNRESTRICTED' ? 'warn' : 'good'}>Exposed</Badge>
          ) : (
            <Badge>Not exposed</Badge>
          )}
          {live === true && <Badge mood="accent">Live</Badge>}
        </span>
      ),
    },
    {
      id: 'change',
      name: 'Change',
      isNameHidden: true,
      align: 'end',
      cell: ({ name, expose }) =>
        !isReadOnly && (
          <Button small onPress={() => select(name)} aria-label={expose ? `Change ${name}` : `Expose ${name}`}>
            {expose ? 'Change' : 'Expose this table'}
          </Button>
        ),
    },
  ];
  const chosen = rows.find(({ name }) => name === selected);
  return (
    <>
      <Section title="Tables">
        <Table
          label="Tables"
          columns={columns}
          rows={rows}
          keyOf={({ name }) => name}
          empty={
            <State icon={Table2} title="No tables yet">
              Make one under SQL or Tables. It stays dark until you expose it here.
            </State>
          }
        />
      </Section>
      <Views draft={draft} isReadOnly={isReadOnly} change={change} />
      <Functions draft={draft} isReadOnly={isReadOnly} change={change} />
      {chosen !== undefined && !isReadOnly && (
        <TableForm
          table={chosen}
          columns={tables.find(({ name }) => name === chosen.name)?.columns ?? []}
          findings={findings.filter(({ path }) => path.startsWith(`manifest.tables[${listed.indexOf(chosen)}]`))}
          change={(table) => change(withTable(draft, table))}
          close={() => select('')}
        />
      )}
    </>
  );
}

type PartProps = Pick<ManifestFormProps, 'draft' | 'isReadOnly' | 'change'>;

function Views({ draft, isReadOnly, change }: PartProps) {
  const views = draft.views ?? [];
  return (
    <Section
      title="Views"
      about="Each shows columns of one table. The policies of that table decide who reads them. Add views under Text."
    >
      <Table
        label="Views"
        rows={views}
        keyOf={({ name }) => name}
        empty={<p className="quiet">None.</p>}
        columns={[
          { id: 'name', name: 'View', cell: ({ name }) => <strong>{name}</strong> },
          {
            id: 'shows',
            name: 'Shows',
            grows: true,
            cell: ({ base, select, filter }) => (
              <>
                <code>{select.join(', ')}</code> of <code>{base}</code>
                {filter !== undefined && (
                  <>
                    {' '}
                    where <code>{filter}</code>
                  </>
                )}
              </>
            ),
          },
          {
            id: 'expose',
            name: 'Exposed',
            cell: (view) => (
              <Switch
                isSelected={view.expose === true}
                isDisabled={isReadOnly}
                onChange={(expose) =>
                  change({ ...draft, views: views.map((one) => (one === view ? { ...one, expose } : one)) })
                }
              >
                <span className="seen-by-readers">{view.name} is </span>exposed
              </Switch>
            ),
          },
        ]}
      />
    </Section>
  );
}

function Functions({ draft, isReadOnly, change }: PartProps) {
  const rpcs = draft.rpcs ?? [];
  return (
    <Section
      title="Functions"
      about="A function is called only by the roles that are named here. Add functions under Text."
    >
      <Table
        label="Functions"
        rows={rpcs}
        keyOf={({ name, signature }) => name + signature}
        empty={<p className="quiet">None.</p>}
        columns={[
          {
            id: 'name',
            name: 'Function',
            cell: ({ name, signature }) => (
              <code>
                {name}
                {signature}
              </code>
            ),
          },
          { id: 'callers', name: 'Callers', grows: true, cell: ({ grant_to: roles }) => roles.join(', ') },
          {
            id: 'remove',
            name: 'Remove',
            isNameHidden: true,
            align: 'end',
            cell: (rpc) =>
              !isReadOnly && (
                <Button
                  small
                  variant="quiet"
                  aria-label={`Remove ${rpc.name}`}
                  onPress={() => change({ ...draft, rpcs: rpcs.filter((one) => one !== rpc) })}
                >
                  Remove
                </Button>
              ),
          },
        ]}
      />
    </Section>
  );
}
