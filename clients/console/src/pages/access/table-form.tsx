import { Button } from '../../design/button.tsx';
import { Editor } from '../../design/editor.tsx';
import { Checkbox, Select } from '../../design/field.tsx';
import { Modal } from '../../design/modal.tsx';
import type { TableColumns } from './access-types.ts';
import type { ShownFinding } from './findings.tsx';
import { type DraftTable, ownerOf, underPolicy } from './manifest-draft.ts';
import { notExposed, PolicyChoice } from './policy-choice.tsx';

interface TableFormProps {
  readonly table: DraftTable;
  readonly columns: TableColumns['columns'];
  readonly findings: readonly ShownFinding[];
  readonly change: (table: DraftTable) => void;
  readonly close: () => void;
}

/** One table of the draft. Each change is in the draft at once, so closing loses nothing. */
export function TableForm({ table, columns, findings, change, close }: TableFormProps) {
  const { name, expose, policy } = table;
  const choose = (wanted: string) =>
    change(wanted === notExposed ? { name, expose: false } : underPolicy(table, wanted, ownerOf(columns)));
  const withLive = (live: boolean) => {
    const { live: _before, ...rest } = table;
    change(live ? { ...rest, live } : rest);
  };
  return (
    <Modal
      title={expose ? `Access to ${name}` : `Expose ${name}`}
      isOpen
      close={close}
      kind="wide"
      foot={<Button onPress={close}>Done</Button>}
    >
      <PolicyChoice value={expose ? (policy ?? '') : notExposed} onChange={choose} />
      {expose && policy === 'user_owns_rows' && (
        <>
          <Select
            label="Owner column"
            hint="It holds the id of the user, as uuid or text."
            options={columns.map((one) => ({ id: one.name, name: `${one.name} (${one.type})` }))}
            value={table.owner_column ?? null}
            onChange={(owner_column) => change({ ...table, owner_column })}
          />
          <Checkbox
            isSelected={table.force_owner_on_insert === true}
            onChange={(force_owner_on_insert) => change({ ...table, force_owner_on_insert })}
          >
            Fill the owner in when a row is added
          </Checkbox>
        </>
      )}
      {expose && policy === 'public_read_write_UNRESTRICTED' && (
        <Checkbox
          isSelected={table.i_understand_this_is_unrestricted === true}
          onChange={(understood) => change({ ...table, i_understand_this_is_unrestricted: understood })}
        >
          I understand that everybody may change and delete every row
        </Checkbox>
      )}
      {expose && policy === 'custom' && (
        <Editor
          label="Policies in SQL"
          language="sql"
          lines={6}
          value={table.custom_sql ?? ''}
          onChange={(custom_sql) => change({ ...table, custom_sql })}
          placeholder={`create policy readers on ${name} for select to authenticated using (true);`}
        />
      )}
      {expose && policy !== 'custom' && (
        <Checkbox isSelected={table.live === true} onChange={withLive}>
          Send live hints when rows change
        </Checkbox>
      )}
      {findings.length > 0 && (
        <ul className="access-findings" aria-label="Findings of this table">
          {findings.map(({ type, path, detail, fix }) => (
            <li key={`${type} ${path}`} className="fault">
              {detail} {fix}
            </li>
          ))}
        </ul>
      )}
    </Modal>
  );
}
