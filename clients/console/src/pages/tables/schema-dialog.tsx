import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../../design/button.tsx';
import { CodeBlock } from '../../design/code.tsx';
import { ComboBox } from '../../design/combobox.tsx';
import { Checkbox, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { go } from '../../router.tsx';
import { useSearch } from '../../search.ts';
import { type Draft, useDraft } from '../../use-draft.ts';
import type { Table } from './columns.ts';
import type { Project } from './manifest.ts';
import { nameFault } from './names.ts';
import {
  type ColumnDraft,
  changeColumnSql,
  dropColumnSql,
  dropTableSql,
  newColumnSql,
  newTableSql,
  offeredTypes,
  renameTableSql,
} from './schema-sql.ts';
import { RunTableSqlDocument } from './tables.graphql.ts';

interface SchemaDialogProps {
  readonly project: Project;
  readonly table: Table | undefined;
  readonly tables: readonly Table[];
}

/** The dialogs that change tables and columns. Each shows the SQL that it runs. */
export function SchemaDialog({ project, table, tables }: SchemaDialogProps) {
  const [dialog, setDialog] = useSearch('dialog', '');
  const close = () => setDialog('');
  const address = `/projects/${project.projectId}/tables`;
  const shared = { project: project.projectId, close };
  // In place of the dialog's address, so that the way back does not open it again.
  const open = (name: string) => go(`${address}?${new URLSearchParams({ table: name })}`, { replace: true });
  if (dialog === 'new-table') return <NewTable {...shared} done={open} />;
  if (table === undefined) return null;
  if (dialog === 'new-column') return <ColumnForm {...shared} table={table} done={close} />;
  if (dialog === 'rename-table') return <RenameTable {...shared} table={table} done={open} />;
  if (dialog === 'drop-table')
    return (
      <Sql
        {...shared}
        title={`Drop ${table.name}?`}
        about="The table and all its rows are gone for good."
        submit="Drop table"
        isBad
        sql={dropTableSql(table.name)}
        done={() => {
          announce('The table was dropped.');
          const next = tables.find(({ name }) => name !== table.name);
          if (next === undefined) go(address, { replace: true });
          else open(next.name);
        }}
      />
    );
  const [, what, named] = /^(column|drop-column):(.*)$/s.exec(dialog) ?? [];
  const column = table.columns.find(({ name }) => name === named);
  if (column === undefined) return null;
  if (what === 'column') return <ColumnForm {...shared} table={table} column={column} done={close} />;
  return (
    <Sql
      {...shared}
      title={`Drop column ${column.name}?`}
      about="Its values are gone for good."
      submit="Drop column"
      isBad
      sql={dropColumnSql(table.name, column.name)}
      done={close}
    />
  );
}

interface SqlProps {
  readonly project: string;
  readonly title: string;
  readonly about?: string;
  readonly submit: string;
  readonly isBad?: boolean;
  /** Undefined while something is missing. */
  readonly sql: string | undefined;
  readonly close: () => void;
  readonly done: () => void;
  readonly draft?: Draft<object>;
  readonly children?: React.ReactNode;
}

/** Shows SQL and runs it once. */
function Sql({ project, title, about, submit, isBad = false, sql, close, done, draft, children }: SqlProps) {
  const change = useChange(RunTableSqlDocument);
  return (
    <Modal title={title} kind="alert" isOpen close={close}>
      <Form
        label={title}
        submit={submit}
        variant={isBad ? 'danger' : 'primary'}
        isDisabled={sql === undefined}
        cancel={close}
        error={change.error}
        {...(draft === undefined ? {} : { draft })}
        send={async () => {
          if (sql === undefined || (await change.run({ project, sql })) === undefined) return false;
          done();
          return true;
        }}
      >
        {about !== undefined && <p>{about}</p>}
        {children}
        <CodeBlock title="SQL that will run" code={sql ?? '-- Complete the fields above.'} />
      </Form>
    </Modal>
  );
}

const emptyDraft: ColumnDraft = { name: '', type: 'text', nullable: true, defaultValue: '' };
const isName = (name: string) => name !== '' && nameFault(name) === undefined;
const isComplete = ({ name, type }: ColumnDraft) => isName(name) && type.trim() !== '';
const types = offeredTypes.map((type) => ({ id: type, name: type }));

/** A column as its dialog begins; undefined: a new one. */
const draftOf = (column: Table['columns'][number] | undefined): ColumnDraft =>
  column === undefined
    ? emptyDraft
    : {
        name: column.name,
        type: column.type,
        nullable: column.nullable,
        defaultValue: column.defaultValue ?? '',
      };

interface DraftProps {
  readonly draft: ColumnDraft;
  readonly set: (draft: ColumnDraft) => void;
  /** Takes the focus. @default false */
  readonly isFirst?: boolean;
}

function DraftFields({ draft, set, isFirst = false }: DraftProps) {
  return (
    <>
      <TextField
        label="Name"
        value={draft.name}
        onChange={(name) => set({ ...draft, name })}
        fault={nameFault(draft.name)}
        autoFocus={isFirst}
      />
      <ComboBox
        label="Type"
        options={types}
        takesAny
        value={draft.type}
        onChange={(type) => set({ ...draft, type: type ?? '' })}
      />
      <TextField
        label="Default"
        placeholder="none"
        value={draft.defaultValue}
        onChange={(defaultValue) => set({ ...draft, defaultValue })}
      />
      <Checkbox isSelected={draft.nullable} onChange={(nullable) => set({ ...draft, nullable })}>
        May be NULL
      </Checkbox>
    </>
  );
}

interface NewTableProps {
  readonly project: string;
  readonly close: () => void;
  readonly done: (name: string) => void;
}

function NewTable({ project, close, done }: NewTableProps) {
  const draft = useDraft(`table ${project}`, {
    name: '',
    drafts: [] as readonly ColumnDraft[],
    rowSecurity: true,
  });
  const { name, drafts, rowSecurity } = draft.values;
  const setDrafts = draft.field('drafts').onChange;
  const complete = isName(name) && drafts.every(isComplete);
  return (
    <Sql
      project={project}
      title="New table"
      submit="Create table"
      sql={complete ? newTableSql(name, drafts, rowSecurity) : undefined}
      close={close}
      draft={draft}
      done={() => {
        announce('The table was made.');
        done(name);
      }}
    >
      <TextField label="Name of the table" {...draft.field('name')} fault={nameFault(name)} autoFocus />
      <p className="small quiet">Its key is the column id. The database numbers the rows.</p>
      {drafts.map((column, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a draft has no other name until it is typed.
        <fieldset key={at} className="column-draft" aria-label={`Column ${at + 1}`}>
          <DraftFields
            draft={column}
            set={(next) => setDrafts(drafts.map((one, index) => (index === at ? next : one)))}
          />
          <IconButton
            small
            icon={X}
            label={`Leave out column ${at + 1}`}
            onPress={() => setDrafts(drafts.filter((_one, index) => index !== at))}
          />
        </fieldset>
      ))}
      <div>
        <Button small icon={Plus} onPress={() => setDrafts([...drafts, emptyDraft])}>
          Add column
        </Button>
      </div>
      <Checkbox isSelected={rowSecurity} onChange={draft.field('rowSecurity').onChange}>
        Row security: users see no row until a policy allows it
      </Checkbox>
    </Sql>
  );
}

interface ColumnFormProps {
  readonly project: string;
  readonly table: Table;
  /** Undefined for a new one. */
  readonly column?: Table['columns'][number];
  readonly close: () => void;
  readonly done: () => void;
}

function ColumnForm({ project, table, column, close, done }: ColumnFormProps) {
  const draft = useDraft(`column ${project} ${table.name} ${column?.name ?? ''}`, draftOf(column));
  const { values } = draft;
  const sql = column === undefined ? newColumnSql(table.name, values) : changeColumnSql(table.name, column, values);
  return (
    <Sql
      project={project}
      title={column === undefined ? `New column of ${table.name}` : `Column ${column.name}`}
      submit={column === undefined ? 'Add column' : 'Change column'}
      sql={isComplete(values) && sql !== '' ? sql : undefined}
      close={close}
      done={done}
      draft={draft}
    >
      <DraftFields draft={values} set={draft.set} isFirst />
    </Sql>
  );
}

interface RenameTableProps {
  readonly project: string;
  readonly table: Table;
  readonly close: () => void;
  readonly done: (name: string) => void;
}

function RenameTable({ project, table, close, done }: RenameTableProps) {
  const [name, setName] = useState(table.name);
  return (
    <Sql
      project={project}
      title={`Rename ${table.name}`}
      about="Programs that use the old name no longer find the table, and neither does the manifest."
      submit="Rename table"
      sql={!isName(name) || name === table.name ? undefined : renameTableSql(table.name, name)}
      close={close}
      done={() => done(name)}
    >
      <TextField label="New name" value={name} onChange={setName} fault={nameFault(name)} autoFocus />
    </Sql>
  );
}
